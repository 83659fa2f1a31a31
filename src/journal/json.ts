/** An entry of the journal as JSON: what the control API answers and an export holds. */
import * as z from 'zod'
import type { JournalEntry } from '../engine/journal-entry.ts'

const instant = z.iso.datetime()

/** The shape of `wireEntry`. @internal */
export const wireEntrySchema = z.strictObject({
  seq: z.int().describe('Its number in the session, from 0.'),
  at: instant.describe('Virtual time.'),
  realAt: instant.nullable().describe('The wall clock; differs from run to run.'),
  session: z.string(),
  namedBy: z.enum(['prefix', 'header', 'key', 'id', 'default']).describe('How the call named its session.'),
  requestId: z.string(),
  operation: z.string().nullable(),
  method: z.string(),
  path: z.string().describe('Path and query as sent, without a session prefix.'),
  key: z.string().nullable().describe('The API key, shortened.'),
  caller: z.string().nullable().describe('Eight digits that tell keys apart.'),
  headers: z.record(z.string(), z.string()).describe('Those of the request; keys and cookies are shortened.'),
  request: z.string().nullable().describe('The body of the request, or its beginning.'),
  rule: z.string().nullable().describe('The scenario rule that answered.'),
  decidedBy: z.string().nullable().describe('What decided the reply, when not the default behaviour.'),
  unmatched: z.boolean().describe('Whether `strict` refused the call because no rule matched it.'),
  transitions: z
    .array(z.strictObject({ resource: z.string(), id: z.string(), from: z.unknown(), to: z.unknown() }))
    .describe('What the call made, removed, or saw changed since a poll last looked.'),
  status: z.int(),
  reply: z.string().nullable().describe('The body of the reply as it was written, or its beginning.'),
  stream: z
    .array(z.strictObject({ offset: z.number(), event: z.string().optional(), data: z.string() }))
    .describe(
      'The events of a streamed reply; offsets in virtual milliseconds. Of one that was cut or left, ' +
        'those that were handed over; while it is open, those to come as well.',
    ),
  faults: z.array(z.string()).describe('The faults that the reply met.'),
  refusal: z
    .strictObject({
      type: z.string(),
      code: z.int(),
      param: z.string().optional(),
      jobId: z.string().optional(),
      retryAfterMs: z.number().optional(),
    })
    .nullable()
    .describe('What a refusal said.'),
  violations: z
    .array(z.strictObject({ field: z.string(), message: z.string() }))
    .describe('Where the request broke the contract.'),
  ignored: z.array(z.string()).describe('Fields of the body that the endpoint does not know.'),
  ended: z.enum(['open', 'completed', 'aborted', 'cut']).describe('How the reply ended.'),
  events: z.int().describe('Stream events handed over so far.'),
  bug: z.string().nullable().describe('What went wrong in the simulator itself.'),
})

/** @internal */
export type WireEntry = z.output<typeof wireEntrySchema>

const iso = (at: number): string => new Date(at).toISOString()

const fields = Object.keys(wireEntrySchema.shape) as (keyof WireEntry)[]

/** One entry as JSON. Times are ISO 8601, what there is not is null. @internal */
export function wireEntry(entry: JournalEntry): WireEntry {
  const values = fields.map((name) => {
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

/** A journal entry as JSON: instants are ISO 8601, and null replaces undefined. */
export type JournalEntryJson = {
  readonly [Name in Exclude<
    keyof JournalEntry,
    'at' | 'realAt' | 'considered' | 'notes' | 'rulesAsked' | 'rulesTried'
  >]: Field<Name>
} & { readonly at: string; readonly realAt: string | null }
