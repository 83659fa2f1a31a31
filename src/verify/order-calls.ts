/** Finds steps one after the other among calls. */

/** How far an order was passed through: for each step that came, the place of its call. */
export interface OrderMatch {
  readonly places: readonly number[]
  readonly complete: boolean
}

/**
 * The first way through the steps; with a span, the first one that takes at most so many milliseconds. Where
 * there is none, the way that got furthest, or the shortest when only the time was too long. `fits` says
 * whether a call can be a step; `times` ascend.
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
    // From a given beginning, the earliest call for each step is never worse than a later one.
    const places = [start]
    for (let place = start + 1; place < times.length && places.length < steps; place++) {
      // Beside a way that took too long, a longer one needs no end.
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
    // A later beginning gets no further; it can only be quicker.
    if (span === undefined || best.length < steps) break
  }
  return { places: best, complete: false }
}

/** How many milliseconds a way takes. */
export function elapsed(places: readonly number[], times: readonly number[]): number {
  return places.length === 0
    ? 0
    : (times[places.at(-1) as number] as number) - (times[places[0] as number] as number)
}
