/** How flags are declared, those that several commands share, and how their values are read. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseDuration } from '../engine/duration.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import { type Io, usageError } from './command.ts'

export function text(describe: string, shown?: string) {
  return { type: 'string', requiresArg: true, describe, defaultDescription: shown } as const
}

export function list(describe: string) {
  return { type: 'string', array: true, requiresArg: true, describe } as const
}

export function toggle(describe: string) {
  return { type: 'boolean', default: false, describe } as const
}

/** A value of any type: yargs parses numbers and keeps other text, so that an error message can quote it. */
export function value(describe: string, shown?: string) {
  return { requiresArg: true, describe, defaultDescription: shown } as const
}

/** The first choice is the default. */
export function choice<const Choices extends readonly [string, ...string[]]>(
  describe: string,
  choices: Choices,
) {
  const initial: Choices[number] = choices[0]
  return { type: 'string', requiresArg: true, describe, choices, default: initial } as const
}

const defaultUrl = 'http://127.0.0.1:4010'

export const allowFiles = list(
  'Additional folder from which scenarios can load files with `file:`; repeatable',
)
export const baseUrl = (describe: string, shown?: string) =>
  text(`URL of ${describe}, with or without /v1`, shown)
export const config = text(
  'Settings file in YAML or JSON',
  'gateway-sim.config.yaml, .yml or .json in the current folder',
)
export const format = choice('Output format', ['pretty', 'json'])
export const logFormat = choice('Format of the ready line and of the request log on stderr', [
  'pretty',
  'json',
])
export const host = {
  ...text('Address to listen on; 0.0.0.0 for all interfaces'),
  default: '127.0.0.1',
} as const
export const port = (initial: number) => ({ ...value('Port; 0 picks a free one'), default: initial }) as const
export const operation = (describe: string) =>
  list(`${describe}: an id (chat.create) or a group (videos.*); repeatable`)
export const output = { ...text('File to write', 'standard output'), alias: 'o' } as const
export const report = list(
  'Report as FORMAT=FILE, or FORMAT instead of the usual output: text, json, junit, markdown, github ' +
    '(annotations), har or html (all requests, html as a standalone page); repeatable',
)
export const simulatorUrl = baseUrl('the simulator', `GATEWAY_SIM_URL, else ${defaultUrl}`)

/** The flags of the commands that control a running simulator. */
export const clientFlags = {
  'base-url': simulatorUrl,
  session: text('Name of the session', 'default'),
  'control-token': text('Token for the control API, if it requires one', 'GATEWAY_SIM_CONTROL_TOKEN'),
  timeout: value('Maximum wait for each response from the simulator', '30s'),
} as const

/** The operations that a flag names by id or group. Throws `CommandError` for a name that is none of them. */
export function operationsNamed(flag: string, names: readonly string[], all: readonly string[]): string[] {
  return names.flatMap((name) => {
    const matching = all.filter((one) => matchesOperation(name, one))
    if (matching.length > 0) return matching
    const groups = [...new Set(all.map((one) => `${one.split('.')[0]}.*`))]
    const nearest = didYouMean(name, [...all, ...groups], '', '; ')
    const expected = nearest === '' ? ` in ${groups.join(', ')}` : ''
    throw usageError(`${flag}: expected an operation${expected}, got ${JSON.stringify(name)}${nearest}`)
  })
}

/** The folders of `--allow-files`. Throws `CommandError` for one that does not exist. */
export function allowedFolders(given: readonly string[], cwd: string): string[] {
  return given.map((name) => {
    const folder = resolve(cwd, name)
    if (name === '' || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw usageError(`--allow-files: expected an existing folder, got ${JSON.stringify(name)}`)
    return folder
  })
}

/** The URL of a flag without `/v1`. Throws `CommandError` for anything but an http(s) URL. */
export function baseUrlOf(flag: string, written: string, example = 'https://gateway.example'): string {
  const url = URL.canParse(written) ? new URL(written) : undefined
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol)
  if (!isAddress || url.search !== '' || url.hash !== '' || url.username !== '')
    throw usageError(`${flag}: expected a URL such as ${example}, got ${written}`)
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** The API key of a gateway: `--api-key`, else GATEWAY_API_KEY. Throws `CommandError` without one. */
export function apiKeyOf(given: string | undefined, env: Io['env']): string {
  const key = given ?? env['GATEWAY_API_KEY'] ?? ''
  if (key.trim() === '')
    throw usageError('Missing --api-key: pass an API key of the gateway, or set GATEWAY_API_KEY')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw usageError('--api-key: expected printable ASCII characters without spaces')
  return key
}

/** The URL of a running simulator: `--base-url`, else GATEWAY_SIM_URL, else the default. */
export function simulatorUrlOf(given: string | undefined, env: Io['env']): string {
  const flag = given === undefined ? 'GATEWAY_SIM_URL' : '--base-url'
  return baseUrlOf(flag, given ?? env['GATEWAY_SIM_URL'] ?? defaultUrl, defaultUrl)
}

/** A flag that counts, undefined if it is not given. Throws `CommandError` unless it is in the range. */
export function countOf(flag: string, given: unknown, least = 1, most = Infinity): number | undefined {
  const count = given as number | undefined
  if (count === undefined || (Number.isInteger(count) && count >= least && count <= most)) return count
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  throw usageError(`${flag}: expected a whole number ${range}, got ${JSON.stringify(given)}`)
}

/** The milliseconds of a flag, undefined if it is not given. Throws `CommandError` unless it is above 0. */
export function durationOf(flag: string, written: unknown): number | undefined {
  const ms = written === undefined ? undefined : (parseDuration(written) ?? -1)
  if (ms === undefined || ms > 0) return ms
  throw usageError(`${flag}: expected a duration above 0 such as 30s or 10m, got ${JSON.stringify(written)}`)
}

export function portOf(given: unknown): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 65_535) return given
  throw usageError(`--port: expected a whole number from 0 to 65535, got ${JSON.stringify(given)}`)
}
