/** Runs a program to its end or to a time limit, and keeps the end of its output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { platform } from 'node:os'
import type { ClientTime, Hang } from '../../trial/client-time/client-time.ts'
import type { RunEnd } from '../../trial/judge.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'
import { startError } from '../exec/start-program.ts'

export interface ProgramRun {
  readonly end: RunEnd
  readonly stdout: string
  readonly stderr: string
  /** Its duration, by its time. */
  readonly seconds: number
}

export interface ProgramLimits {
  /** Milliseconds until it is stopped, with its children. */
  readonly timeout: number
  /** Stops it immediately. */
  readonly signal: AbortSignal
  readonly time: ClientTime
  readonly cwd: string
}

/** Maximum number of characters kept from each stream. */
const keptOutput = 64 * 1024
/** How long to wait for the last output after the exit, in milliseconds. */
const outputGrace = 500
const isWindows = platform() === 'win32'

/** Throws `CommandError` (126, 127) if it cannot be started. */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  env: Io['env'],
  { timeout, signal, time, cwd }: ProgramLimits,
): Promise<ProgramRun> {
  // On Windows, `npm` is a cmd.exe script with its own quoting rules.
  const start = isWindows ? (await import('cross-spawn')).default : spawn
  const startedAt = time.now()
  let hang: Hang | 'timeout' | undefined
  let stdout = ''
  let stderr = ''
  const ended = await new Promise<RunEnd>((resolve, reject) => {
    const child = start(program, args, {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group, which can be stopped with its children.
      detached: !isWindows,
    }) as ChildProcess
    const stop = (): void => stopAll(child)
    const giveUp = (reason: typeof hang): void => {
      hang = reason
      stop()
    }
    const timer = setTimeout(giveUp, timeout, 'timeout')
    time.hang.addEventListener('abort', () => giveUp(time.hang.reason as Hang), { once: true })
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    child.stdout?.setEncoding('utf8').on('data', (text) => void (stdout = (stdout + text).slice(-keptOutput)))
    child.stderr?.setEncoding('utf8').on('data', (text) => void (stderr = (stderr + text).slice(-keptOutput)))
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      finish()
      const reason = code ?? message
      const exitCode = reason === 'ENOENT' ? exitCodes.notFound : exitCodes.cannotRun
      reject(new CommandError(exitCode, `${program}: ${startError(reason)}`))
    })
    let end: RunEnd
    child.once('exit', (code, by) => {
      finish()
      if (hang !== undefined) end = { kind: 'hung', hang }
      else end = by === null ? { kind: 'exited', code: code ?? 1 } : { kind: 'killed', signal: by }
      // Background processes must not outlive the program or keep its output open.
      stop()
      // A process in another group may still keep the output open.
      const late = setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, outputGrace)
      child.once('close', () => clearTimeout(late))
    })
    child.once('close', () => resolve(end))
  })
  return { end: ended, stdout, stderr, seconds: (time.now() - startedAt) / 1000 }
}

function stopAll(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (isWindows) spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore' })
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
