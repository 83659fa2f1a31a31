/** Filters and pages the entries of a journal. */
import * as z from 'zod'
import { parseInstant } from '../engine/instant.ts'
import type { JournalEntry } from '../engine/journal-entry.ts'

/** The filter; all given conditions must hold. */
export interface JournalQuery {
  /** An operation (`videos.create`), or a group of them (`videos.*`). */
  readonly operation?: string | undefined
  /** A status (`429`), or a hundred of them (`4xx`). */
  readonly status?: string | number | undefined
  /** The id of the rule that answered. */
  readonly rule?: string | undefined
  readonly session?: string | undefined
  /** The eight digits that stand for a key. */
  readonly caller?: string | undefined
  readonly requestId?: string | undefined
  readonly ended?: JournalEntry['ended'] | undefined
  /** Whether `strict` refused the call because no rule matched it. */
  readonly unmatched?: boolean | undefined
  /** Virtual milliseconds since the epoch: calls at this instant or later. */
  readonly since?: number | undefined
  /** Virtual milliseconds since the epoch: calls before this instant. */
  readonly until?: number | undefined
  /** Calls with a greater number: the `next` of the page before. */
  readonly after?: number | undefined
  /** How many at most. */
  readonly limit?: number | undefined
}

export interface JournalPage {
  readonly entries: readonly JournalEntry[]
  /** How many entries are wanted in all, on whatever page. */
  readonly matching: number
  /** How many more there are behind these. */
  readonly more: number
  /** What to ask for behind (`after`), or null when these are the last. */
  readonly next: number | null
}

const defaultLimit = 1000

/** One page of the entries that are wanted, in their order. */
export function filterJournal(entries: readonly JournalEntry[], query: JournalQuery = {}): JournalPage {
  const { after, ...asked } = query
  const matching = entries.filter((entry) => isWanted(entry, asked))
  const wanted = after === undefined ? matching : matching.filter(({ seq }) => seq > after)
  const page = wanted.slice(0, query.limit ?? defaultLimit)
  const more = wanted.length - page.length
  return {
    entries: page,
    matching: matching.length,
    more,
    next: more === 0 ? null : (page.at(-1)?.seq ?? query.after ?? -1),
  }
}

function isWanted(
  entry: JournalEntry,
  {
    operation,
    status,
    rule,
    session,
    caller,
    requestId,
    ended,
    unmatched,
    since,
    until,
  }: Omit<JournalQuery, 'after'>,
): boolean {
  return (
    (operation === undefined || isOperation(entry.operation, operation)) &&
    (status === undefined || hasStatus(entry.status, String(status))) &&
    (rule === undefined || entry.rule === rule) &&
    (session === undefined || entry.session === session) &&
    (requestId === undefined || entry.requestId === requestId) &&
    (ended === undefined || entry.ended === ended) &&
    (unmatched === undefined || entry.unmatched === unmatched) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at < until) &&
    (caller === undefined || entry.caller === caller)
  )
}

function isOperation(operation: string | undefined, wanted: string): boolean {
  return wanted.endsWith('*') ? operation?.startsWith(wanted.slice(0, -1)) === true : operation === wanted
}

function hasStatus(status: number, wanted: string): boolean {
  return wanted.endsWith('xx') ? String(status)[0] === wanted[0] && status >= 100 : String(status) === wanted
}

const instant = z.string().transform((written, context) => {
  const at = parseInstant(/^\d+$/.test(written) ? Number(written) : written)
  if (at !== undefined) return at
  context.addIssue({
    code: 'custom',
    message: [
      'expected an ISO 8601 instant with its zone such as 2026-01-01T00:00:00Z, or milliseconds since',
      'the epoch',
    ].join(' '),
  })
  return z.NEVER
})

/** The same, as it is in a query string. */
export const journalQuery = z.strictObject({
  operation: z
    .string()
    .optional()
    .describe('An operation (`videos.create`), or a group of them (`videos.*`).'),
  status: z
    .string()
    .regex(/^(?:\d{1,3}|[1-5]xx)$/, 'expected a status such as 429, or 4xx')
    .optional()
    .describe('A status, or a class of statuses (`4xx`).'),
  rule: z.string().optional().describe('The id of the rule that answered.'),
  caller: z.string().optional().describe('The digits that stand for a key.'),
  requestId: z.string().optional().describe('The request id of the reply.'),
  ended: z.enum(['open', 'completed', 'aborted', 'cut']).optional().describe('How the reply ended.'),
  unmatched: z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .optional()
    .describe('Whether `strict` refused the call because no rule matched it.'),
  since: instant.optional().describe('Calls at this virtual instant or later.'),
  until: instant.optional().describe('Calls before this virtual instant.'),
  after: z.coerce
    .number()
    .int()
    .min(-1)
    .optional()
    .describe('Calls with a greater number: `next` of the page before.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('The maximum number of entries. Default: 1,000.'),
  format: z
    .enum(['json', 'jsonl'])
    .optional()
    .describe('`jsonl`: one entry a line, as `accept: application/x-ndjson` asks for too.'),
})
