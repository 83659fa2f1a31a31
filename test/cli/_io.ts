/**
 * A stand-in for the process around a command, so that most tests of the CLI need no process of their own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { ExitCode, Io, Output } from '../../src/cli/command.ts'
import { startProgram } from '../../src/cli/exec/start-program.ts'
import { main } from '../../src/cli/main.ts'

/** A stream that remembers what was written. */
export interface Recorded extends Output {
  readonly text: string
  /** Resolves when what was written matches; a test never sleeps. */
  until(pattern: RegExp): Promise<RegExpExecArray>
}

export function record(isTTY = false): Recorded {
  let text = ''
  const waiting: (() => void)[] = []
  return {
    isTTY,
    write(more) {
      text += more
      for (const look of waiting.splice(0)) look()
    },
    get text() {
      return text
    },
    until: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = pattern.exec(text)
          if (found !== null) resolve(found)
          else waiting.push(look)
        }
        look()
      }),
  }
}

export interface Run {
  readonly stdout: Recorded
  readonly stderr: Recorded
  readonly code: Promise<ExitCode>
  /** What SIGTERM does. */
  stop(): void
}

export interface Around {
  readonly cwd?: string
  readonly env?: Io['env']
  readonly terminal?: boolean
  readonly stdin?: string | Uint8Array
  readonly startProgram?: Io['startProgram']
}

/** Begins a command line; it is stopped when the test ends. */
export function start(
  argv: readonly string[],
  { cwd = emptyDirectory(), env = {}, terminal = false, stdin = '', ...around }: Around = {},
): Run {
  const stdout = record(terminal)
  const stderr = record(terminal)
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  const code = main(argv, {
    stdout,
    stderr,
    onSignal() {},
    startProgram: around.startProgram ?? ((words, own) => startProgram(words, own, process.platform)),
    rawStreams: () => ({ input: new PassThrough(), output: new PassThrough() }),
    readStdin: async () => (typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin),
    cwd,
    env,
    pid: 4242,
    whenStopped: () => stopped,
  })
  onTestFinished(async () => {
    stop()
    await code
  })
  return { stdout, stderr, code, stop }
}

/** Runs a command line to its end. */
export async function run(
  argv: readonly string[],
  around: Around = {},
): Promise<{ readonly code: ExitCode; readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = start(argv, around)
  return { code: await code, stdout: stdout.text, stderr: stderr.text }
}

/** Starts `serve` on a free port and waits until it is ready. */
export async function serve(
  flags: readonly string[] = [],
  around: Around = {},
): Promise<Run & { readonly url: string }> {
  const running = start(['serve', '--port', '0', ...flags], around)
  const found = await Promise.race([
    running.stdout.until(/http:\/\/[^\s"]+/),
    running.code.then((code) =>
      Promise.reject(new Error(`serve ended with ${code}: ${running.stderr.text}`)),
    ),
  ])
  return { ...running, url: found[0] }
}

/**
 * A process, without input unless `stdin` is true, with what it has written so far and how it ends; it is killed when the test ends.
 */
export function startProcess(
  program: string,
  args: readonly string[],
  around: {
    readonly cwd?: string
    readonly env?: Io['env']
    readonly detached?: boolean
    readonly stdin?: boolean
  } = {},
) {
  const { cwd = emptyDirectory(), env = {}, detached = false, stdin = false } = around
  const child = spawn(program, args, {
    cwd,
    detached,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: 'pipe',
  })
  if (!stdin) child.stdin.end()
  onTestFinished(() => void child.kill('SIGKILL'))
  const [stdout, stderr] = [record(), record()]
  child.stdout.on('data', (chunk: Buffer) => void stdout.write(String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => void stderr.write(String(chunk)))
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
    stdout: stdout.text,
    stderr: stderr.text,
  }))
  return { child, stdout, stderr, ended }
}

/** A directory with these files that is gone after the test. */
export function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

export const emptyDirectory = (): string => directoryWith({})
