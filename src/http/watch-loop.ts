/**
 * Watches how late the event loop is: a timer that is always due again, and when it really comes. Node's
 * `monitorEventLoopDelay` counts the time between two looks as delay, and loses what a reset falls into.
 */
import { createHistogram, performance } from 'node:perf_hooks'
import type { LoopFacts } from '../protocol/process-facts.ts'

/** How often it looks, in milliseconds. A delay is seen without at most so much of it. */
const interval = 50
/** From how many milliseconds on the loop was late enough to be noticed by those who wait. */
const noticed = 200
const minute = 60_000

/** Watches until it is closed; keeps no process alive. */
export function watchLoop(): { read(): LoopFacts; close(): void } {
  // In microseconds: a histogram takes whole numbers from 1 on.
  const delays = createHistogram()
  let max = 0
  let lateAt: number | undefined
  // The greatest delay of each second of the last minute, greatest first: what is less than a later one goes.
  let recent: { readonly at: number; readonly delay: number }[] = []
  let due = performance.now() + interval
  const dropOld = (now: number): void => {
    if ((recent[0]?.at ?? now) < now - minute) recent = recent.filter(({ at }) => at >= now - minute)
  }
  const timer = setInterval(() => {
    const now = performance.now()
    const delay = Math.max(0, now - due)
    due = now + interval
    delays.record(Math.max(1, Math.round(delay * 1000)))
    max = Math.max(max, delay)
    if (delay >= noticed) lateAt = Date.now()
    dropOld(now)
    while ((recent.at(-1)?.delay ?? Infinity) <= delay) recent.pop()
    recent.push({ at: now, delay })
  }, interval)
  timer.unref()
  return {
    read() {
      dropOld(performance.now())
      return {
        p50: delays.percentile(50) / 1000,
        p99: delays.percentile(99) / 1000,
        max,
        maxLastMinute: recent[0]?.delay ?? 0,
        lateAt,
      }
    },
    close: () => clearInterval(timer),
  }
}
