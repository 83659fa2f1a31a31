/** A refused request is repeated before its `retry-after` has passed. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import type { FindingKind, Watch } from '../finding.ts'
import type { CallRef, ObservedCall } from '../observed-call.ts'

/** Timers are not exact. */
const tolerance = 0.95
/** A request this soon after a refusal may have been on its way already; real milliseconds. */
const onItsWay = 250

interface Refused {
  readonly call: CallRef
  readonly status: number
  readonly wait: number
}

export const ignoredRetryAfter: FindingKind = {
  id: 'ignored-retry-after',
  severity: 'error',
  summary: [
    'Repeated a refused request before its `retry-after` had passed. Checked in the clock modes `real`',
    'and `manual`, by virtual or real time, whichever is longer.',
  ].join(' '),
  section: 'contract 7',
  remedy: 'Wait for `retry-after-ms` or `retry-after` before sending the same request again.',
  example: 'a 429 with `retry-after: 20`, and the same request again a second later',
  exceptions: [
    'another request, the same one with another key, one that may have been on its way already (over',
    'HTTP, within a quarter of a second, unless an SDK marks it as a retry), in `manual` one that an SDK',
    'repeats by itself (`x-stainless-retry-count`), and any in `auto`, where no time passes',
  ].join(' '),
  watch({ mode, report }) {
    const refusals = new BoundedMap<Refused>({ count: 1000 })
    /** When the last wait is over, in virtual time. */
    let waitsEndAt = 0
    if (mode === 'auto') return {}
    const hasWaited = (call: ObservedCall, { call: first, wait }: Refused): boolean =>
      call.waited(first) >= wait * tolerance
    const watch: Watch = {
      isIdle: true,
      called(call) {
        // Requests are compared as long as somebody waits, and no longer.
        if (call.entry.at >= waitsEndAt) {
          watch.isIdle = true
          return refusals.clear()
        }
        const print = call.print
        const refused = print === undefined ? undefined : refusals.get(print)
        if (print === undefined || refused === undefined) return
        if (!hasWaited(call, refused)) {
          // An SDK naps by timers of its own, which the test that moves the clock may have let go without it.
          if (mode === 'manual' && call.isRetryOfSdk) return
          // Whoever hammers on is told so a little later.
          if (!call.isRetryOfSdk && call.isOverSocket && call.isWithin(onItsWay, refused.call)) return
          report({
            subject: call.entry.operation ?? call.path,
            message: [
              `${call.entry.operation ?? call.path} was called again`,
              `${formatDuration(call.since(refused.call))} after a ${refused.status} that asked for`,
              `${formatDuration(refused.wait)}.`,
            ].join(' '),
            calls: [refused.call, call.sighting],
          })
        }
        refusals.delete(print)
      },
      // Only now does the client know: what came before was on its way already.
      ended(call) {
        const wait = call.entry.refusal?.retryAfterMs
        if (wait === undefined || call.entry.ended !== 'completed') return
        const print = call.print
        if (print === undefined) return
        const before = refusals.get(print)
        // Of several that were on their way together the first one counts.
        if (before === undefined || hasWaited(call, before)) {
          refusals.set(print, { call: call.sighting, status: call.entry.status, wait })
          waitsEndAt = Math.max(waitsEndAt, call.entry.at + wait)
          watch.isIdle = false
        }
      },
    }
    return watch
  },
}
