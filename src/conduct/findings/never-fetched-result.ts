/** A finished video is paid for and never read. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import type { FindingKind } from '../finding.ts'
import { videoInPath } from '../jobs.ts'

export const neverFetchedResult: FindingKind = {
  id: 'never-fetched-result',
  severity: 'warning',
  what: 'Was told that a video is completed, and never read its content, remixed or deleted it.',
  section: 'contract 4.6',
  remedy: 'Download `GET /v1/videos/{video_id}/content` once the status is completed, before `expires_at`.',
  example: 'a client polls a video to `completed` and goes away',
  not: 'a video that nobody was told of, a failed one, one that was remixed or deleted. The addresses of pictures may be read by anybody, and operations bring their films along: nothing is said of them',
  on: ['videos.*'],
  watch({ jobs }) {
    const used = new BoundedMap<true>({ count: 10_000 })
    return {
      called(call) {
        const { operation, status } = call.entry
        // What was refused or broken was tried: other findings judge that.
        if (
          operation === 'videos.content' ||
          operation === 'videos.remix' ||
          (operation === 'videos.delete' && status < 300)
        ) {
          const id = videoInPath(call)
          if (id !== undefined) used.set(id, true)
        }
      },
      finish() {
        const unread = [...jobs.all()].filter(
          ({ kind, id, end }) => kind === 'video' && end === 'succeeded' && used.get(id) === undefined,
        )
        return unread.map(({ id, toldBy }) => ({
          subject: id,
          message: `The video ${id} was seen completed, and its content was never read.`,
          calls: toldBy === undefined ? [] : [toldBy],
        }))
      },
    }
  },
}
