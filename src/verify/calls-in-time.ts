/** Calls in time: the most in a window, and steps matched with calls in order. */

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

/** How many steps matched: for each of them, the index of its call. */
export interface OrderMatch {
  readonly places: readonly number[]
  readonly complete: boolean
}

/**
 * The first match of all steps; with a span, the first within that many milliseconds. Otherwise the match
 * that got furthest, or the quickest complete one. `fits` says whether a call can be a step; `times` must
 * ascend.
 */
export function matchInOrder(
  steps: number,
  times: readonly number[],
  fits: (step: number, place: number) => boolean,
  span?: number,
): OrderMatch {
  let best: readonly number[] = []
  for (let start = 0; start < times.length; start++) {
    if (!fits(0, start)) continue
    // From a given start, the earliest call for each step is never worse than a later one.
    const places = [start]
    for (let place = start + 1; place < times.length && places.length < steps; place++) {
      // Cannot become quicker than the best complete match.
      if (
        best.length === steps &&
        (times[place] as number) - (times[start] as number) >= elapsed(best, times)
      )
        break
      if (fits(places.length, place)) places.push(place)
    }
    if (places.length === steps && (span === undefined || elapsed(places, times) <= span))
      return { places, complete: true }
    if (
      places.length > best.length ||
      (places.length === steps && elapsed(places, times) < elapsed(best, times))
    )
      best = places
    // A later start gets no further; it can only be quicker.
    if (span === undefined || best.length < steps) break
  }
  return { places: best, complete: false }
}

/** Milliseconds from the first to the last call. */
export function elapsed(places: readonly number[], times: readonly number[]): number {
  return places.length === 0
    ? 0
    : (times[places.at(-1) as number] as number) - (times[places[0] as number] as number)
}
