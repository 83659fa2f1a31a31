/** A running simulator, as the commands that control it reach it. */
import { createCaller, remoteControls } from '../../client/remote.ts'
import { type ConnectOptions, ControlError, connect, type SimulatorClient } from '../../client.ts'
import { serverControls } from '../../control/table.ts'
import { formatDuration } from '../../engine/duration.ts'
import type { Problem } from '../../generated/control-types.ts'
import { didYouMean, expectedWords } from '../../protocol/nearest-word.ts'
import { at } from '../../sessions/controls/control.ts'
import { controls } from '../../sessions/controls/table.ts'
import { escapeControls } from '../../text/printable.ts'
import { type ArgsOf, CommandError, exitCodes, type Io, usageError } from '../command.ts'
import { type clientFlags, durationOf, simulatorUrlOf } from '../flags.ts'

export type ClientArgs = ArgsOf<typeof clientFlags>

/** Where a simulator is, and how to call its control API. */
export interface Target extends ConnectOptions {
  readonly url: string
  /** In real milliseconds. */
  readonly timeout: number
}

/** Throws `CommandError` for invalid flags. */
export function targetOf(args: Omit<ClientArgs, 'session'>, env: Io['env']): Target {
  const timeout = durationOf('--timeout', args.timeout) ?? 30_000
  return {
    url: simulatorUrlOf(args.baseUrl, env),
    token: args.controlToken ?? env['GATEWAY_SIM_CONTROL_TOKEN'],
    timeout,
    fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeout) }),
  }
}

/** The client of a session. */
export function clientOf(target: Target, session: string | undefined): SimulatorClient {
  return connect(target.url, { ...target, session })
}

/** The result of a request to the control API. Throws `CommandError` if it fails. */
export async function resultOf<T>(
  request: Promise<T>,
  { url, timeout }: Pick<Target, 'url' | 'timeout'>,
): Promise<T> {
  try {
    return await request
  } catch (error) {
    const { name, cause } = error as Error
    if (name === 'TimeoutError' || (cause as Error | undefined)?.name === 'TimeoutError')
      throw new CommandError(
        exitCodes.failed,
        `${url} did not respond within ${formatDuration(timeout)} (--timeout)`,
      )
    if (!(error instanceof ControlError)) throw error
    if (error.problem?.status === 400) throw usageError(allErrors(error.problem))
    throw new CommandError(exitCodes.failed, rejectionText(error), { cause: error })
  }
}

/** A rejection of the control API; for a missing or invalid token, with the flag for it. */
function rejectionText({ message, status }: { readonly message: string; readonly status: number }): string {
  const text = escapeControls(message)
  return status === 401 ? `${text} Pass it with --control-token or in GATEWAY_SIM_CONTROL_TOKEN.` : text
}

/** The errors of a request, one a line; `detail` counts all but the first. */
function allErrors({ detail, errors }: Problem): string {
  if (errors.length < 2) return escapeControls(detail)
  const lines = errors.map((one) => `${one.field === undefined ? '' : `${one.field}: `}${one.detail}`)
  return lines.map(escapeControls).join('\n  ')
}

/** Asks the session itself: behind a load balancer, the list of sessions can be that of another server. */
export async function hasSession({ name, health }: SimulatorClient, target: Target): Promise<boolean> {
  return name === 'default' || (await resultOf(health(), target)).session === name
}

/** How many sessions a message lists. */
const maxNames = 10

/** Throws `CommandError` if the session does not exist: a request about it would create it. */
export async function requireSession(client: SimulatorClient, target: Target): Promise<void> {
  if (await hasSession(client, target)) return
  const names = (await resultOf(client.sessions(), target)).map(({ name }) => name)
  const shown = names.length > maxNames ? [...names.slice(0, maxNames), '…'] : names
  const hint = didYouMean(client.name, names, expectedWords(shown))
  throw new CommandError(exitCodes.failed, `There is no session ${JSON.stringify(client.name)}: ${hint}`)
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value ?? null, null, 2)}\n`

/** Every control of a running simulator. */
export const allControls = { ...serverControls, ...controls }

/** The function of a control for a session. */
export function controlOf(
  { baseUrl }: SimulatorClient,
  target: Target,
  table: object,
  place: readonly string[],
): (...given: readonly unknown[]) => Promise<unknown> {
  return at(remoteControls(createCaller(baseUrl, target), table), place) as ReturnType<typeof controlOf>
}
