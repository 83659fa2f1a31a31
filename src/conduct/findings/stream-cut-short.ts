/** A client leaves while it is being answered. */
import type { FindingKind } from '../finding.ts'
import { readSaid } from '../stream-text.ts'

export const streamCutShort: FindingKind = {
  id: 'stream-cut-short',
  severity: 'hint',
  what: 'Left a stream before it had said how it ends: what was produced is billed all the same.',
  section: 'contract 6',
  remedy:
    'Read streams to their end, or ask for less (`max_completion_tokens`, `stop`); leaving is right when a user wants it so.',
  example: 'a loop over the events of a chat breaks off after the third',
  not: 'leaving after the last words have come, without waiting for `[DONE]`, and leaving a stream that a fault holds up',
  watch: ({ found }) => ({
    isIdle: true,
    ended(call) {
      const { entry } = call
      if (entry.ended !== 'aborted' || entry.faults.length > 0) return
      const said = readSaid(entry.reply)
      if (said === undefined || said.isFinished) return
      found({
        subject: entry.requestId,
        message: `The client left the stream of ${entry.operation ?? call.path} after ${entry.events} event${entry.events === 1 ? '' : 's'}, before its end.`,
        calls: [call.sighting],
      })
    },
  }),
}
