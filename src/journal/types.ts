/** A journal entry as JSON, and the filter for entries. */
import type { JournalEntry } from '../engine/journal-entry.ts'

type Field<Name extends keyof JournalEntry> = undefined extends JournalEntry[Name]
  ? Exclude<JournalEntry[Name], undefined> | null
  : JournalEntry[Name]

/**
 * A journal entry as JSON: instants are ISO 8601, and null replaces undefined. For the rules that were tried,
 * see `explain`.
 */
export type JournalEntryJson = {
  readonly [Name in Exclude<
    keyof JournalEntry,
    'at' | 'realAt' | 'considered' | 'rulesAsked' | 'rulesTried'
  >]: Field<Name>
} & { readonly at: string; readonly realAt: string | null }

/** Selects journal entries; all given conditions must hold. */
export interface JournalFilter {
  /** An operation (`videos.create`), or a group of them (`videos.*`). */
  readonly operation?: string | undefined
  /** A status (`429`) or a class of statuses (`4xx`). */
  readonly status?: string | number | undefined
  /** The id of the rule that answered. */
  readonly rule?: string | undefined
  /** The digits that identify a key, as in `caller` of an entry. */
  readonly caller?: string | undefined
  readonly requestId?: string | undefined
  readonly ended?: 'open' | 'completed' | 'aborted' | 'cut' | undefined
  /** Whether `strict` refused the call because no rule matched it. */
  readonly unmatched?: boolean | undefined
  /** Calls at this virtual instant or later: ISO 8601, or milliseconds since the epoch. */
  readonly since?: string | number | undefined
  /** Calls before this virtual instant. */
  readonly until?: string | number | undefined
  /** Calls with a `seq` greater than this. */
  readonly after?: number | undefined
  /** The maximum number of entries. */
  readonly limit?: number | undefined
}
