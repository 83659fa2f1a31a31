/** The calls that have arrived and whose first reply byte has not left yet. */

export interface CallsInFlight {
  /** A call has arrived. The function it returns says that the first byte of its reply has left. */
  callStarted(): () => void
  /** Resolves when there are none. */
  settled(): Promise<void>
}

export function createCallsInFlight(): CallsInFlight {
  let inFlight = 0
  let waiting: (() => void)[] = []
  return {
    callStarted() {
      inFlight++
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--inFlight > 0 || waiting.length === 0) return
        const resolve = waiting
        waiting = []
        for (const next of resolve) next()
      }
    },
    settled: () => (inFlight === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
