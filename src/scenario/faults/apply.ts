/** Applies the planned faults to a reply, one after the other. Knows which file holds which fault, nothing more. */
import type { ApiError } from '../../protocol/errors.ts'
import type { PlannedFault } from '../../protocol/plan.ts'
import type { Reply, StreamEvent } from '../../protocol/reply.ts'
import { disconnect } from './disconnect.ts'
import { errorEvent } from './error-event.ts'
import { missingEnd } from './missing-end.ts'
import { stall } from './stall.ts'

/** The reply with its faults. `renderError` is how the reply's family words an error inside a stream. */
export function applyFaults(reply: Reply, faults: readonly PlannedFault[], renderError: (error: ApiError) => Omit<StreamEvent, 'after'>): Reply {
  // A fault of a stream means nothing to a plain reply.
  if (reply.body.kind !== 'events') return reply
  return faults.reduce((faulty, fault) => {
    switch (fault.kind) {
      case 'disconnect':
        return disconnect(faulty, fault)
      case 'stall':
        return stall(faulty, fault)
      case 'error-event':
        return errorEvent(faulty, fault, renderError)
      case 'missing-end':
        return missingEnd(faulty)
    }
  }, reply)
}
