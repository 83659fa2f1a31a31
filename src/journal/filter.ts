/** Filters, pages and JSON of journal entries. */

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
  /** The hex digits that identify an API key, as in `caller` of an entry. */
  readonly caller?: string | undefined
  readonly requestId?: string | undefined
  readonly ended?: 'open' | 'completed' | 'aborted' | 'disconnected' | undefined
  /** Whether `strict` rejected the request because no rule matched it. */
  readonly unmatched?: boolean | undefined
  /** Requests at this virtual time or later: ISO 8601, or milliseconds since the epoch. */
  readonly since?: string | number | undefined
  /** Requests before this virtual time. */
  readonly until?: string | number | undefined
  /** The `seq` of a request, or a list with ranges: `1,4,7-9`. */
  readonly seq?: string | number | undefined
  /** Requests with a greater `seq`. */
  readonly cursor?: number | undefined
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
  /** How many entries match, on all pages. */
  readonly matching: number
  /** How many entries follow this page. */
  readonly more: number
  /** The `cursor` of the next page; undefined on the last page. */
  readonly nextCursor: number | undefined
}

const defaultLimit = 1000

/** One page of the matching entries, in order. */
export function filterJournal(entries: readonly JournalEntry[], query: JournalQuery = {}): JournalPage {
  const { cursor, limit = defaultLimit, seq: listed, ...asked } = query
  const isListed = listed === undefined ? () => true : inList(String(listed))
  const matching = entries.filter((entry) => isListed(entry.seq) && isWanted(entry, asked))
  const wanted = cursor === undefined ? matching : matching.filter(({ seq }) => seq > cursor)
  const page = wanted.slice(0, limit)
  const more = wanted.length - page.length
  return {
    entries: page,
    matching: matching.length,
    more,
    nextCursor: more === 0 ? undefined : (page.at(-1)?.seq ?? cursor ?? -1),
  }
}

/** Whether a number is in a list such as `1,4,7-9`. Numbers must be given in ascending order. */
function inList(list: string): (seq: number) => boolean {
  const ranges = list.split(',').map((part) => part.split('-').map(Number))
  ranges.sort(([a = 0], [b = 0]) => a - b)
  let at = 0
  let end = -1
  return (seq) => {
    for (; (ranges[at]?.[0] ?? Infinity) <= seq; at++) end = Math.max(end, ranges[at]?.at(-1) ?? -1)
    return seq <= end
  }
}

function isWanted(
  entry: JournalEntry,
  { operation, status, since, until, ...equal }: Omit<JournalQuery, 'cursor' | 'limit' | 'seq'>,
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

const timestamp = () =>
  z.string().transform((written, context) => {
    const at = parseTimestamp(/^\d+$/.test(written) ? Number(written) : written)
    if (at !== undefined) return at
    context.addIssue({
      code: 'custom',
      message:
        'expected an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or milliseconds ' +
        'since the epoch',
    })
    return z.NEVER
  })

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
    rule: z.string().optional().describe('The id of the rule that answered.'),
    caller: z.string().optional().describe('The hex digits that identify an API key.'),
    requestId: z.string().optional().describe('The request id of the response.'),
    ended: z
      .enum(['open', 'completed', 'aborted', 'disconnected'])
      .optional()
      .describe('How the response ended.'),
    unmatched: z
      .enum(['true', 'false'])
      .transform((word) => word === 'true')
      .optional()
      .describe('Whether `strict` rejected the request because no rule matched it.'),
    since: timestamp().optional().describe('Requests at this virtual time or later.'),
    until: timestamp().optional().describe('Requests before this virtual time.'),
    seq: z
      .string()
      .regex(/^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/, 'expected a number, or a list with ranges such as 1,4,7-9')
      .optional()
      .describe('The `seq` of a request, or a list with ranges: `1,4,7-9`.'),
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
    format: z
      .enum(['json', 'jsonl', 'har'])
      .optional()
      .describe(
        '`jsonl`: one entry per line, as for `accept: application/x-ndjson`. `har`: a HAR file of the ' +
          'finished requests.',
      ),
  })

const isoTimestamp = () => z.iso.datetime()

/** The schema of `wireEntry`. @internal */
export const wireEntrySchema = () =>
  z.strictObject({
    seq: z.int().describe('The number of the request in its session, from 0.'),
    at: isoTimestamp().describe('The virtual time.'),
    realAt: isoTimestamp().nullable().describe('The wall-clock time, which differs between runs.'),
    session: z.string(),
    namedBy: z
      .enum(['prefix', 'header', 'key', 'id', 'default'])
      .describe('How the request selected its session.'),
    requestId: z.string(),
    operation: z.string().nullable(),
    method: z.string(),
    path: z.string().describe('Path and query as sent, without a session prefix.'),
    key: z.string().nullable().describe('The API key, shortened.'),
    caller: z.string().nullable().describe('Eight hex digits that identify the API key.'),
    headers: z
      .record(z.string(), z.string())
      .describe('The request headers; API keys and cookies are shortened.'),
    request: z.string().nullable().describe('The body of the request, or its beginning.'),
    rule: z.string().nullable().describe('The scenario rule that answered.'),
    decidedBy: z
      .string()
      .nullable()
      .describe('The source of the response, unless it is the default response.'),
    unmatched: z.boolean().describe('Whether `strict` rejected the request because no rule matched it.'),
    transitions: z
      .array(z.strictObject({ resource: z.string(), id: z.string(), from: z.unknown(), to: z.unknown() }))
      .describe('Jobs that the request created or removed, or that changed since the last poll.'),
    status: z.int(),
    response: z.string().nullable().describe('The body of the response as sent, or its beginning.'),
    stream: z
      .array(z.strictObject({ offset: z.number(), event: z.string().optional(), data: z.string() }))
      .describe(
        'The events of a streamed response, with offsets in virtual milliseconds. Open streams ' +
          'include future events; disconnected and aborted streams include only the events sent.',
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
      .describe('The fields of an error response.'),
    violations: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .describe('The contract violations of the request.'),
    ignored: z.array(z.string()).describe('Unknown fields of the body.'),
    ended: z.enum(['open', 'completed', 'aborted', 'disconnected']).describe('How the response ended.'),
    eventCount: z.int().describe('The number of stream events sent so far.'),
    endOffset: z
      .number()
      .nullable()
      .describe(
        'When the response was cut or stalled, or the client left, in virtual milliseconds after the ' +
          'request arrived.',
      ),
    bug: z.string().nullable().describe('The internal error of the simulator, if any.'),
  })

/** @internal */
export type WireEntry = z.output<ReturnType<typeof wireEntrySchema>>

const iso = (at: number): string => new Date(at).toISOString()

const fields = lazy(() => Object.keys(wireEntrySchema().shape) as (keyof WireEntry)[])

/** One entry as JSON: times are ISO 8601, and null replaces undefined. @internal */
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
