/** The warning for a client that waits on a clock that nobody moves. */

/** How long somebody may wait before it, in real milliseconds. */
export const patience = 2000

/** Warns once when time stands still for too long while somebody waits on it. Returns what ends the watch. */
export function watchClock(now: () => number, warn: (message: string) => void, message: string): () => void {
  const before = now()
  const timer = setTimeout(() => {
    if (now() === before) warn(message)
  }, patience)
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearTimeout(timer)
}

/** What is said of a client that time would help. */
export function waitsOnClock(path: string): string {
  return `a client of ${path} waits on virtual time that nobody moves: advance the clock (sim.clock.advance('1s'), POST /__sim/clock/advance), or use the clock mode auto`
}
