/** An entry of the journal as JSON, and what entries can be asked for by. Types alone. */
import type { JournalEntry } from '../engine/journal-entry.ts'

type Field<Name extends keyof JournalEntry> = undefined extends JournalEntry[Name]
  ? Exclude<JournalEntry[Name], undefined> | null
  : JournalEntry[Name]

/**
 * An entry of the journal as it is sent: instants as ISO 8601, null for what there is not. What rules were
 * asked is told by `explain`.
 */
export type JournalEntryJson = {
  readonly [Name in Exclude<keyof JournalEntry, 'at' | 'realAt' | 'considered' | 'rulesAsked'>]: Field<Name>
} & { readonly at: string; readonly realAt: string | null }

/** Which entries; everything that is given must hold. */
export interface JournalFilter {
  /** An operation (`videos.create`), or a group of them (`videos.*`). */
  readonly operation?: string | undefined
  /** A status (`429`), or a hundred of them (`4xx`). */
  readonly status?: string | number | undefined
  /** The id of the rule that answered. */
  readonly rule?: string | undefined
  /** The digits that stand for a key. */
  readonly caller?: string | undefined
  readonly requestId?: string | undefined
  readonly ended?: 'open' | 'completed' | 'aborted' | 'cut' | undefined
  /** Whether `strict` refused the call for want of a rule. */
  readonly unmatched?: boolean | undefined
  /** Calls at this virtual instant or later: ISO 8601, or milliseconds since the epoch. */
  readonly since?: string | number | undefined
  /** Calls before this virtual instant. */
  readonly until?: string | number | undefined
  /** Calls with a greater number. */
  readonly after?: number | undefined
  readonly limit?: number | undefined
}
