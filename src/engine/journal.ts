/** The requests of one session in order, limited in number and bytes per session and in total. */
import { type CallRecord, type JournalEntry, RecordedCall } from './journal-entry.ts'
import { textFrom, truncate } from './redact.ts'

/** One journal's part of the budget. */
interface BudgetShare {
  /** An entry of this weight was recorded (`isNew`), or has become heavier by it; others may have to go. */
  add(weight: number, isNew: boolean): void
  /** The journal has evicted its oldest entry by itself, of this weight. */
  evicted(weight: number): void
  /** The session is disposed of; its journal no longer counts. */
  leave(): void
}

interface SharingJournal {
  /** Evicts the oldest entry and returns what it weighed. */
  evictOldest(): number
}

export interface JournalBudget {
  /** A share for a journal that is empty. */
  share(journal: SharingJournal): BudgetShare
  /** What all journals hold. */
  readonly held: number
  /** How many places of the queue were ever looked at: what all of it has cost. */
  readonly looked: number
}

/** So many places of the queue may be of entries that are gone before they are cleared away. */
const maxStale = 1024

/** A budget of so many bytes. */
export function createJournalBudget(bytes: number): JournalBudget {
  return new Budget(bytes)
}

class Budget implements JournalBudget {
  readonly bytes: number
  // A place for each entry, in the order of recording. A journal drops its oldest first, so a place need not
  // say which entry it is of.
  queue: Member[] = []
  #first = 0
  /** How many places are of entries that are gone already. */
  stale = 0
  held = 0
  looked = 0

  constructor(bytes: number) {
    this.bytes = bytes
  }

  share(journal: SharingJournal): BudgetShare {
    return new Member(this, journal)
  }

  fit(): void {
    // The newest entry of all stays, however large it is.
    while (this.held > this.bytes && this.#first < this.queue.length - 1) {
      const member = this.queue[this.#first] as Member
      this.#first++
      this.looked++
      if (member.stale > 0) {
        member.stale--
        this.stale--
      } else this.held -= member.giveUp()
    }
    this.tidy()
  }

  tidy(): void {
    if (this.stale + this.#first <= Math.max(maxStale, this.queue.length / 2)) return
    this.looked += this.queue.length - this.#first
    this.queue = this.queue.slice(this.#first).filter((member) => {
      if (member.stale === 0) return true
      member.stale--
      return false
    })
    this.#first = 0
    this.stale = 0
  }
}

/** One journal. A class, since every session has one. */
class Member implements BudgetShare {
  readonly #budget: Budget
  /** Undefined once it has left: the queue must not keep its entries alive. */
  #journal: SharingJournal | undefined
  #held = 0
  /** How many of its places in the queue are in use. */
  #live = 0
  /** How many of its places, the first ones, are of entries that are gone already. */
  stale = 0

  constructor(budget: Budget, journal: SharingJournal) {
    this.#budget = budget
    this.#journal = journal
  }

