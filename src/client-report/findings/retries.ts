/** How soon, and how often, clients send a failed request again. */
import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import {
  type CallRef,
  type FindingCase,
  type FindingKind,
  isUnreadable,
  type ObservedCall,
  type Watch,
} from '../observed-call.ts'

/** Timers are not exact. */
const tolerance = 0.95
/** Real milliseconds in which a request may already have been on its way when the rejection came. */
const onItsWay = 250

/** Whether it may be one of several concurrent requests, which does not know of the failure yet. */
const wasOnItsWay = (call: ObservedCall, failed: CallRef): boolean =>
  !call.isRetryOfSdk && call.isOverSocket && !call.isAfter(failed) && call.isWithin(onItsWay, failed)

interface Rejected {
  readonly call: CallRef
  readonly status: number
  readonly wait: number
}

export const ignoredRetryAfter: FindingKind = {
  id: 'ignored-retry-after',
  severity: 'error',
  summary:
    'Repeated a rejected request before its `retry-after` had passed. Not checked in `auto` clock mode. ' +
    'Above speed 1, only virtual time counts.',
  remedy: 'Before you send the same request again, wait for the time in `retry-after-ms` or `retry-after`.',
  exceptions:
    'a different request or API key; a concurrent HTTP request (on another connection, within 250 ms, not ' +
    'marked as an SDK retry); SDK retries (`x-stainless-retry-count`) in `manual` clock mode',
  watch({ mode, speed, report, unchecked }) {
    const rejections = new BoundedMap<Rejected>({ count: 1000 })
    /** When the last wait ends, in virtual and in real time. */
    let ends = { at: 0, realAt: 0 }
    if (mode === 'auto')
      return {
        isIdle: true,
        ended: ({ entry }) => {
          if (entry.cause.rejection?.retryAfterMs !== undefined) unchecked()
        },
      }
    const isTooSoon = (waited: number, { wait }: Rejected): boolean => waited < wait * tolerance
    // The virtual time of a fast clock passes without a wait.
    const isUnsure = (call: ObservedCall, rejected: Rejected): boolean =>
      speed() > 1 && isTooSoon(call.hasReallyWaitedFor(rejected.call) ?? 0, rejected)
    const watch: Watch = {
      isIdle: true,
      called(call) {
        // Requests are compared only while some wait is running.
        const { at, realAt = ends.realAt } = call.entry
        if (at >= ends.at && (speed() <= 1 || realAt >= ends.realAt)) {
          watch.isIdle = true
          return rejections.clear()
        }
        const fingerprint = call.fingerprint
        const rejected = fingerprint === undefined ? undefined : rejections.get(fingerprint)
        if (fingerprint === undefined || rejected === undefined) return
        if (isTooSoon(call.hasWaitedFor(rejected.call), rejected)) {
          // An SDK sleeps by real timers, which do not follow the test's virtual clock.
          if (mode === 'manual' && call.isRetryOfSdk) return
          if (wasOnItsWay(call, rejected.call)) return
          report(retriedTooSoon(call, rejected))
        } else if (isUnsure(call, rejected)) unchecked()
        rejections.delete(fingerprint)
      },
      // Only now does the client know of the rejection.
      ended(call) {
        const wait = call.entry.cause.rejection?.retryAfterMs
        if (wait === undefined || call.entry.ended !== 'completed') return
        const fingerprint = call.fingerprint
        if (fingerprint === undefined) return
        const before = rejections.get(fingerprint)
        // Of several concurrent rejections the first one counts.
        if (before === undefined || !isTooSoon(call.hasWaitedFor(before.call), before)) {
          const { at, realAt = 0 } = call.entry
          rejections.set(fingerprint, { call: call.ref, status: call.entry.response?.status ?? 0, wait })
          ends = { at: Math.max(ends.at, at + wait), realAt: Math.max(ends.realAt, realAt + wait) }
          watch.isIdle = false
        }
      },
    }
    return watch
  },
}

function retriedTooSoon(call: ObservedCall, { call: first, status, wait }: Rejected): FindingCase {
  const subject = call.entry.operation ?? call.path
  return {
    subject,
    message:
      `${subject} was requested again ${formatDuration(call.hasWaitedFor(first))} after a ${status} ` +
      `response: expected a wait of ${formatDuration(wait)} (retry-after).`,
    calls: [first, call.ref],
  }
}

/** Milliseconds between attempts below which a client does not wait. */
const shortestWait = 100
/** Attempts that are no loop. In `auto`, a client that waits on fake timers looks as if it did not. */
const fewAttempts = 4
const fewAttemptsInAuto = 10

/** The attempts that are remembered as evidence. */
const maxCalls = 10

interface Attempts {
  readonly count: number
  readonly last: CallRef
  /** The first of them. */
  readonly calls: readonly CallRef[]
}

export const hammered: FindingKind = {
  id: 'hammered',
  severity: 'warning',
  summary: 'Sent the same failing request many times in a row, with less than 100 ms between attempts.',
  remedy:
    'Wait longer after each attempt, and limit the number of attempts. Do not repeat a request that was ' +
    'rejected for its content or its API key.',
  exceptions:
    'up to four attempts (ten in `auto` clock mode); a different request or API key; attempts with a ' +
    'success between them; concurrent requests and SDK retries, as for `ignored-retry-after`',
  watch({ mode, speed, report }) {
    // The virtual time of a fast clock passes without a wait.
    const hasWaited = (call: ObservedCall, before: CallRef): boolean =>
      Math.max(call.since(before) / Math.max(1, speed()), call.hasReallyWaitedFor(before) ?? 0) >=
      shortestWait
    const limit = mode === 'auto' ? fewAttemptsInAuto : fewAttempts
    const failed = new BoundedMap<Attempts>({ count: 1000 })
    /** The attempts before each open request, by its `seq`. */
    const before = new BoundedMap<Attempts>({ count: 1000 })
    let latest: CallRef | undefined
    const watch: Watch = {
      isIdle: true,
      called(call) {
        if (latest === undefined || hasWaited(call, latest)) {
          watch.isIdle = true
          before.clear()
          return failed.clear()
        }
        const { fingerprint } = call
        const attempts = fingerprint === undefined ? undefined : failed.get(fingerprint)
        if (fingerprint === undefined || attempts === undefined) return
        // An SDK sleeps by real timers, which do not follow the test's virtual clock.
        if ((mode === 'manual' && call.isRetryOfSdk) || wasOnItsWay(call, attempts.last)) return
        failed.delete(fingerprint)
        before.set(String(call.entry.seq), attempts)
      },
      ended(call) {
        const { entry } = call
        const { seq, ended, response } = entry
        const attempts = before.get(String(seq))
        before.delete(String(seq))
        if (
          ended === 'aborted' ||
          (ended === 'completed' && (response?.status ?? 0) < 400 && !isUnreadable(entry))
        )
          return
        const { fingerprint } = call
        if (fingerprint === undefined) return
        const count = (attempts?.count ?? 0) + 1
        // Of several concurrent attempts the longest row counts.
        if ((failed.get(fingerprint)?.count ?? 0) > count) return
        const calls = [...(attempts?.calls ?? []), call.ref].slice(0, maxCalls)
        failed.set(fingerprint, { count, last: call.ref, calls })
        latest = call.ref
        watch.isIdle = false
        const name = call.entry.operation ?? call.path
        if (count > limit)
          report({
            subject: name,
            message: `${name} was sent ${count} times in a row without waiting. All attempts failed.`,
            calls,
          })
      },
    }
    return watch
  },
}
