/** A job is polled on although the client was told that it has ended. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { hasJobs } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'
import { jobInPath, polledJob } from '../jobs.ts'
import type { Sighting } from '../observed-call.ts'

/** Another look at what has ended is nobody's loop. */
const loop = 3

export const polledAfterEnd: FindingKind = {
  id: 'polled-after-end',
  severity: 'warning',
  what: 'Went on polling a job that it had been told has succeeded or failed.',
  section: 'contract 3',
  remedy: 'Stop at every terminal state, at the failed one too; what has ended does not change any more.',
  example: 'a loop that waits for `completed` polls a video on that has `failed`',
  not: 'two more looks, polls of different callers, and looks with something else done to the job between them',
  on: hasJobs,
  watch({ jobs, found }) {
    const rows = new BoundedMap<readonly Sighting[]>({ count: 1000 })
    return {
      called(call) {
        const polled = polledJob(call)
        if (polled === undefined) {
          const named = jobInPath(call)
          // Reading the video or remixing it is something else, and may begin with a look.
          if (named !== undefined) rows.delete(`${call.caller} ${named.kind.resource} ${named.id}`)
          return
        }
        const { kind, id } = polled
        const job = jobs.find(kind, id)
        if (job?.end === undefined || job.toldBy === undefined || call.entry.status !== 200) return
        const key = `${call.caller} ${kind.resource} ${id}`
        const calls = [...(rows.get(key) ?? []), call.sighting]
        rows.set(key, calls.slice(0, 10))
        if (calls.length >= loop)
          found({
            subject: id,
            message: `The ${kind.noun} ${id} was polled again after the reply that said that it had ${job.end}.`,
            calls: [job.toldBy, ...calls],
          })
      },
    }
  },
}
