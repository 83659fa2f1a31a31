/** An edit of an image job uses another key than the job. */
import type { FindingKind } from '../finding.ts'

export const otherKeyThanSource: FindingKind = {
  id: 'other-key-than-source',
  severity: 'error',
  summary: 'Started an edit of an image job with another API key than the one that submitted the job.',
  section: 'contract 5',
  remedy: 'Store the key together with the job id, and use the key of the source job for pan and variation.',
  example: 'a job is submitted with one key and varied with another',
  exceptions: 'edits with the same key, and edits of jobs that are unknown to the session',
  on: ({ endpoint: { submits, idsIn } }) => submits !== undefined && idsIn?.body !== undefined,
  watch: ({ jobs, report }) => ({
    called(call) {
      const { submits: kind, idsIn } = call.operation?.endpoint ?? {}
      const id = call.body[idsIn?.body?.[0] ?? '']
      if (kind === undefined || typeof id !== 'string') return
      const owner = jobs.find(kind, id)?.caller
      // Without a key the call is refused for that.
      if (owner === undefined || call.caller === '' || owner === call.caller) return
      report({
        subject: id,
        message: [
          `${call.entry.operation} of the ${kind.noun} ${id} was sent with the key`,
          `${call.entry.key ?? ''} (caller ${call.caller}); caller ${owner} had submitted the job.`,
        ].join(' '),
        calls: [call.ref],
      })
    },
  }),
}
