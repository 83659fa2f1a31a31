/** A job is polled in a tight loop. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import { hasJobs } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'
import { polledJob } from '../jobs.ts'
import type { CallRef } from '../observed-call.ts'

/**
 * The fifth poll shows that it is a loop; tests often poll a few times to see that nothing has changed.
 */
const loop = 4
/** Timers and network latency are not exact. */
const tolerance = 0.9

interface Row {
  readonly last: CallRef
  /** How many polls in a row came too soon. */
  readonly soon: number
  readonly calls: readonly CallRef[]
}

export const polledTooFast: FindingKind = {
  id: 'polled-too-fast',
  severity: 'warning',
  summary: [
    'Repeatedly polled a job sooner than advised (setting `clientReport.pollEvery`). Checked in the clock',
    'modes `real` and `manual`, by the virtual or real time between polls, whichever is longer.',
  ].join(' '),
  section: 'contract 6',
  remedy: [
    'Wait between polls, preferably with backoff: every poll counts against the rate limits of the key.',
  ].join(' '),
  example: 'a loop that polls a video every 250 ms',
  exceptions: [
    'up to four polls in quick succession, polls of different jobs, and any poll in `auto`, where no time',
    'passes',
  ].join(' '),
  on: hasJobs,
  watch({ mode, pollEvery, jobs, report }) {
    const rows = new BoundedMap<Row>({ count: 1000 })
    if (mode === 'auto') return {}
    return {
      called(call) {
        const polled = polledJob(call)
        if (polled === undefined) return
        const { kind, id } = polled
        const key = `${call.caller} ${kind.resource} ${id}`
        // Refused polls have rules of their own, and nobody waits for a job that has ended.
        if (call.entry.status !== 200 || jobs.find(kind, id)?.end !== undefined) return rows.delete(key)
        const row = rows.get(key)
        const last = call.ref
        if (row === undefined || call.hasWaitedFor(row.last) >= pollEvery * tolerance)
          return rows.set(key, { last, soon: 0, calls: [last] })
        const soon = row.soon + 1
        const calls = [...row.calls, last].slice(0, 10)
        rows.set(key, { last, soon, calls })
        if (soon >= loop)
          report({
            subject: id,
            message: [
              `The ${kind.noun} ${id} was polled ${soon + 1} times in a row, the last time`,
              `${formatDuration(call.since(row.last))} after the one before: expected`,
              `${formatDuration(pollEvery)} between polls.`,
            ].join(' '),
            calls,
          })
      },
    }
  },
}
