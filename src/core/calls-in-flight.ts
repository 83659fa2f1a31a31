/** The calls that have arrived and whose first reply byte has not left yet. */

/** A call on its way. */
export interface CallInFlight {
  /** The session it belongs to, once that is known. */
  readonly session: string | undefined
}

export interface CallsInFlight {
  /** A call has arrived. The function it returns says that the first byte of its reply has left. */
  callStarted(call?: CallInFlight): () => void
  /**
   * Resolves when the calls that have arrived by now are over; with a session, those that may belong to it.
   * It waits for no later ones: a server that is in steady use always has some.
   */
  settled(session?: string): Promise<void>
}

interface Wait {
  readonly session: string | undefined
  /** In order of arrival; some of them may be over. */
  readonly calls: Set<CallInFlight>
  resolve(): void
}

export function createCallsInFlight(): CallsInFlight {
  const inFlight = new Set<CallInFlight>()
  let waits: readonly Wait[] = []
  /** Whether it is over: looks at calls until one that it waits for, and at none twice in vain. */
  const isOver = ({ session, calls }: Wait): boolean => {
    for (const call of calls) {
      const concerns = session === undefined || call.session === undefined || call.session === session
      if (concerns && inFlight.has(call)) return false
      calls.delete(call)
    }
    return true
  }
  const endWaits = (): void => {
    const over = waits.filter(isOver)
    if (over.length === 0) return
    waits = waits.filter((wait) => !over.includes(wait))
    for (const { resolve } of over) resolve()
  }
  return {
    callStarted(call = { session: undefined }) {
      inFlight.add(call)
      return () => {
        if (inFlight.delete(call) && waits.length > 0) endWaits()
      }
    },
    settled(session) {
      return new Promise((resolve) => {
        const wait: Wait = { session, calls: new Set(inFlight), resolve }
        if (isOver(wait)) resolve()
        else waits = [...waits, wait]
      })
    },
  }
}
