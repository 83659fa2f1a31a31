/**
 * Applies the planned faults to a reply, one after the other. Knows that each kind has its file, nothing
 * more.
 */
import type { Random } from '../../engine/random.ts'
import type { ApiError } from '../../protocol/errors.ts'
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import type { Reply, StreamEvent } from '../../protocol/reply.ts'
import { faultNamed } from './all.ts'
import type { Fault } from './fault.ts'

/** The reply with its faults. `renderError` is how the reply's family words an error inside a stream. */
export function applyFaults(
  reply: Reply,
  faults: readonly PlannedFault[],
  random: Random,
  renderError: (error: ApiError) => Omit<StreamEvent, 'after'>,
): Reply {
  const whole = eventsOf(reply)
  return faults.reduce((faulty, { kind, eventsBefore, ...options }, index) => {
    const fault = faultNamed(kind)
    // A fault of a stream means nothing to a plain reply.
    if (fault?.edit === undefined || (fault.part === 'stream' && faulty.body.kind !== 'events')) return faulty
    // Reserved values name only the options that they mean.
    const placed = fault
      .options()
      .parse({ ...options, ...placeOf(fault, eventsBefore, whole, eventsOf(faulty)) })
    return fault.edit(faulty, placed, { random: random.fork(`fault ${index}`), renderError })
  }, reply)
}

const eventsOf = ({ body }: Reply): readonly StreamEvent[] => (body.kind === 'events' ? body.events : [])

// A script names places among the events that it has said; faults before this one may have added some, or
// taken some away.
function placeOf(
  { place }: Fault,
  eventsBefore: number | undefined,
  whole: readonly StreamEvent[],
  now: readonly StreamEvent[],
): Record<string, number> {
  if (place === undefined || eventsBefore === undefined) return {}
  const [before, next] = [whole[eventsBefore - 1], whole[eventsBefore]]
  const at = next === undefined ? -1 : now.indexOf(next)
  const behind = before === undefined ? -1 : now.lastIndexOf(before)
  return { [place]: at >= 0 ? at : behind >= 0 ? behind + 1 : eventsBefore }
}
