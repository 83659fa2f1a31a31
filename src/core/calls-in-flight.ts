/** The calls that have arrived and whose first reply byte has not left yet. */

export interface CallsInFlight {
  /** A call has arrived. The function it returns says that the first byte of its reply has left. */
  callStarted(): () => void
  /**
   * Resolves when the calls that have arrived by now are over. It does not wait for later ones: a server that
   * is in steady use always has some.
   */
  settled(): Promise<void>
}

/** The calls that arrived between two waits. */
interface Batch {
  inFlight: number
  /** What waits for this batch and all before it. */
  readonly waiting: (() => void)[]
}

export function createCallsInFlight(): CallsInFlight {
  let last: Batch = { inFlight: 0, waiting: [] }
  // In order of arrival. The last one takes new calls, and nothing waits for it.
  const batches = [last]
  const endBatches = (): void => {
    while (batches.length > 1 && batches[0]?.inFlight === 0)
      for (const next of batches.shift()?.waiting ?? []) next()
  }
  return {
    callStarted() {
      const batch = last
      batch.inFlight++
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--batch.inFlight === 0 && batches.length > 1) endBatches()
      }
    },
    settled() {
      if (last.inFlight > 0) batches.push((last = { inFlight: 0, waiting: [] }))
      const waited = batches.at(-2)
      return waited === undefined ? Promise.resolve() : new Promise((resolve) => waited.waiting.push(resolve))
    },
  }
}
