/** Applies the planned faults to a reply, one after the other. Knows that each kind has its file, nothing more. */
import type { Random } from '../../engine/random.ts'
import type { ApiError } from '../../protocol/errors.ts'
import type { PlannedFault } from '../../protocol/plan-fault.ts'
import type { Reply, StreamEvent } from '../../protocol/reply.ts'
import { faultNamed } from './all.ts'

/** The reply with its faults. `renderError` is how the reply's family words an error inside a stream. */
export function applyFaults(reply: Reply, faults: readonly PlannedFault[], random: Random, renderError: (error: ApiError) => Omit<StreamEvent, 'after'>): Reply {
  return faults.reduce((faulty, { kind, ...options }, index) => {
    const fault = faultNamed(kind)
    // A fault of a stream means nothing to a plain reply.
    if (fault?.edit === undefined || (fault.part === 'stream' && faulty.body.kind !== 'events')) return faulty
    return fault.edit(faulty, options, { random: random.fork(`fault ${index}`), renderError })
  }, reply)
}
