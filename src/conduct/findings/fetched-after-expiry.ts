/** A result is read when its address or its content has expired. */
import type { FindingKind } from '../finding.ts'
import { videoInPath } from '../jobs.ts'

export const fetchedAfterExpiry: FindingKind = {
  id: 'fetched-after-expiry',
  severity: 'warning',
  what: 'Asked for a result that was there once and has expired: the content of a video, or the address of a picture.',
  section: 'contract 8',
  remedy:
    'Read results soon after they are finished, and keep a copy of your own instead of their addresses.',
  example: 'the address of a generated picture is read 61 minutes after the reply that named it',
  not: 'a refusal that a rule, a fault or a reserved value has planned',
  on: ['videos.content', 'images.readImage'],
  watch: ({ found }) => ({
    ended(call) {
      const { operation, status, reply, path } = call.entry
      if (status < 400 || call.isPlanned) return
      if (reply === undefined || !/\bexpired\b/.test(reply)) return
      const what =
        operation === 'videos.content'
          ? `The content of the video ${videoInPath(call) ?? path}`
          : `The picture ${path}`
      found({
        subject: path,
        message: `${what} was asked for after it had expired (${status}).`,
        calls: [call.sighting],
      })
    },
  }),
}
