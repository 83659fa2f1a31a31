/** Requests that a breakpoint holds, as sentences. */

/** Where a request is held. */
export interface Holding {
  readonly breakpoint: string
  readonly phase: 'request' | 'response' | 'event'
  readonly event?: { readonly index: number; readonly total: number } | null | undefined
}

/** What happens to a held request: it is held, or goes on, by a decision or because its client has left. */
export type HoldChange = 'held' | 'continue' | 'change' | 'cut' | 'end' | 'left'

/** `before its response`, `before event 3 of 12`. */
export function heldPlace({ phase, event }: Pick<Holding, 'phase' | 'event'>): string {
  if (event) return `before event ${event.index + 1} of ${event.total}`
  return phase === 'request' ? 'before it is processed' : 'before its response'
}

export function holdingText(holding: Holding): string {
  const where = `${holding.breakpoint} ${heldPlace(holding)}`
  return `It is held by ${where}, and the clock of its session is stopped until it is released.`
}
