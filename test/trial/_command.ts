/** Runs `gateway-sim trial` on commands. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { run } from '../cli/_io.ts'

export const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
export const programs = join(import.meta.dirname, 'programs')
const env = { PATH: process.env['PATH'] ?? '' }

interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export const trial = async (flags: readonly string[], command: readonly string[], options: Options = {}) =>
  run(['trial', '--quiet', ...flags, '--', ...command], {
    ...options,
    env: { ...env, ...options.env },
  })

export interface Json {
  readonly runs: readonly {
    readonly operation: string
    readonly failure: string
    readonly always: boolean
    readonly verdict: string
    readonly acceptable: boolean
    /** Null: for ever. */
    readonly seconds: number | null
  }[]
  readonly clientTime: string
  readonly summary: { readonly planned: number; readonly run: number }
}

export const verdictsIn = (stdout: string): string[] =>
  (JSON.parse(stdout) as Json).runs.map(
    ({ operation, failure, always, verdict }) =>
      `${operation} ${failure} ${always ? 'always' : 'once'}: ${verdict}`,
  )

export const only = (...names: string[]): string[] => names.flatMap((name) => ['--only', name])

/** A command of node that sends one chat request, and then runs this code. */
export const node = (code: string): string[] => [
  process.execPath,
  '--input-type=module',
  '-e',
  `const chat = () => fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' }, body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }) });\n${code}`,
]
