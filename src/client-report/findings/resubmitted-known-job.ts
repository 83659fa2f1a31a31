/** A job is submitted again although the refusal named the existing one. */
import { hasJobs } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'
import { watchOpenCreates } from '../open-creates.ts'

export const resubmittedKnownJob: FindingKind = {
  id: 'resubmitted-known-job',
  severity: 'error',
  summary: 'Submitted the same job again after a 424 or 500 that named the job it had created.',
  section: 'contract 7',
  remedy: 'Take the id from the refusal and query that job; submit again only when it has failed.',
  example: [
    'a submission of an image job is answered with 424, code 2002, and the id of its job; the client',
    'sends the same submission again',
  ].join(' '),
  exceptions: 'a refusal that names no job, a poll of the named job in between, or another submission',
  on: hasJobs,
  watch: ({ report }) =>
    watchOpenCreates(
      ({ entry }, id) =>
        entry.status >= 400 && entry.ended === 'completed' && entry.reply?.includes(id) === true,
      (call, { kind, id, status, call: first }) =>
        report({
          subject: id,
          message: [
            `The same ${kind.noun} was submitted again after a ${status} that named ${id}, which exists`,
            `and goes on: query ${kind.pollAddress(id)} instead.`,
          ].join(' '),
          calls: [first, call.ref],
        }),
    ),
}
