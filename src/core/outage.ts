/**
 * A service that is away for a while (fault `refuse`): how a session remembers it, and what a call meets that
 * arrives then. Such a call never reaches the service: no rule hears of it, nothing counts it, nothing acts.
 */
import type { JournalEntry } from '../engine/journal-entry.ts'
import type { World } from '../engine/world.ts'
import type { IncomingCall } from '../protocol/call.ts'
import type { PlannedOutage } from '../protocol/plan.ts'
import type { Reply } from '../protocol/reply.ts'
import { clip } from '../protocol/wording.ts'
import type { Session } from '../sessions/sessions.ts'

/** The longest method and path that the journal holds of such a call. */
const longest = { method: 200, path: 2000 } as const

const until = 'outage until'
const callsLeft = 'outage calls left'

/** The service goes away; the call that was planned so counts as the first. */
export function beginOutage({ notes }: World, { ms, calls }: PlannedOutage, now: number): void {
  notes.set(until, now + ms)
  if (calls === undefined) notes.delete(callsLeft)
  else notes.set(callsLeft, calls - 1)
}

/** Whether the service is away for this call, which is counted. */
export function meetsOutage({ notes }: World, now: number): boolean {
  const end = notes.get(until)
  if (end === undefined) return false
  const left = notes.get(callsLeft)
  if (now >= end || left === 0) {
    notes.delete(until)
    notes.delete(callsLeft)
    return false
  }
  if (left !== undefined) notes.set(callsLeft, left - 1)
  return true
}

/** What becomes of a call that meets an outage: an entry in the journal, and no reply. */
export function resetExchange(
  session: Session,
  now: number,
  { method, path, headers, session: prefix }: IncomingCall,
  operation: string | undefined,
  key: string | undefined,
  realAt: number | undefined,
): { reply: Reply; session: Session; startedAt: number; entry: JournalEntry; bug: undefined } {
  const { world } = session
  const reply: Reply = { status: 0, headers: {}, body: { kind: 'none' }, wire: [{ kind: 'reset' }] }
  const entry = world.journal.add({
    at: now,
    realAt,
    session: world.name,
    requestId: '',
    operation,
    method: clip(method, longest.method),
    path: clip(path, longest.path),
    key,
    headers,
    prefix,
    status: 0,
    request: undefined,
    decidedBy: 'fault refuse',
    faults: [{ kind: 'refuse' }],
    bug: undefined,
  })
  return { reply, session, startedAt: now, entry, bug: undefined }
}
