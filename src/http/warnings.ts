/** Warnings of the edge: bugs, exhausted resources, and clients that wait for a frozen clock. */

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
    `a request to ${path} is waiting for a frozen clock: advance the clock ` +
    "(sim.clock.advance('1s'), POST /__sim/clock/advance), or use the clock mode auto"
  )
}

/** The warning about an internal error, with its stack. */
export function bugWarning(call: string, bug: unknown): string {
  return `internal error in gateway-sim during ${call}: ${bug instanceof Error ? bug.stack : String(bug)}`
}

/** Warns about the first, the tenth, the hundredth … event of a kind, with its number. */
export function createCountedWarning(
  warn: (message: string) => void,
): (kind: string, message: string) => void {
  const counts = new Map<string, number>()
  return (kind, message) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    if (count === 1) warn(`${message} Subsequent cases are only counted.`)
    else if (/^10+$/.test(String(count))) warn(`${message} This has happened ${count} times so far.`)
  }
}
