/** The requests that breakpoints of a running simulator hold, for `watch`, `journal` and `clock`. */

import type { SimulatorClient } from '../../client.ts'
import { defined } from '../../engine/fields.ts'
import type { BreakpointState, LiveCall } from '../../generated/control-types.ts'
import { controlPrefix } from '../../protocol/paths.ts'
import { escapeControls } from '../../text/printable.ts'
import { createHoldLines } from '../held-requests.ts'
import type { Target } from './control.ts'

type Held = BreakpointState['held'][number]

const rootOf = (url: string): string => url.replace(/\/s\/[^/]+$/, '')

export const controlUrlOf = ({ url }: Target): string => `${rootOf(url)}${controlPrefix}`

const isWaiting = ({ clientLeft }: Held): boolean => !clientLeft

/** The breakpoints and held requests of all sessions; none of a server that does not list them. */
export async function allStopsOf(
  { name }: SimulatorClient,
  { url, token, fetch: send = fetch }: Target,
): Promise<BreakpointState> {
  // The name in the path leads a load balancer to the server of the session.
  const home = name === 'default' ? '' : `/s/${encodeURIComponent(name)}`
  const response = await send(`${rootOf(url)}${home}${controlPrefix}/breakpoints`, {
    headers: defined({ 'x-sim-token': token }),
  }).catch(() => undefined)
  if (response?.ok !== true) return { breakpoints: [], held: [] }
  return (await response.json()) as BreakpointState
}

/** The requests of a session that are held. */
export async function heldOf(client: SimulatorClient, target: Target): Promise<readonly Held[]> {
  const { held } = await allStopsOf(client, target)
  return held.filter((one) => one.session === client.name && isWaiting(one))
}

/** ` held by breakpoint-1`, for a request that is held. */
export function heldMark(held: readonly Held[], { session, seq }: Pick<LiveCall, 'session' | 'seq'>): string {
  const found = held.find((one) => one.session === session && one.seq === seq)
  return found === undefined ? '' : escapeControls(` held by ${found.breakpoint}`)
}

/** Follows the event `breakpoints` of the feed, for all sessions or one. */
export function createHeldRequests(target: Target, only: string | undefined) {
  const session = only ?? /\/s\/([^/]+)$/.exec(target.url)?.[1]
  const lineOf = createHoldLines(controlUrlOf(target))
  let held: readonly Held[] = []
  return {
    get now() {
      return held
    },
    /** The lines that say what has changed. */
    update(state: BreakpointState): string[] {
      const all = state.held.filter((one) => session === undefined || one.session === session)
      const before = held
      held = all.filter(isWaiting)
      const gone = before.filter(({ id }) => !held.some((one) => one.id === id))
      const lines = gone.map((one) => lineOf(one, all.some(({ id }) => id === one.id) ? 'left' : 'continue'))
      const added = held.filter(({ id }) => !before.some((one) => one.id === id))
      return [...lines, ...added.map((one) => lineOf(one, 'held'))].filter((line) => line !== undefined)
    },
  }
}
