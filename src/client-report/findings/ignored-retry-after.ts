/** A refused request is repeated before its `retry-after` has passed. */

import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import type { FindingKind, Watch } from '../finding.ts'
import type { CallRef, ObservedCall } from '../observed-call.ts'

/** Timers are not exact. */
const tolerance = 0.95
/** Real milliseconds in which a request may already have been on its way when the refusal came. */
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
    'a different request or key; a request that may have been on its way already (over HTTP, within a',
    'quarter of a second, unless an SDK marks it as a retry); in `manual`, automatic retries of an SDK',
    '(`x-stainless-retry-count`); anything in `auto`, where no time passes',
  ].join(' '),
  watch({ mode, report }) {
    const refusals = new BoundedMap<Refused>({ count: 1000 })
    /** When the last wait ends, in virtual time. */
    let waitsEndAt = 0
    if (mode === 'auto') return {}
    const hasWaited = (call: ObservedCall, { call: first, wait }: Refused): boolean =>
      call.hasWaitedFor(first) >= wait * tolerance
    const watch: Watch = {
      isIdle: true,
      called(call) {
        // Requests are compared only while some wait is running.
        if (call.entry.at >= waitsEndAt) {
          watch.isIdle = true
          return refusals.clear()
        }
        const fingerprint = call.fingerprint
        const refused = fingerprint === undefined ? undefined : refusals.get(fingerprint)
        if (fingerprint === undefined || refused === undefined) return
        if (!hasWaited(call, refused)) {
          // An SDK sleeps by real timers, which do not follow the test's virtual clock.
          if (mode === 'manual' && call.isRetryOfSdk) return
          // A client that keeps repeating is reported a little later.
          if (!call.isRetryOfSdk && call.isOverSocket && call.isWithin(onItsWay, refused.call)) return
          report({
            subject: call.entry.operation ?? call.path,
            message: [
              `${call.entry.operation ?? call.path} was called again`,
              `${formatDuration(call.since(refused.call))} after a ${refused.status} that asked for`,
              `${formatDuration(refused.wait)}.`,
            ].join(' '),
            calls: [refused.call, call.ref],
          })
        }
        refusals.delete(fingerprint)
      },
      // Only now does the client know of the refusal.
      ended(call) {
        const wait = call.entry.refusal?.retryAfterMs
        if (wait === undefined || call.entry.ended !== 'completed') return
        const fingerprint = call.fingerprint
        if (fingerprint === undefined) return
        const before = refusals.get(fingerprint)
        // Of several concurrent refusals the first one counts.
        if (before === undefined || hasWaited(call, before)) {
          refusals.set(fingerprint, { call: call.ref, status: call.entry.status, wait })
          waitsEndAt = Math.max(waitsEndAt, call.entry.at + wait)
          watch.isIdle = false
        }
      },
    }
    return watch
  },
}
