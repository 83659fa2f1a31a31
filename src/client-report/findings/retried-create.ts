/** A submission is retried although it may have succeeded, and creates a second job. */
import { hasJobs } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'
import { watchOpenCreates } from '../open-creates.ts'

export const retriedCreate: FindingKind = {
  id: 'retried-create',
  severity: 'warning',
  summary: [
    'Retried a submission after a broken connection, a timeout or an error without a job id, although the',
    'first one had created a job: now there are two.',
  ].join(' '),
  section: 'contract 7',
  remedy: [
    'Disable automatic retries of submissions (`maxRetries: 0`); check the list of videos first, or',
    'send an `idempotency-key`.',
  ].join(' '),
  example: [
    'the connection of a video submission is reset after the service has acted; the SDK retries it',
    'automatically',
  ].join(' '),
  exceptions: [
    'a submission that created nothing, one with an `idempotency-key`, or a query of the list or the job',
    'in between. Chat, messages and images create nothing that lasts: retrying them is fine',
  ].join(' '),
  on: hasJobs,
  watch: ({ report }) =>
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
        report({
          subject: id,
          message: [
            `The same ${kind.noun} was submitted twice: the first submission had created ${id} when`,
            `${end}, and it was not queried before the second.`,
          ].join(' '),
          calls: [first, call.ref],
        })
      },
    ),
}
