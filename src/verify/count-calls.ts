/** Counts calls in windows of time. */

/**
 * The highest number of instants in any window of `span` milliseconds, both ends included; all of them
 * without a span. `times` must ascend.
 */
export function maxWithin(times: readonly number[], span: number | undefined): number {
  if (span === undefined) return times.length
  let max = 0
  let first = 0
  for (const [last, time] of times.entries()) {
    while (time - (times[first] as number) > span) first++
    max = Math.max(max, last - first + 1)
  }
  return max
}
