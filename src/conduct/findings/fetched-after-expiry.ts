/** A result is read when its address or its content has expired. */
import type { FindingKind } from '../finding.ts'
import { jobInPath } from '../jobs.ts'

export const fetchedAfterExpiry: FindingKind = {
  id: 'fetched-after-expiry',
  severity: 'warning',
  what: 'Asked for a result that was there once and has expired: the content of a video, or the address of a picture.',
  section: 'contract 8',
  remedy:
    'Read results soon after they are finished, and keep a copy of your own instead of their addresses.',
  example: 'the address of a generated picture is read 61 minutes after the reply that named it',
  not: 'a refusal that a rule, a fault or a reserved value has planned',
  on: ({ endpoint }) => endpoint.expires === true,
  watch: ({ found }) => ({
    ended(call) {
      const { status, reply, path } = call.entry
      if (status < 400 || call.isPlanned) return
      if (reply === undefined || !/\bexpired\b/.test(reply)) return
      const job = jobInPath(call)
      const what = job === undefined ? `The picture ${path}` : `The content of the ${job.kind.noun} ${job.id}`
      found({
        subject: path,
        message: `${what} was asked for after it had expired (${status}).`,
        calls: [call.sighting],
      })
    },
  }),
}