  add(weight: number, isNew: boolean): void {
    if (this.#journal === undefined) return
    const budget = this.#budget
    if (isNew) {
      this.#live++
      budget.queue.push(this)
    }
    this.#held += weight
    budget.held += weight
    if (budget.held > budget.bytes) budget.fit()
  }

  evicted(weight: number): void {
    if (this.#journal === undefined) return
    this.#held -= weight
    this.#budget.held -= weight
    this.#live--
    this.stale++
    this.#budget.stale++
    this.#budget.tidy()
  }

  leave(): void {
    if (this.#journal === undefined) return
    this.#budget.held -= this.#held
    this.#held = 0
    this.#journal = undefined
    this.stale += this.#live
    this.#budget.stale += this.#live
    this.#live = 0
    this.#budget.tidy()
  }

  /** Evicts its oldest entry and returns what it weighed. */
  giveUp(): number {
    const weight = this.#journal?.evictOldest() ?? 0
    this.#live--
    this.#held -= weight
    return weight
  }
}

/** Receives an entry while the call is handled: it must be fast and must not throw. */
export type EntryListener = (entry: JournalEntry) => void

/** The same, with what the journal was told of the call: to be looked at now, not to be kept. */
export type RecordListener = (entry: JournalEntry, record: CallRecord) => void

export interface Journal {
  /** Records a call and numbers it. */
  add(record: CallRecord): JournalEntry
  /** Completes an entry with the text or bytes that were sent. Listeners receive only the first end. */
  close(entry: JournalEntry, ended: JournalEntry['ended'], response: string | Uint8Array | undefined): void
  /** The kept entries, oldest first. */
  kept(): readonly JournalEntry[]
  /** Up to `limit` kept entries from a number on, oldest first; their responses may not be readable yet. */
  since(seq: number, limit: number): readonly JournalEntry[]
  /** A kept entry by its number or by its request id. */
  entryOf(id: number | string): JournalEntry | undefined
  /** Calls the listener with each entry as it is recorded, in order. Returns how to stop that. */
  onEntry(listener: RecordListener): () => void
  /** Calls the listener with each entry once its response has ended. Returns how to stop that. */
  onClose(listener: EntryListener): () => void
  /** The number of calls ever recorded, including evicted ones. */
  readonly total: number
  /** What it keeps now. */
  readonly held: { readonly entries: number; readonly bytes: number }
  /** Its session is disposed of; its size no longer counts towards the total limit. */
  leave(): void
}

/** How many characters of one body a session keeps. */
export const keptOfBody = 64 * 1024

export interface JournalOptions {
  readonly entries: number
  /** Bytes of request and response text kept in all; beyond it the oldest entries go. */
  readonly bytes: number
  /** How much of one body is kept at most; 0 keeps none. */
  readonly perBody: number
  /** What it shares with the journals of other sessions. */
  readonly budget?: JournalBudget | undefined
  /** Called for each evicted entry. */
  onEvict?(): void
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
    if (this.total - this.#first >= entries) this.#evictOldest()
    this.#ring[this.total % entries] = entry
    this.total++
    this.#bytes += entry.weight
    while (this.#bytes > bytes && this.total - this.#first > 1) this.#evictOldest()
    this.#share?.add(entry.weight, true)
    for (const listener of this.#entryListeners) listener(entry, record)
    return entry
  }

  close(entry: JournalEntry, ended: JournalEntry['ended'], response: string | Uint8Array | undefined): void {
    const { entries, bytes, perBody } = this.#options
    const wasOpen = entry.ended === 'open'
    entry.ended = ended
    if (response !== undefined && perBody > 0) {
      const kept =
        typeof response !== 'string'
          ? textFrom(response, perBody)
          : response.length > perBody
            ? truncate(response, perBody)
            : response
      // An entry that has left the ring no longer counts.
      const isKept = entry.seq >= 0 && this.#ring[entry.seq % entries] === entry
      const recorded = entry as RecordedCall
      const before = recorded.weight
      recorded.keepResponse(kept)
      const more = isKept ? recorded.weight - before : 0
      this.#bytes += more
      while (this.#bytes > bytes && this.total - this.#first > 1) this.#evictOldest()
      this.#share?.add(more, false)
    }
    if (wasOpen && entry.seq >= 0) for (const listener of this.#closeListeners) listener(entry)
  }

  kept(): readonly JournalEntry[] {
    const kept: JournalEntry[] = []
    for (let seq = this.#first; seq < this.total; seq++) {
      const entry = this.#ring[seq % this.#options.entries]
      if (entry !== undefined) kept.push(RecordedCall.shown(entry))
    }
    return kept
  }

  since(seq: number, limit: number): readonly JournalEntry[] {
    const from = Math.max(seq, this.#first)
    const wanted = Math.max(0, Math.min(this.total - from, limit))
    return Array.from(
      { length: wanted },
      (_, at) => this.#ring[(from + at) % this.#options.entries] as RecordedCall,
    )
  }

  entryOf(id: number | string): JournalEntry | undefined {
    for (let seq = this.total - 1; seq >= this.#first; seq--) {
      const entry = this.#ring[seq % this.#options.entries]
      if (entry !== undefined && (typeof id === 'number' ? entry.seq === id : entry.requestId === id))
        return RecordedCall.shown(entry)
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

  /** Evicts the oldest entry and returns what it weighed; for the budget, which knows of it. */
  evictOldest(): number {
    const at = this.#first % this.#options.entries
    const weight = this.#ring[at]?.weight ?? 0
    this.#bytes -= weight
    this.#ring[at] = undefined
    this.#first++
    this.#options.onEvict?.()
    return weight
  }

  #evictOldest(): void {
    const weight = this.evictOldest()
    this.#share?.evicted(weight)
  }
}
