/** A result is read after its URL or its content has expired. */
import type { FindingKind } from '../finding.ts'
import { jobInPath } from '../jobs.ts'

export const fetchedAfterExpiry: FindingKind = {
  id: 'fetched-after-expiry',
  severity: 'warning',
  summary: 'Requested a result that has expired: the content of a video, or the URL of an image.',
  section: 'contract 8',
  remedy: 'Download results soon after they are finished, and keep a copy instead of the URL.',
  example: 'the URL of a generated image is read 61 minutes after the reply that contained it',
  exceptions: 'a refusal caused by a rule, a fault or a reserved value',
  on: ({ endpoint }) => endpoint.expires === true,
  watch: ({ report }) => ({
    ended(call) {
      const { status, reply, path } = call.entry
      if (status < 400 || call.isPlanned) return
      if (reply === undefined || !/\bexpired\b/.test(reply)) return
      const job = jobInPath(call)
      const what = job === undefined ? `The image ${path}` : `The content of the ${job.kind.noun} ${job.id}`
      report({
        subject: path,
        message: `${what} was requested after it had expired (${status}).`,
        calls: [call.ref],
      })
    },
  }),
}
