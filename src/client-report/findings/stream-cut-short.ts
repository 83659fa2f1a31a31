/** A client disconnects before the end of a stream. */
import type { FindingKind } from '../finding.ts'
import { readStream } from '../stream-text.ts'

export const streamCutShort: FindingKind = {
  id: 'stream-cut-short',
  severity: 'hint',
  summary: 'Disconnected before the finish reason of a stream: what was generated is billed all the same.',
  section: 'contract 6',
  remedy: [
    'Read streams to their end, or ask for less (`max_completion_tokens`, `stop`); cancelling is fine',
    'if the user wants it.',
  ].join(' '),
  example: 'a loop over the events of a chat stream stops after the third',
  exceptions: [
    'disconnecting after the finish reason without waiting for `[DONE]`, and disconnecting from a stream',
    'that a fault holds up',
  ].join(' '),
  watch: ({ report }) => ({
    isIdle: true,
    ended(call) {
      const { entry } = call
      if (entry.ended !== 'aborted' || entry.faults.length > 0) return
      const streamed = readStream(entry.reply)
      if (streamed === undefined || streamed.isFinished) return
      report({
        subject: entry.requestId,
        message: [
          `The client left the stream of ${entry.operation ?? call.path} after ${entry.events}`,
          `event${entry.events === 1 ? '' : 's'}, before its end.`,
        ].join(' '),
        calls: [call.ref],
      })
    },
  }),
}
