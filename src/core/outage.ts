/**
 * A service that is away for a while (fault `refuse`): how a session remembers it, and what becomes of a call
 * that arrives then. Such a call never reaches the service: no rule sees it, nothing counts it, nothing acts.
 */
import type { World } from '../engine/world.ts'
import type { PlannedOutage } from '../protocol/plan.ts'
import type { Reply } from '../protocol/reply.ts'
import { clip } from '../protocol/wording.ts'
import type { AnsweredCall, Place } from './call-state.ts'

/** The service goes away; the call that was planned so counts as the first. */
export function beginOutage(world: World, { ms, calls }: PlannedOutage, now: number): void {
  world.outage = { until: now + ms, callsLeft: calls === undefined ? undefined : calls - 1 }
}

/** Whether the service is away for this call, which is counted. */
export function isAway({ group, session: { world }, now }: Place): boolean {
  const { outage } = world
  if (outage === undefined || group.internal === true) return false
  if (now >= outage.until || outage.callsLeft === 0) {
    world.outage = undefined
    return false
  }
  if (outage.callsLeft !== undefined) outage.callsLeft--
  return true
}

/** What becomes of a call that meets an outage: an entry in the journal, and no reply. */
export function resetExchange({ call, route, key, session, now, realAt }: Place): AnsweredCall {
  const { world } = session
  const { method, path, headers, session: prefix } = call
  const reply: Reply = { status: 0, headers: {}, body: { kind: 'none' }, wire: [{ instead: 'reset' }] }
  const entry = world.journal.add({
    at: now,
    realAt,
    session: world.name,
    requestId: '',
    operation: route?.endpoint.operation,
    method: clip(method, 200),
    path: clip(path, 2000),
    key,
    headers,
    prefix,
    status: 0,
    request: undefined,
    decidedBy: 'fault refuse',
    faults: [{ kind: 'refuse' }],
    bug: undefined,
  })
  return { reply, headers: {}, session, startedAt: now, entry, bug: undefined }
}
