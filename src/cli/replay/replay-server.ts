/** The server of `gateway-sim replay --base-url`, and the keys for it. */

import { parseDuration } from '../../engine/duration.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { type GivenKeys, keyNamesOf } from '../../replay/keys.ts'
import { type ControlAccess, ControlRefusal, probe, type Remote, Unreachable } from '../../replay/remote.ts'
import type { Scenario } from '../../scenario/load/scenario.ts'
import { parseBaseUrl } from '../base-url.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'

export interface TargetFlags {
  readonly baseUrl: string | undefined
  readonly apiKeys: readonly string[]
  /** Unparsed. */
  readonly limit: unknown
  readonly token: string | undefined
  readonly controlPrefix: string | undefined
}

export interface TargetServer {
  /** Without a trailing slash, and without `/v1`. */
  readonly base: string
  /** Real milliseconds. */
  readonly limit: number
  /** Its control API, if it is a simulator. */
  readonly control: ControlAccess
}

const defaultLimit = 300_000

/** The server to test; undefined for an in-process replay. Throws `CommandError` for invalid flags. */
export function serverOf(
  { baseUrl, apiKeys, limit: limitFlag, token, controlPrefix }: TargetFlags,
  env: Io['env'],
): TargetServer | undefined {
  const refuse = (message: string): never => {
    throw new CommandError(exitCodes.usage, message)
  }
  const limit = limitFlag === undefined ? defaultLimit : (parseDuration(limitFlag) ?? 0)
  if (limit === 0) refuse(`--limit: expected a duration such as 30s or 10m, got ${JSON.stringify(limitFlag)}`)
  if (apiKeys.some((key) => key.trim() === '')) refuse('--api-key: expected KEY or NAME=KEY, got nothing')
  if (baseUrl === undefined) {
    if (apiKeys.length > 0)
      refuse('--api-key needs --base-url: an in-process replay uses the keys of the file')
    if (limitFlag !== undefined) refuse('--limit needs --base-url: an in-process replay runs on virtual time')
    if (token !== undefined)
      refuse('--token needs --base-url: an in-process replay does not use the control API')
    if (controlPrefix !== undefined)
      refuse('--control-prefix needs --base-url: an in-process replay does not use the control API')
    return undefined
  }
  const base = parseBaseUrl(baseUrl)
  if (base === undefined)
    return refuse(`--base-url: expected a URL such as https://gateway.example, got ${baseUrl}`)
  return {
    base,
    limit,
    control: { token: token ?? env['GATEWAY_SIM_CONTROL_TOKEN'], prefix: controlPrefix },
  }
}

/** Parses `KEY` and `NAME=KEY`. Throws `CommandError` for a name that is in no scenario. */
export function parseKeys(apiKeys: readonly string[], scenarios: readonly Scenario[]): GivenKeys {
  const refuse = (message: string): never => {
    throw new CommandError(exitCodes.usage, `--api-key: ${message}`)
  }
  const names = [...new Set(scenarios.flatMap(keyNamesOf))]
  const byName = new Map<string, string>()
  let first: string | undefined
  for (const flag of apiKeys) {
    const name = names.find((known) => flag.startsWith(`${known}=`))
    if (name !== undefined) {
      const key = flag.slice(name.length + 1)
      if (key.trim() === '') refuse(`expected a key after ${name}=, got nothing`)
      byName.set(name, key)
      continue
    }
    // A key may end with `=` (padding of base64).
    const unknown = /^([^=]+)=[^=]/.exec(flag)?.[1]
    if (unknown !== undefined) {
      const nearest = nearestWord(unknown, names)
      const hint = nearest === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${nearest}?`
      refuse(`no scenario has a key ${unknown}: ${hint}`)
    }
    if (first !== undefined)
      refuse('expected one KEY without a name, got two: it replaces the first key of each scenario')
    first = flag
  }
  return { first, byName }
}

/** Probes the server. Throws `CommandError` if it cannot be reached, or if a key is missing. */
export async function connect(server: TargetServer, hasKeys: boolean, { stderr }: Io): Promise<Remote> {
  const { base, limit, control } = server
  const remote = await reaching(server, () => probe(base, limit, control))
  if (remote.kind === 'gateway' && !hasKeys)
    throw new CommandError(
      exitCodes.usage,
      `--base-url ${base}: this server is not a gateway-sim and needs a key: add --api-key KEY`,
    )
  if (remote.kind === 'closed')
    stderr.write(
      [
        `gateway-sim: ${base}: ${refusalOf(remote.refusal)}`,
        'Without it, the scenarios are not loaded there and time is not moved: only the steps that any',
        'gateway can take are taken, in real time.\n',
      ].join(' '),
    )
  return remote
}

/** Runs what calls the server's control API. Throws `CommandError` if it cannot be reached, or refuses. */
export async function reaching<Result>({ base }: TargetServer, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ControlRefusal)
      throw new CommandError(exitCodes.usage, `--base-url ${base}: ${refusalOf(error)}`)
    if (!(error instanceof Unreachable)) throw error
    throw new CommandError(exitCodes.usage, `--base-url ${base}: cannot be reached (${error.message})`)
  }
}

function refusalOf({ message, status }: ControlRefusal): string {
  return status === 401 ? `${message} Pass it with --token or in GATEWAY_SIM_CONTROL_TOKEN.` : message
}
