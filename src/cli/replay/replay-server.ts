/** The server that `gateway-sim replay --base-url` names, and the keys for it. */
import { parseDuration } from '../../engine/duration.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { type ControlAccess, ControlRefusal, probe, type Remote } from '../../replay/remote.ts'
import type { GivenKeys } from '../../replay/replay-remote.ts'
import { firstKeyOf } from '../../replay/replay-scenario.ts'
import type { Scenario } from '../../scenario/load/load-scenario.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'

export interface ServerFlags {
  readonly baseUrl: string | undefined
  readonly apiKeys: readonly string[]
  /** As written. */
  readonly limit: unknown
  readonly token: string | undefined
  readonly controlPrefix: string | undefined
}

export interface Server {
  /** Without a trailing slash, and without `/v1`. */
  readonly base: string
  /** Real milliseconds. */
  readonly limit: number
  /** How its control API is reached, should it be a simulator. */
  readonly control: ControlAccess
}

const defaultLimit = 300_000

/**
 * The server of the flags and the environment; undefined for a replay in-process. Throws `CommandError` for
 * flags that cannot be.
 */
export function serverOf(
  { baseUrl, apiKeys, limit: written, token, controlPrefix }: ServerFlags,
  env: Io['env'],
): Server | undefined {
  const refuse = (message: string): never => {
    throw new CommandError(exitCodes.usage, message)
  }
  const limit = written === undefined ? defaultLimit : (parseDuration(written) ?? 0)
  if (limit === 0) refuse(`--limit: expected a duration such as 30s or 10m, got ${JSON.stringify(written)}`)
  if (apiKeys.some((key) => key.trim() === '')) refuse('--api-key: expected KEY or NAME=KEY, got nothing')
  if (baseUrl === undefined) {
    if (apiKeys.length > 0) refuse('--api-key needs --base-url: in-process, the keys are those of the file')
    if (written !== undefined)
      refuse('--limit needs --base-url: in-process, time is virtual and `until` has a limit of its own')
    if (token !== undefined) refuse('--token needs --base-url: in-process, the clock is moved without one')
    if (controlPrefix !== undefined)
      refuse('--control-prefix needs --base-url: in-process, nothing is called there')
    return undefined
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  )
    return refuse(`--base-url: expected an address such as https://gateway.example, got ${baseUrl}`)
  // SDKs want it with /v1; the paths of operations hold it.
  return {
    base: (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, ''),
    limit,
    control: { token: token ?? env['GATEWAY_SIM_CONTROL_TOKEN'], prefix: controlPrefix },
  }
}

/** Sorts out `KEY` and `NAME=KEY`. Throws `CommandError` for a name that no scenario has. */
export function keysFor(apiKeys: readonly string[], scenarios: readonly Scenario[]): GivenKeys {
  const names = [
    ...new Set(
      scenarios.flatMap((scenario) => [
        ...Object.keys(scenario.written.account?.keys ?? {}),
        firstKeyOf(scenario),
      ]),
    ),
  ]
  const byName = new Map<string, string>()
  let first: string | undefined
  for (const written of apiKeys) {
    const name = names.find((known) => written.startsWith(`${known}=`))
    if (name !== undefined) {
      byName.set(name, written.slice(name.length + 1))
      continue
    }
    // At its end a key may have `=` of its own.
    const meant = /^([^=]+)=[^=]/.exec(written)?.[1]
    if (meant !== undefined)
      throw new CommandError(
        exitCodes.usage,
        `--api-key: no scenario has a key ${meant}: ${nearestWord(meant, names) === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${nearestWord(meant, names)}?`}`,
      )
    first = written
  }
  return { first, byName }
}

/** What answers there. Throws `CommandError` when nothing does, or when it wants keys and there is none. */
export async function serverAt({ base, limit, control }: Server, hasKeys: boolean): Promise<Remote> {
  let remote: Remote
  try {
    remote = await probe(base, limit, control)
  } catch (error) {
    if (error instanceof ControlRefusal)
      throw new CommandError(
        exitCodes.usage,
        `--base-url ${base}: ${error.message}${error.status === 401 ? ' Give it as --token, or in GATEWAY_SIM_CONTROL_TOKEN.' : ''}`,
      )
    const { cause } = error as { readonly cause?: unknown }
    const why =
      cause instanceof Error && cause.message !== ''
        ? cause.message
        : error instanceof Error
          ? error.message
          : String(error)
    throw new CommandError(exitCodes.usage, `--base-url ${base}: nothing answers there (${why})`)
  }
  if (remote.simulator === undefined && !hasKeys)
    throw new CommandError(
      exitCodes.usage,
      `--base-url ${base}: this is no gateway-sim and wants a key: add --api-key KEY`,
    )
  return remote
}
