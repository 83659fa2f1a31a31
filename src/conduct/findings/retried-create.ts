/** A submission whose end the client did not see is sent again, and makes a second job. */
import { hasJobs } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'
import { watchOpenCreates } from '../open-creates.ts'

export const retriedCreate: FindingKind = {
  id: 'retried-create',
  severity: 'warning',
  what: 'Sent a submission again after a connection that broke, a time-out or an error that said nothing of the job, although the first one had made it: there are two now.',
  section: 'contract 7',
  remedy:
    'Do not let the client retry submissions by itself (`maxRetries: 0`); look in the list of videos first, or send an `idempotency-key`.',
  example: 'the connection of a video submission is reset behind the service; the SDK retries it by itself',
  not: 'a submission that made nothing, one with an `idempotency-key`, or a look at the list or at the job in between. Chat, messages and images make nothing that lasts: retrying them is fine',
  on: hasJobs,
  watch: ({ found }) =>
    watchOpenCreates(
      ({ entry }, id) =>
        entry.ended !== 'open' &&
        (entry.ended !== 'completed' ||
          entry.status === 0 ||
          (entry.status >= 400 && entry.reply?.includes(id) !== true)),
      (call, { kind, id, status, ended, isIdempotent, call: first }) => {
        if (isIdempotent || call.isIdempotent) return
        const end =
          ended === 'aborted'
            ? 'the client had left before the reply'
            : ended === 'cut' || status === 0
              ? 'its connection broke'
              : `it was answered with ${status}`
        found({
          subject: id,
          message: `The same ${kind.noun} was submitted twice: the first submission had made ${id} when ${end}, and nobody looked before the second.`,
          calls: [first, call.sighting],
        })
      },
    ),
}
