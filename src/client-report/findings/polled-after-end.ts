/** A job is still polled after its end. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { hasJobs } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'
import { jobInPath, polledJob } from '../jobs.ts'
import type { CallRef } from '../observed-call.ts'

/** A few more polls are not a loop. */
const loop = 3

export const polledAfterEnd: FindingKind = {
  id: 'polled-after-end',
  severity: 'warning',
  summary: 'Went on polling a job after a reply said that it had succeeded or failed.',
  section: 'contract 3',
  remedy: 'Stop at every terminal state, including failure: it does not change any more.',
  example: 'a loop that waits for `completed` keeps polling a video that has `failed`',
  exceptions: [
    'up to two more polls, polls by different callers, and polls with another call about the job in',
    'between',
  ].join(' '),
  on: hasJobs,
  watch({ jobs, report }) {
    const rows = new BoundedMap<readonly CallRef[]>({ count: 1000 })
    return {
      called(call) {
        const polled = polledJob(call)
        if (polled === undefined) {
          const named = jobInPath(call)
          // Reading or remixing the video may begin with a poll.
          if (named !== undefined) rows.delete(`${call.caller} ${named.kind.resource} ${named.id}`)
          return
        }
        const { kind, id } = polled
        const job = jobs.find(kind, id)
        if (job?.end === undefined || job.reportedBy === undefined || call.entry.status !== 200) return
        const key = `${call.caller} ${kind.resource} ${id}`
        const calls = [...(rows.get(key) ?? []), call.ref]
        rows.set(key, calls.slice(0, 10))
        if (calls.length >= loop)
          report({
            subject: id,
            message: `The ${kind.noun} ${id} was polled again after a reply said that it had ${job.end}.`,
            calls: [job.reportedBy, ...calls],
          })
      },
    }
  },
}
