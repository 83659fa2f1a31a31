/** An edit of an image job comes with another key than the job. */
import type { FindingKind } from '../finding.ts'

export const otherKeyThanSource: FindingKind = {
  id: 'other-key-than-source',
  severity: 'error',
  what: 'Started an edit of an image job with another API key than the one that submitted the job.',
  section: 'contract 5',
  remedy: 'Keep the key beside the job id, and send pan and variation with the key of the source job.',
  example: 'a job is submitted with one key and varied with another',
  not: 'edits with the same key, and edits of jobs that the session does not know',
  on: ['imageJobs.pan', 'imageJobs.variation'],
  watch: ({ jobs, found }) => ({
    called(call) {
      const { jobId } = call.body
      const owner = typeof jobId === 'string' ? jobs.find('imageJob', jobId)?.caller : undefined
      // Without a key the call is refused for that.
      if (owner === undefined || call.caller === '' || owner === call.caller) return
      found({
        subject: String(jobId),
        message: `${call.entry.operation} of the image job ${String(jobId)} was sent with the key ${call.entry.key ?? ''} (caller ${call.caller}); caller ${owner} had submitted the job.`,
        calls: [call.sighting],
      })
    },
  }),
}
