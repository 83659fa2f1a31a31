/** The calls that have arrived and whose first response byte has not been sent. */

/** A call in flight. */
export interface CallInFlight {
  /** The session of the call, once known. */
  readonly session: string | undefined
}

export interface CallsInFlight {
  /** Registers a call. Call the returned function once the first byte of the response has been sent. */
  callStarted(call?: CallInFlight): () => void
  /**
   * Resolves once all calls in flight are over; with a session, only those that may belong to it. Later calls
   * are not awaited: a busy server always has some.
   */
  settled(session?: string): Promise<void>
}

interface Wait {
  readonly session: string | undefined
  /** The calls still awaited; some may belong to other sessions. */
  readonly calls: Set<CallInFlight>
  resolve(): void
}

export function createCallsInFlight(): CallsInFlight {
  // An array with reused slots instead of a set: V8 keeps replacing the table of a set with frequent
  // additions and deletions, and objects in the old tables survive young-generation collections.
  const places: (CallInFlight | undefined)[] = []
  const free: number[] = []
  let waits: readonly Wait[] = []
  /** Whether it is over. Stops at the first awaited call, and resumes there. */
  const isOver = ({ session, calls }: Wait): boolean => {
    for (const call of calls) {
      if (session === undefined || call.session === undefined || call.session === session) return false
      calls.delete(call)
    }
    return true
  }
  const endWaits = (ended: CallInFlight): void => {
    for (const { calls } of waits) calls.delete(ended)
    const over = waits.filter(isOver)
    if (over.length === 0) return
    waits = waits.filter((wait) => !over.includes(wait))
    for (const { resolve } of over) resolve()
  }
  return {
    callStarted(call = { session: undefined }) {
      const place = free.pop() ?? places.length
      places[place] = call
      return () => {
        if (places[place] !== call) return
        places[place] = undefined
        free.push(place)
        if (waits.length > 0) endWaits(call)
      }
    },
    settled(session) {
      return new Promise((resolve) => {
        const calls = new Set(places.filter((call) => call !== undefined))
        const wait: Wait = { session, calls, resolve }
        if (isOver(wait)) resolve()
        else waits = [...waits, wait]
      })
    },
  }
}
