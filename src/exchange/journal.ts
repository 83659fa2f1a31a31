/** The calls of one session in order. They count towards the bound of its memory. */
import { type Bound, BoundedMap } from '../engine/bounded-map.ts'
import { textFrom, truncate } from '../engine/redact.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { ExchangeEnd } from './exchange.ts'
import { type AnsweredFacts, KeptExchange, keptOfBody } from './kept-exchange.ts'

/** A sandbox with the journal of its calls. */
export interface JournaledSandbox extends Sandbox {
  readonly journal: Journal
}

/** Receives an exchange while the call is handled: it must be fast and must not throw. */
export type EntryListener = (exchange: KeptExchange) => void

/** An exchange that is in no journal: of calls that only watch. */
export function unkeptExchange(facts: AnsweredFacts): KeptExchange {
  return new KeptExchange(facts, -1, 0)
}

export class Journal {
  readonly #kept: BoundedMap<KeptExchange, number>
  #entryListeners: readonly EntryListener[] = []
  #closeListeners: readonly EntryListener[] = []
  /** The number of calls ever recorded, including evicted ones. */
  total = 0

  constructor(memory: Bound) {
    this.#kept = new BoundedMap(memory)
  }

  /** Records a call and numbers it. */
  add(facts: AnsweredFacts): KeptExchange {
    const exchange = new KeptExchange(facts, this.total, keptOfBody)
    this.total++
    this.#kept.set(exchange.seq, exchange, exchange.weight)
    for (const listener of this.#entryListeners) listener(exchange)
    return exchange
  }

  /** Completes an exchange with the text or bytes that were sent. Listeners receive only the first end. */
  close(exchange: KeptExchange, ended: ExchangeEnd, response: string | Uint8Array | undefined): void {
    if (exchange.seq < 0) {
      exchange.ended = ended
      return
    }
    const wasOpen = exchange.ended === 'open'
    const isText = response === undefined || typeof response === 'string'
    const text = isText ? response && truncate(response, keptOfBody) : textFrom(response, keptOfBody)
    exchange.end(ended, this.total, text)
    this.#kept.resize(exchange.seq, exchange.weight)
    if (wasOpen) for (const listener of this.#closeListeners) listener(exchange)
  }

  /** The number of kept exchanges. */
  get count(): number {
    return this.#kept.count
  }

  /** The kept exchanges, oldest first. */
  kept(): readonly KeptExchange[] {
    return [...this.#kept.values()]
  }

  /** Up to `limit` kept exchanges from a number on, oldest first. */
  since(seq: number, limit: number): readonly KeptExchange[] {
    const from = Math.max(seq, this.total - this.count)
    const found: KeptExchange[] = []
    for (let at = from; at < this.total && found.length < limit; at++) {
      const exchange = this.#kept.get(at)
      if (exchange !== undefined) found.push(exchange)
    }
    return found
  }

  /** A kept exchange by its number or by its request id. */
  entryOf(id: number | string): KeptExchange | undefined {
    return typeof id === 'number'
      ? this.#kept.get(id)
      : this.kept().findLast(({ cause }) => cause.requestId === id)
  }

  /** Calls the listener with each call as it is recorded, in order. Returns how to stop that. */
  onEntry(listener: EntryListener): () => void {
    this.#entryListeners = [...this.#entryListeners, listener]
    return () => void (this.#entryListeners = this.#entryListeners.filter((other) => other !== listener))
  }

  /** Calls the listener with each exchange once its response has ended. Returns how to stop that. */
  onClose(listener: EntryListener): () => void {
    this.#closeListeners = [...this.#closeListeners, listener]
    return () => void (this.#closeListeners = this.#closeListeners.filter((other) => other !== listener))
  }
}
