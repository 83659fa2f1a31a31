/**
 * When a call came that cannot be answered at once, because something of it is still being read or loaded: it
 * counts from then, although the clock may be moved before its turn comes.
 */
import type { World } from '../engine/world.ts'
import { findKey } from '../protocol/auth.ts'
import type { IncomingCall } from '../protocol/call.ts'
import { isInternal, type Match } from '../protocol/router.ts'
import { defaultSession } from '../sessions/session-name.ts'
import { namedSession } from '../sessions/session-registry.ts'
import type { CoreParts } from './call-state.ts'

/** The session of a call as it was when the call came. */
export interface Arrival {
  readonly world: World
  /** Virtual milliseconds since the epoch; undefined on a `real` clock, which runs on meanwhile. */
  readonly at: number | undefined
}

/** The head of a call, which is known when it comes. */
export type CallHead = Pick<IncomingCall, 'session' | 'headers'>

/** Undefined where it makes no difference: for controls, and in a session that does not exist yet. */
export function arrivalOf(
  { fallback, sessions }: Pick<CoreParts, 'fallback' | 'sessions'>,
  head: CallHead,
  match: Match,
): Arrival | undefined {
  if (isInternal(match)) return undefined
  const group = (match.kind === 'found' ? match.route.group : match.group) ?? fallback
  const name = namedSession(head, findKey(head.headers, group.credentials))
  const world = (name === undefined ? sessions.get(defaultSession) : sessions.find(name))?.world
  if (world === undefined) return undefined
  return { world, at: world.clock.mode === 'real' ? undefined : world.clock.now() }
}

/** Whether the session has begun anew since the call came. */
export function wasReset({ world }: Arrival, sessions: CoreParts['sessions']): boolean {
  const now = sessions.find(world.name)?.world
  return now !== undefined && now !== world
}
