/**
 * What happened in one session, in order, bounded in number and bytes. Tells listeners of each call as it is
 * taken and as it ends.
 */

import type { BudgetShare, JournalBudget } from './journal-budget.ts'
import type { CallRecord, JournalEntry } from './journal-entry.ts'
import { RecordedCall } from './recorded-call.ts'
import { truncate } from './truncate.ts'

/** Hears of an entry. It is called while the call is answered: it must be quick and must not throw. */
export type EntryListener = (entry: JournalEntry) => void

/** The same, with what the journal was told of the call: to be looked at now, not to be kept. */
export type RecordListener = (entry: JournalEntry, record: CallRecord) => void

export interface Journal {
  /** Records a call and numbers it. */
  add(record: CallRecord): JournalEntry
  /** Completes an entry with what was written. The first end is the one that listeners hear of. */
  close(entry: JournalEntry, ended: JournalEntry['ended'], reply: string | undefined): void
  /** The kept entries, oldest first. */
  entries(): readonly JournalEntry[]
  /** A kept entry by its number or by its request id. */
  find(id: number | string): JournalEntry | undefined
  /** Calls the listener with each entry as it is recorded, in order. Returns how to stop that. */
  onEntry(listener: RecordListener): () => void
  /**
   * Calls the listener with each entry once its reply has ended, in the order of the ends. Returns how to
   * stop that.
   */
  onClose(listener: EntryListener): () => void
  /** How many calls were ever recorded, kept or not. */
  readonly total: number
  /** What it keeps now. */
  readonly held: { readonly entries: number; readonly bytes: number }
  /** Its session is over: what it holds counts no more against what all journals may hold. */
  leave(): void
}

export interface JournalOptions {
  readonly entries: number
  /** Bytes of request and reply text kept in all; beyond it the oldest entries go. */
  readonly bytes: number
  /** How much of one body is kept at most; 0 keeps none. */
  readonly perBody: number
  /** What it shares with the journals of other sessions. */
  readonly budget?: JournalBudget | undefined
  /** Hears of each entry that has to go. */
  onDrop?(): void
}

/** An entry that is in no journal: of calls that only watch. */
export function unkeptEntry(record: CallRecord): JournalEntry {
  return new RecordedCall(record, 0)
}

/** An empty journal. */
export function createJournal(options: JournalOptions): Journal {
  return new RingJournal(options)
}

// A class, since every session has one: closures would cost each of them a kilobyte.
class RingJournal implements Journal {
  readonly #options: JournalOptions
  readonly #share: BudgetShare | undefined
  readonly #ring: (RecordedCall | undefined)[] = []
  #entryListeners: readonly RecordListener[] = []
  #closeListeners: readonly EntryListener[] = []
  #first = 0
  #bytes = 0
  total = 0

  constructor(options: JournalOptions) {
    this.#options = options
    this.#share = options.budget?.share(this)
  }

  add(record: CallRecord): JournalEntry {
    const { entries, bytes, perBody } = this.#options
    const entry = new RecordedCall(record, perBody)
    entry.seq = this.total
    if (this.total - this.#first >= entries) this.#dropOldest()
    this.#ring[this.total % entries] = entry
    this.total++
    this.#bytes += entry.weight
    while (this.#bytes > bytes && this.total - this.#first > 1) this.#dropOldest()
    this.#share?.add(entry.weight, true)
    for (const listener of this.#entryListeners) listener(entry, record)
    return entry
  }

  close(entry: JournalEntry, ended: JournalEntry['ended'], reply: string | undefined): void {
    const { entries, bytes, perBody } = this.#options
    const wasOpen = entry.ended === 'open'
    entry.ended = ended
    if (reply !== undefined && perBody > 0) {
      const kept = reply.length > perBody ? truncate(reply, perBody) : reply
      // An entry that has left the ring no longer counts.
      const isKept = entry.seq >= 0 && this.#ring[entry.seq % entries] === entry
      const more = isKept ? kept.length - (entry.reply?.length ?? 0) : 0
      this.#bytes += more
      entry.reply = kept
      while (this.#bytes > bytes && this.total - this.#first > 1) this.#dropOldest()
      this.#share?.add(more, false)
    }
    if (wasOpen && entry.seq >= 0) for (const listener of this.#closeListeners) listener(entry)
  }

  entries(): readonly JournalEntry[] {
    const kept: JournalEntry[] = []
    for (let seq = this.#first; seq < this.total; seq++) {
      const entry = this.#ring[seq % this.#options.entries]
      if (entry !== undefined) kept.push(entry)
    }
    return kept
  }

  find(id: number | string): JournalEntry | undefined {
    for (let seq = this.total - 1; seq >= this.#first; seq--) {
      const entry = this.#ring[seq % this.#options.entries]
      if (entry !== undefined && (typeof id === 'number' ? entry.seq === id : entry.requestId === id))
        return entry
    }
    return undefined
  }

  leave(): void {
    this.#share?.leave()
  }

  onEntry(listener: RecordListener): () => void {
    this.#entryListeners = [...this.#entryListeners, listener]
    return () => void (this.#entryListeners = this.#entryListeners.filter((other) => other !== listener))
  }

  onClose(listener: EntryListener): () => void {
    this.#closeListeners = [...this.#closeListeners, listener]
    return () => void (this.#closeListeners = this.#closeListeners.filter((other) => other !== listener))
  }

  get held(): Journal['held'] {
    return { entries: this.total - this.#first, bytes: this.#bytes }
  }

  /** Drops the oldest entry and returns what it weighed; for the budget, which knows of it. */
  forgetOldest(): number {
    const at = this.#first % this.#options.entries
    const weight = this.#ring[at]?.weight ?? 0
    this.#bytes -= weight
    this.#ring[at] = undefined
    this.#first++
    this.#options.onDrop?.()
    return weight
  }

  #dropOldest(): void {
    const weight = this.forgetOldest()
    this.#share?.dropped(weight)
  }
}
