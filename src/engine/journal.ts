/** The requests of one session in order. They count towards the bound of its memory. */
import { type Bound, BoundedMap } from './bounded-map.ts'
import { type CallRecord, createEntry, detailsOf, type JournalEntry, setEnd } from './journal-entry.ts'
import { textFrom, truncate } from './redact.ts'

/** Receives an entry while the call is handled: it must be fast and must not throw. */
export type EntryListener = (entry: JournalEntry) => void

/** How many characters of one body a session keeps. */
export const keptOfBody = 64 * 1024

/** An entry that is in no journal: of calls that only watch. */
export function unkeptEntry(record: CallRecord): JournalEntry {
  return createEntry(record, -1, 0)
}

export class Journal {
  readonly #entries: BoundedMap<JournalEntry, number>
  #entryListeners: readonly EntryListener[] = []
  #closeListeners: readonly EntryListener[] = []
  /** The number of calls ever recorded, including evicted ones. */
  total = 0

  constructor(memory: Bound) {
    this.#entries = new BoundedMap(memory)
  }

  /** Records a call and numbers it. */
  add(record: CallRecord): JournalEntry {
    const entry = createEntry(record, this.total, keptOfBody)
    this.total++
    this.#entries.set(entry.seq, entry, detailsOf(entry)?.weight)
    for (const listener of this.#entryListeners) listener(entry)
    return entry
  }

  /** Completes an entry with the text or bytes that were sent. Listeners receive only the first end. */
  close(entry: JournalEntry, ended: JournalEntry['ended'], response: string | Uint8Array | undefined): void {
    const wasOpen = entry.ended === 'open'
    entry.ended = ended
    if (entry.seq < 0) return
    setEnd(entry, this.total)
    if (response !== undefined) {
      entry.response =
        typeof response === 'string' ? truncate(response, keptOfBody) : textFrom(response, keptOfBody)
      this.#entries.resize(entry.seq, detailsOf(entry)?.weight)
    }
    if (wasOpen) for (const listener of this.#closeListeners) listener(entry)
  }

  /** The number of kept entries. */
  get count(): number {
    return this.#entries.count
  }

  /** The kept entries, oldest first. */
  kept(): readonly JournalEntry[] {
    return [...this.#entries.values()]
  }

  /** Up to `limit` kept entries from a number on, oldest first. */
  since(seq: number, limit: number): readonly JournalEntry[] {
    const from = Math.max(seq, this.total - this.count)
    const entries: JournalEntry[] = []
    for (let at = from; at < this.total && entries.length < limit; at++) {
      const entry = this.#entries.get(at)
      if (entry !== undefined) entries.push(entry)
    }
    return entries
  }

  /** A kept entry by its number or by its request id. */
  entryOf(id: number | string): JournalEntry | undefined {
    return typeof id === 'number'
      ? this.#entries.get(id)
      : this.kept().findLast(({ requestId }) => requestId === id)
  }

  /** Calls the listener with each entry as it is recorded, in order. Returns how to stop that. */
  onEntry(listener: EntryListener): () => void {
    this.#entryListeners = [...this.#entryListeners, listener]
    return () => void (this.#entryListeners = this.#entryListeners.filter((other) => other !== listener))
  }

  /** Calls the listener with each entry once its response has ended. Returns how to stop that. */
  onClose(listener: EntryListener): () => void {
    this.#closeListeners = [...this.#closeListeners, listener]
    return () => void (this.#closeListeners = this.#closeListeners.filter((other) => other !== listener))
  }
}
