/** Entries of a journal: how they are filtered and paged, and how they look as JSON. */

import * as z from 'zod'
import { parseTimestamp } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'
import type { JournalEntry } from '../engine/journal-entry.ts'

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
  /** Whether `strict` rejected the call because no rule matched it. */
  readonly unmatched?: boolean | undefined
  /** Calls at this virtual time or later: ISO 8601, or milliseconds since the epoch. */
  readonly since?: string | number | undefined
  /** Calls before this virtual time. */
  readonly until?: string | number | undefined
  /** Calls with a `seq` greater than this. */
  readonly after?: number | undefined
  /** The maximum number of entries. */
  readonly limit?: number | undefined
}

/** A filter whose times are virtual milliseconds since the epoch. */
export interface JournalQuery extends Omit<JournalFilter, 'since' | 'until'> {
  readonly since?: number | undefined
  readonly until?: number | undefined
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
  const { after, limit = defaultLimit, ...asked } = query
  const matching = entries.filter((entry) => isWanted(entry, asked))
  const wanted = after === undefined ? matching : matching.filter(({ seq }) => seq > after)
  const page = wanted.slice(0, limit)
  const more = wanted.length - page.length
  return {
    entries: page,
    matching: matching.length,
    more,
    next: more === 0 ? null : (page.at(-1)?.seq ?? after ?? -1),
  }
}

function isWanted(
  entry: JournalEntry,
  { operation, status, since, until, ...equal }: Omit<JournalQuery, 'after' | 'limit'>,
): boolean {
  return (
    (operation === undefined || isOperation(entry.operation, operation)) &&
    (status === undefined || hasStatus(entry.status, String(status))) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at < until) &&
    equalFields.every((name) => equal[name] === undefined || equal[name] === entry[name])
  )
}

/** Fields that must be the same. */
const equalFields = ['rule', 'caller', 'requestId', 'ended', 'unmatched'] as const

function isOperation(operation: string | undefined, wanted: string): boolean {
  return wanted.endsWith('*') ? operation?.startsWith(wanted.slice(0, -1)) === true : operation === wanted
}

function hasStatus(status: number, wanted: string): boolean {
  return wanted.endsWith('xx') ? String(status)[0] === wanted[0] && status >= 100 : String(status) === wanted
}

const timestamp = lazy(() =>
  z.string().transform((written, context) => {
    const at = parseTimestamp(/^\d+$/.test(written) ? Number(written) : written)
    if (at !== undefined) return at
    context.addIssue({
      code: 'custom',
      message:
        'expected an ISO 8601 timestamp with its zone such as 2026-01-01T00:00:00Z, or milliseconds since ' +
        'the epoch',
    })
    return z.NEVER
  }),
)

/** The same, as it is in a query string. @internal */
export const journalQuery = lazy(() =>
  z.strictObject({
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
    requestId: z.string().optional().describe('The request id of the response.'),
    ended: z.enum(['open', 'completed', 'aborted', 'cut']).optional().describe('How the response ended.'),
    unmatched: z
      .enum(['true', 'false'])
      .transform((word) => word === 'true')
      .optional()
      .describe('Whether `strict` rejected the call because no rule matched it.'),
    since: timestamp().optional().describe('Calls at this virtual time or later.'),
    until: timestamp().optional().describe('Calls before this virtual time.'),
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
  }),
)

const isoTimestamp = lazy(() => z.iso.datetime())

/** The shape of `wireEntry`. @internal */
export const wireEntrySchema = lazy(() =>
  z.strictObject({
    seq: z.int().describe('Its number in the session, from 0.'),
    at: isoTimestamp().describe('Virtual time.'),
    realAt: isoTimestamp().nullable().describe('The wall clock; differs from run to run.'),
    session: z.string(),
    namedBy: z.enum(['prefix', 'header', 'key', 'id', 'default']).describe('How the call named its session.'),
    requestId: z.string(),
    operation: z.string().nullable(),
    method: z.string(),
    path: z.string().describe('Path and query as sent, without a session prefix.'),
    key: z.string().nullable().describe('The API key, shortened.'),
    caller: z.string().nullable().describe('Eight digits that tell keys apart.'),
    headers: z
      .record(z.string(), z.string())
      .describe('Those of the request; keys and cookies are shortened.'),
    request: z.string().nullable().describe('The body of the request, or its beginning.'),
    rule: z.string().nullable().describe('The scenario rule that answered.'),
    decidedBy: z.string().nullable().describe('What decided the response, when not the default behaviour.'),
    unmatched: z.boolean().describe('Whether `strict` rejected the call because no rule matched it.'),
    transitions: z
      .array(z.strictObject({ resource: z.string(), id: z.string(), from: z.unknown(), to: z.unknown() }))
      .describe('What the call made, removed, or saw changed since a poll last looked.'),
    status: z.int(),
    response: z.string().nullable().describe('The body of the response as it was written, or its beginning.'),
    stream: z
      .array(z.strictObject({ offset: z.number(), event: z.string().optional(), data: z.string() }))
      .describe(
        'The events of a streamed response; offsets in virtual milliseconds. Of one that was cut or left, ' +
          'those that were handed over; while it is open, those to come as well.',
      ),
    faults: z.array(z.string()).describe('The faults that were applied to the response.'),
    rejection: z
      .strictObject({
        type: z.string(),
        code: z.int(),
        param: z.string().optional(),
        jobId: z.string().optional(),
        retryAfterMs: z.number().optional(),
      })
      .nullable()
      .describe('What a rejection said.'),
    violations: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .describe('Where the request broke the contract.'),
    ignored: z.array(z.string()).describe('Fields of the body that the endpoint does not know.'),
    ended: z.enum(['open', 'completed', 'aborted', 'cut']).describe('How the response ended.'),
    events: z.int().describe('Stream events handed over so far.'),
    bug: z.string().nullable().describe('What went wrong in the simulator itself.'),
  }),
)

/** @internal */
export type WireEntry = z.output<ReturnType<typeof wireEntrySchema>>

const iso = (at: number): string => new Date(at).toISOString()

const fields = lazy(() => Object.keys(wireEntrySchema().shape) as (keyof WireEntry)[])

/** One entry as JSON. Times are ISO 8601, what there is not is null. @internal */
export function wireEntry(entry: JournalEntry): WireEntry {
  const values = fields().map((name) => {
    const value = entry[name]
    return [name, Array.isArray(value) ? [...(value as unknown[])] : (value ?? null)] as const
  })
  return {
    ...(Object.fromEntries(values) as WireEntry),
    at: iso(entry.at),
    realAt: entry.realAt === undefined ? null : iso(entry.realAt),
    headers: { ...entry.headers },
  }
}

export function jsonLines(entries: readonly JournalEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(wireEntry(entry))}\n`).join('')
}

type Field<Name extends keyof JournalEntry> = undefined extends JournalEntry[Name]
  ? Exclude<JournalEntry[Name], undefined> | null
  : JournalEntry[Name]

/** A journal entry as JSON: times are ISO 8601, and null replaces undefined. */
export type JournalEntryJson = {
  readonly [Name in Exclude<
    keyof JournalEntry,
    'at' | 'realAt' | 'considered' | 'notes' | 'rulesAsked' | 'rulesTried'
  >]: Field<Name>
} & { readonly at: string; readonly realAt: string | null }
