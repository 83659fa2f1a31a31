/**
 * What happened in one session, in order, bounded in number and bytes. Tells listeners of each call as it is
 * taken and as it ends.
 */

import type { JournalBudget } from './journal-budget.ts'
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
  const ring: (RecordedCall | undefined)[] = []
  const entryListeners = new Set<RecordListener>()
  const closeListeners = new Set<EntryListener>()
  let first = 0
  let total = 0
  let bytes = 0

  const forgetOldest = (): number => {
    const weight = ring[first % options.entries]?.weight ?? 0
    bytes -= weight
    ring[first % options.entries] = undefined
    first++
    options.onDrop?.()
    return weight
  }
  const share = options.budget?.share(forgetOldest)
  const dropOldest = (): void => {
    const weight = forgetOldest()
    share?.dropped(weight)
  }
  const listen = <Listener>(listeners: Set<Listener>, listener: Listener): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  return {
    add(record) {
      const entry = new RecordedCall(record, options.perBody)
      entry.seq = total
      if (total - first >= options.entries) dropOldest()
      ring[total % options.entries] = entry
      total++
      bytes += entry.weight
      while (bytes > options.bytes && total - first > 1) dropOldest()
      share?.add(entry.weight, true)
      for (const listener of entryListeners) listener(entry, record)
      return entry
    },
    close(entry, ended, reply) {
      const wasOpen = entry.ended === 'open'
      entry.ended = ended
      if (reply !== undefined && options.perBody > 0) {
        const kept = reply.length > options.perBody ? truncate(reply, options.perBody) : reply
        // An entry that has left the ring no longer counts.
        const isKept = entry.seq >= 0 && ring[entry.seq % options.entries] === entry
        const more = isKept ? kept.length - (entry.reply?.length ?? 0) : 0
        bytes += more
        entry.reply = kept
        while (bytes > options.bytes && total - first > 1) dropOldest()
        share?.add(more, false)
      }
      if (wasOpen && entry.seq >= 0) for (const listener of closeListeners) listener(entry)
    },
    entries() {
      const kept: JournalEntry[] = []
      for (let seq = first; seq < total; seq++) {
        const entry = ring[seq % options.entries]
        if (entry !== undefined) kept.push(entry)
      }
      return kept
    },
    find(id) {
      for (let seq = total - 1; seq >= first; seq--) {
        const entry = ring[seq % options.entries]
        if (entry !== undefined && (typeof id === 'number' ? entry.seq === id : entry.requestId === id))
          return entry
      }
      return undefined
    },
    leave: () => share?.leave(),
    onEntry: (listener) => listen(entryListeners, listener),
    onClose: (listener) => listen(closeListeners, listener),
    get total() {
      return total
    },
  }
}
