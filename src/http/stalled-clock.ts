/** Warns when a client waits for virtual time that nobody advances. */

/** How long a client may wait before the warning, in real milliseconds. */
export const patience = 2000

/** Warns once if the clock has not moved after that long. Returns a function that cancels the warning. */
export function watchClock(now: () => number, warn: (message: string) => void, message: string): () => void {
  const before = now()
  const timer = setTimeout(() => {
    if (now() === before) warn(message)
  }, patience)
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearTimeout(timer)
}

/** The warning about a client that waits for the clock to advance. */
export function waitsOnClock(path: string): string {
  return (
    `a client of ${path} waits on virtual time that nobody moves: advance the clock ` +
    "(sim.clock.advance('1s'), POST /__sim/clock/advance), or use the clock mode auto"
  )
}
