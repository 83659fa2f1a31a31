/**
 * What happened in one session, in order, bounded in number and bytes. Keeps references to what the calls were made of
 * and words them only when somebody reads. Knows nothing of HTTP beyond the names of its parts.
 */
import { beginning } from './beginning.ts'

/** One call as it was taken and answered. Bodies are kept as the text that crossed the wire, or its beginning. */
export interface JournalEntry {
  readonly seq: number
  /** Virtual milliseconds since the epoch. */
  readonly at: number
  readonly session: string
  readonly requestId: string
  readonly operation: string | undefined
  readonly method: string
  readonly path: string
  /** The API key, shortened so that it cannot be used. */
  readonly key: string | undefined
  readonly status: number
  readonly request: string | undefined
  /** The reply's body as it was written, or its beginning; set when the edge has written it. */
  reply: string | undefined
  /** Which reserved value, setting or rule decided the reply, when not the default behaviour. */
  readonly decidedBy: string | undefined
  /** The text of a fault of the simulator itself; a test suite must fail on it. */
  readonly bug: string | undefined
  /** How the reply ended: set when the last byte was handed over or the client left. */
  ended: 'open' | 'completed' | 'aborted' | 'cut'
  /** Stream events handed over so far. */
  events: number
}

export interface Journal {
  /** Records an entry, which it makes its own and numbers. */
  add(entry: Omit<JournalEntry, 'seq'> & { readonly seq?: number }): JournalEntry
  /** Completes an entry with what was written. */
  close(entry: JournalEntry, ended: JournalEntry['ended'], reply: string | undefined): void
  /** The kept entries, oldest first. */
  entries(): readonly JournalEntry[]
  /** How many calls were ever recorded, kept or not. */
  readonly total: number
}

export interface JournalOptions {
  readonly entries: number
  /** Bytes of request and reply text kept in all; beyond it the oldest entries go. */
  readonly bytes: number
  /** How much of one body is kept at most. */
  readonly perBody: number
}

/** An empty journal. */
export function createJournal(options: JournalOptions): Journal {
  const ring: (JournalEntry | undefined)[] = []
  let first = 0
  let total = 0
  let bytes = 0

  const weight = (entry: JournalEntry): number => 200 + (entry.request?.length ?? 0) + (entry.reply?.length ?? 0)

  const dropOldest = (): void => {
    const entry = ring[first % options.entries]
    if (entry !== undefined) bytes -= weight(entry)
    ring[first % options.entries] = undefined
    first++
  }

  return {
    add(fields) {
      // The entry itself, not a copy: this happens for every call.
      const entry = fields as { -readonly [Name in keyof JournalEntry]: JournalEntry[Name] }
      entry.seq = total
      if (entry.request !== undefined) entry.request = beginning(entry.request, options.perBody)
      if (total - first >= options.entries) dropOldest()
      ring[total % options.entries] = entry
      total++
      bytes += weight(entry)
      while (bytes > options.bytes && total - first > 1) dropOldest()
      return entry
    },
    close(entry, ended, reply) {
      entry.ended = ended
      if (reply === undefined) return
      const kept = beginning(reply, options.perBody)
      // An entry that has left the ring no longer counts.
      if (entry.seq >= 0 && ring[entry.seq % options.entries] === entry) bytes += kept.length - (entry.reply?.length ?? 0)
      entry.reply = kept
      while (bytes > options.bytes && total - first > 1) dropOldest()
    },
    entries() {
      const kept: JournalEntry[] = []
      for (let seq = first; seq < total; seq++) {
        const entry = ring[seq % options.entries]
        if (entry !== undefined) kept.push(entry)
      }
      return kept
    },
    get total() {
      return total
    },
  }
}
