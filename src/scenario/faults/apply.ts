/** Applies the planned faults to a reply, one after the other. */
import type { Random } from '../../engine/random.ts'
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import type { Reply, StreamEvent } from '../../protocol/reply.ts'
import { faultNamed } from './all.ts'
import type { RenderError } from './fault.ts'

/** The reply with its faults. `renderError` is how its API words an error inside a stream. */
export function applyFaults(
  reply: Reply,
  faults: readonly PlannedFault[],
  random: Random,
  renderError: RenderError,
): Reply {
  const original = eventsOf(reply)
  return faults.reduce((faulty, { kind, options, eventsBefore }, index) => {
    const fault = faultNamed(kind)
    const { body } = faulty
    if (fault === undefined) return faulty
    if (fault.part === 'stream' && body.kind !== 'events') return faulty
    if (fault.onlyJson !== undefined && body.kind !== 'json') return faulty
    const placed =
      eventsBefore === undefined
        ? options
        : { ...options, afterEvents: placeOf(eventsBefore, original, eventsOf(faulty)) }
    const edited: Reply =
      fault.events === undefined
        ? faulty
        : withEvents(faulty, fault.events(eventsOf(faulty), placed, renderError))
    const wire = fault.wire?.(placed, random.fork(`fault ${index}`))
    if (wire === undefined) return edited
    const wired: Reply = { ...edited, wire: [...(edited.wire ?? []), wire] }
    // A reply that never comes has no status.
    return wire.instead === undefined ? wired : { ...wired, status: 0, body: { kind: 'none' } }
  }, reply)
}

const withEvents = (reply: Reply, events: readonly StreamEvent[]): Reply => ({
  ...reply,
  body: { kind: 'events', events },
})

const eventsOf = ({ body }: Reply): readonly StreamEvent[] => (body.kind === 'events' ? body.events : [])

// A script names places among its own events; earlier faults may have added or removed some.
function placeOf(
  eventsBefore: number,
  original: readonly StreamEvent[],
  now: readonly StreamEvent[],
): number {
  const [before, next] = [original[eventsBefore - 1], original[eventsBefore]]
  const at = next === undefined ? -1 : now.indexOf(next)
  const behind = before === undefined ? -1 : now.lastIndexOf(before)
  return at >= 0 ? at : behind >= 0 ? behind + 1 : eventsBefore
}
