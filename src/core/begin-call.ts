/** Where a call belongs, and the state with which it begins. */
import { hashKey } from '../engine/hash.ts'
import { mintId } from '../engine/ids.ts'
import { randomFrom } from '../engine/random.ts'
import { findKey } from '../protocol/auth.ts'
import type { IncomingCall } from '../protocol/call.ts'
import { ApiError } from '../protocol/errors.ts'
import { defaultPlan } from '../protocol/plan.ts'
import type { Reply } from '../protocol/reply.ts'
import type { Match } from '../protocol/router.ts'
import { defaultSession } from '../sessions/session-name.ts'
import type { Session } from '../sessions/sessions.ts'
import type { CallState, CoreParts, Place } from './call-state.ts'
import { readInput } from './input.ts'

const noReply: Reply = { status: 0, headers: {}, body: { kind: 'none' } }
const noParams: Readonly<Record<string, string>> = {}

/** Finds route, key and session of a call. */
export function findPlace(call: IncomingCall, match: Match, parts: CoreParts): Place {
  const found = match.kind === 'found'
  const route = found ? match.route : undefined
  const group = (found ? match.route.group : match.group) ?? parts.fallback
  const params = found ? match.params : noParams
  const key = findKey(call.headers, group.credentials)
  let session: Session
  let sessionError: ApiError | undefined
  try {
    session = parts.sessions.resolve(call, key, route?.endpoint, params)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    sessionError = error
    session = parts.sessions.get(defaultSession)
  }
  const now = session.world.clock.now()
  const realAt = parts.wall?.()
  return { call, match, parts, route, group, params, key, session, sessionError, now, realAt }
}

/** The state of a call that is to be answered: it is counted, and gets the sources of its chance. */
export function beginCall(place: Place): CallState {
  const { call, match, parts, route, group, params, key, session, sessionError, now, realAt } = place
  const { world } = session
  const { payload, contentKey, identityKey } = readInput(place)
  const nth = world.seen(hashKey(identityKey))
  const identity = randomFrom(`identity ${nth}`, identityKey)
  // What was recorded by nobody, or by what is no call, does not belong to this one.
  if (!world.store.transitions.isEmpty) world.store.beginCall()
  return {
    call,
    match,
    parts,
    route,
    group,
    params,
    key,
    session,
    sessionError,
    now,
    realAt,
    world,
    settings: session.settings ?? parts.settings,
    director: session.rules.director ?? parts.director,
    payload,
    contentKey,
    identity,
    requestId: mintId('req_', world.tag, identity),
    nth,
    facts: undefined,
    plan: defaultPlan,
    rulesAsked: false,
    unmatched: false,
    reply: noReply,
    headers: {},
    refusal: undefined,
    violations: undefined,
    bug: undefined,
    faults: undefined,
  }
}
