/** Runs `gateway-sim exec`: in this process, or (where signals matter) as a process of the build. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { ProgramEnd } from '../../src/cli/command.ts'
import { manifest, root } from '../_built.ts'
import { emptyDirectory, run, startProcess } from './_io.ts'

const bin = join(root, manifest.bin['gateway-sim'] as string)

interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
}

/** As a process: it can get signals. Needs `npm run build`. */
export const begin = (flags: readonly string[], command: readonly string[]) =>
  startProcess(process.execPath, [bin, 'exec', ...flags, '--', ...command])

/** In this process; the command is a process, and what it writes is caught. */
export const exec = (flags: readonly string[], command: readonly string[], options?: Options) =>
  execLine(['exec', ...flags, '--', ...command], options)

export async function execLine(
  argv: readonly string[],
  { cwd = emptyDirectory(), env = {}, stdin = '' }: Options = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let said = ''
  let complained = ''
  const { code, stdout, stderr } = await run(argv, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    async startProgram([program = '', ...words], own) {
      const child = spawn(program, words, { cwd, env: { ...own } })
      child.stdout.on('data', (chunk: Buffer) => void (said += String(chunk)))
      child.stderr.on('data', (chunk: Buffer) => void (complained += String(chunk)))
      child.stdin.on('error', () => {}).end(stdin)
      const ended = new Promise<ProgramEnd>((resolve) => {
        child.once('error', ({ code: reason = '' }: NodeJS.ErrnoException) =>
          resolve({ kind: 'not started', reason }),
        )
        child.once('close', (exit, signal) =>
          resolve(
            signal === null
              ? { kind: 'exited', code: exit ?? 1 }
              : { kind: 'killed', signal, number: constants.signals[signal] },
          ),
        )
      })
      return { send: (signal) => void child.kill(signal), ended }
    },
  })
  return { code, stdout: stdout + said, stderr: complained + stderr }
}

/** A command of node; `call(path, body?, headers?)` is a request with the key of the environment. */
export const script = (code: string): string[] => [
  process.execPath,
  '--input-type=module',
  '-e',
  `const call = (path, body, headers) => fetch(process.env.GATEWAY_SIM_URL + path, { method: body === undefined ? 'GET' : 'POST', headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json', ...headers }, body: body && JSON.stringify(body) });\n${code}`,
]
export const chat = `{ model: 'm', messages: [{ role: 'user', content: 'hello' }] }`

export interface JsonReport {
  readonly ok: boolean
  readonly exitCode: number
  readonly operations: readonly {
    readonly operation: string | null
    readonly requests: number
    readonly statuses: Readonly<Record<string, number>>
  }[]
  readonly clientReports: readonly {
    readonly session: string
    readonly findings: readonly { readonly code: string; readonly severity: string }[]
  }[]
  readonly checks: Readonly<
    Record<string, { readonly count: number; readonly fails: boolean; readonly lines: readonly string[] }>
  >
}

export async function reported(
  flags: readonly string[],
  command: readonly string[],
  options: Options = {},
): Promise<{
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly report: JsonReport
}> {
  const file = join(emptyDirectory(), 'report.json')
  const ended = await exec(['--report', `json=${file}`, ...flags], command, options)
  return { ...ended, report: JSON.parse(readFileSync(file, 'utf8')) as JsonReport }
}

/** What a developer may have set for the real services. */
export const real = {
  OPENAI_API_KEY: 'sk-real',
  OPENAI_API_BASE: 'http://127.0.0.1:9/v1',
  OPENAI_ADMIN_KEY: 'sk-real-admin',
  ANTHROPIC_API_URL: 'http://127.0.0.1:9',
  ANTHROPIC_AUTH_TOKEN: 'real-token',
  GOOGLE_API_KEY: 'real-google',
  GOOGLE_GENAI_USE_VERTEXAI: 'true',
  TYPESAFE_BASE_URL: 'http://127.0.0.1:9',
}
