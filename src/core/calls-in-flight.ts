/** The calls that have arrived and whose first response byte has not left yet. */

/** A call on its way. */
export interface CallInFlight {
  /** The session it belongs to, once that is known. */
  readonly session: string | undefined
}

export interface CallsInFlight {
  /** A call has arrived. The function it returns says that the first byte of its response has left. */
  callStarted(call?: CallInFlight): () => void
  /**
   * Resolves when the calls that have arrived by now are over; with a session, those that may belong to it.
   * It waits for no later ones: a server that is in steady use always has some.
   */
  settled(session?: string): Promise<void>
}

interface Wait {
  readonly session: string | undefined
  /** Those that it still waits for; some may belong to other sessions. */
  readonly calls: Set<CallInFlight>
  resolve(): void
}

export function createCallsInFlight(): CallsInFlight {
  // Places that are used again, and no set: V8 replaces the table of a set that is added to and deleted from
  // again and again, and what the old tables still point to outlives the young collections.
  const places: (CallInFlight | undefined)[] = []
  const free: number[] = []
  let waits: readonly Wait[] = []
  /** Whether it is over: looks at calls until one that it waits for, and at none twice in vain. */
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
