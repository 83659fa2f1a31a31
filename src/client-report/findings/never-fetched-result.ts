/** A finished video is never read. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { hasJobs } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'
import { jobInPath } from '../jobs.ts'

export const neverFetchedResult: FindingKind = {
  id: 'never-fetched-result',
  severity: 'warning',
  summary: 'Learned that a video is completed, but never read its content, remixed or deleted it.',
  section: 'contract 4.6',
  remedy: 'Download `GET /v1/videos/{video_id}/content` once the status is completed, before `expires_at`.',
  example: 'a client polls a video until it is `completed` and does nothing more',
  exceptions: [
    'a video that the client did not see completed, a failed one, one that was remixed or deleted. Image',
    'URLs may be read by anybody, and operations contain their videos: they are not checked',
  ].join(' '),
  on: hasJobs,
  watch({ jobs }) {
    const used = new BoundedMap<true>({ count: 10_000 })
    return {
      called(call) {
        const { endpoint } = call.operation ?? {}
        if (endpoint?.polls !== undefined) return
        const job = jobInPath(call)
        // A failed attempt counts as well: other findings report those.
        if (job !== undefined && (endpoint?.method !== 'DELETE' || call.entry.status < 300))
          used.set(job.id, true)
      },
      finish() {
        const unread = [...jobs.all()].filter(
          ({ kind, id, end }) =>
            kind.resultExpires === true && end === 'succeeded' && used.get(id) === undefined,
        )
        return unread.map(({ kind, id, reportedBy }) => ({
          subject: id,
          message: `The ${kind.noun} ${id} was seen completed, and its content was never read.`,
          calls: reportedBy === undefined ? [] : [reportedBy],
        }))
      },
    }
  },
}
