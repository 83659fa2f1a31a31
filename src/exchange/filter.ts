/** Filters and pages of a journal. */

import * as z from 'zod'
import type { JournalEntry } from './exchange.ts'

/** Selects journal entries; all given conditions must hold. */
export interface JournalFilter {
  /** An operation (`videos.create`), or a group of them (`videos.*`). */
  readonly operation?: string | undefined
  /** A status (`429`) or a class of statuses (`4xx`). */
  readonly status?: string | number | undefined
  /** The `seq` of a request. */
  readonly seq?: number | undefined
  /** Requests with a greater `seq`. */
  readonly cursor?: number | undefined
  /** The maximum number of entries. */
  readonly limit?: number | undefined
}

interface JournalPage<Entry extends JournalEntry> {
  readonly entries: readonly Entry[]
  /** How many entries match, on all pages. */
  readonly matching: number
  /** How many entries follow this page. */
  readonly more: number
  /** The `cursor` of the next page; undefined on the last page. */
  readonly nextCursor: number | undefined
}

const defaultLimit = 1000

/** One page of the matching entries, in order. */
export function filterJournal<Entry extends JournalEntry>(
  entries: readonly Entry[],
  { operation, status, seq, cursor = -1, limit = defaultLimit }: JournalFilter = {},
): JournalPage<Entry> {
  const matching = entries.filter(
    (entry) =>
      (seq === undefined || entry.seq === seq) &&
      (operation === undefined || isOperation(entry.operation, operation)) &&
      (status === undefined || hasStatus(entry.response?.status ?? 0, String(status))),
  )
  const wanted = matching.filter((entry) => entry.seq > cursor)
  const page = wanted.slice(0, limit)
  const more = wanted.length - page.length
  const nextCursor = more === 0 ? undefined : (page.at(-1)?.seq ?? cursor)
  return { entries: page, matching: matching.length, more, nextCursor }
}

function isOperation(operation: string | undefined, wanted: string): boolean {
  return wanted.endsWith('*') ? operation?.startsWith(wanted.slice(0, -1)) === true : operation === wanted
}

function hasStatus(status: number, wanted: string): boolean {
  return wanted.endsWith('xx') ? String(status)[0] === wanted[0] && status >= 100 : String(status) === wanted
}

/** The filter as a query string. @internal */
export const journalQuery = () =>
  z.strictObject({
    operation: z
      .string()
      .optional()
      .describe('An operation (`videos.create`) or a group of operations (`videos.*`).'),
    status: z
      .string()
      .regex(/^(?:\d{1,3}|[1-5]xx)$/, 'expected a status such as 429, or 4xx')
      .optional()
      .describe('A status or a class of statuses (`4xx`).'),
    seq: z.coerce.number().int().min(0).optional().describe('The `seq` of a request.'),
    cursor: z.coerce
      .number()
      .int()
      .min(-1)
      .optional()
      .describe('The `nextCursor` of the previous page: requests with a greater `seq`.'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('The maximum number of entries. Default: 1,000; for `har`, all.'),
    format: z.enum(['json', 'har']).optional().describe('`har`: a HAR file of the finished requests.'),
  })
