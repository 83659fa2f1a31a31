/** A stream is neither read to its end nor cancelled. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import type { FindingKind } from '../finding.ts'
import type { CallRef } from '../observed-call.ts'

export const streamLeftOpen: FindingKind = {
  id: 'stream-left-open',
  severity: 'hint',
  summary: [
    'Had neither read a stream to its end nor cancelled it when the report was made. Checked in the clock',
    'mode `manual` only: otherwise it may still be being read.',
  ].join(' '),
  section: 'contract 6',
  remedy: 'Read the stream to its end, or cancel it: an open stream holds a connection.',
  example: 'a test starts a stream on a `manual` clock, looks at its first event and ends',
  exceptions: 'a stream that has ended or was cancelled, and one that a fault holds up',
  watch({ mode }) {
    const open = new BoundedMap<{ readonly call: CallRef; readonly operation: string; events(): number }>({
      count: 1000,
    })
    if (mode !== 'manual') return {}
    return {
      called(call) {
        const { entry } = call
        if (call.isStream && entry.faults.length === 0)
          open.set(String(entry.seq), {
            call: call.ref,
            operation: entry.operation ?? call.path,
            events: () => entry.events,
          })
      },
      ended({ entry }) {
        if (open.count > 0) open.delete(String(entry.seq))
      },
      finish: () =>
        [...open.values()].map(({ call, operation, events }) => ({
          subject: call.requestId,
          message: [
            `The stream of ${operation} is still open after ${events()}`,
            `event${events() === 1 ? '' : 's'}: it was neither read to its end nor cancelled.`,
          ].join(' '),
          calls: [call],
        })),
    }
  },
}
