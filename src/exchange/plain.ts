/** Exchanges as plain data: in the library with times as numbers, in JSON with ISO 8601 times. */

import * as z from 'zod'
import { base64 } from '../engine/bytes.ts'
import type { Cause, Exchange, ExchangeBody, JournalEntry } from './exchange.ts'

/** A copy that later events do not change. */
export function plainEntry(entry: JournalEntry): JournalEntry {
  const { considered, rulesTried, rulesAsked, notes } = entry.cause
  const cause = { ...plainCause(entry.cause), considered, rulesTried, rulesAsked, notes }
  return { ...shownExchange(entry), session: entry.session, cause }
}

/** Without what explanations are made of. */
type ShownCause = Omit<Cause, 'considered' | 'rulesTried' | 'rulesAsked' | 'notes'>

const shownExchange = (entry: Exchange): Omit<Exchange, 'cause'> => ({
  seq: entry.seq,
  source: entry.source,
  at: entry.at,
  realAt: entry.realAt,
  session: entry.session,
  operation: entry.operation,
  key: entry.key,
  caller: entry.caller,
  // Copies: the parts of a kept exchange are made when they are read.
  request: { ...entry.request },
  response: entry.response && { ...entry.response },
  ended: entry.ended,
  firstByteAfter: entry.firstByteAfter,
  endedAfter: entry.endedAfter,
  redacted: entry.redacted,
})

function plainCause({ considered, rulesTried, rulesAsked, notes, ...shown }: Cause): ShownCause {
  return shown
}

const timestamp = () => z.iso.datetime()

const headersSchema = () =>
  z.array(z.tuple([z.string(), z.string()])).describe('Pairs of a lower-case name and a value.')

const bodySchema = () =>
  z
    .strictObject({
      text: z.string().optional().describe('The body, or its beginning; absent if it is no text.'),
      bytes: z.string().optional().describe('A body that is no text, as base64.'),
      size: z.int().describe('The size of the whole body in bytes; if it is not complete, at least this.'),
      isComplete: z.boolean().describe('Whether all of the body is here.'),
      isSummary: z.boolean().optional().describe('Whether the text describes a form or bytes.'),
    })
    .optional()

const eventSchema = () =>
  z.strictObject({
    at: z.number().describe('Virtual milliseconds after the request.'),
    event: z.string().optional(),
    data: z.string(),
  })

/** The request in JSON. @internal */
export const requestSchema = () =>
  z.strictObject({
    method: z.string(),
    url: z.string().describe('Path and query as sent, without a session prefix.'),
    headers: headersSchema(),
    body: bodySchema(),
  })

/** The response in JSON. @internal */
export const responseSchema = () =>
  z.strictObject({
    status: z.int(),
    headers: headersSchema(),
    body: bodySchema(),
    events: z
      .array(eventSchema())
      .optional()
      .describe('The events of a stream that were sent; absent for other responses.'),
    eventCount: z.int().optional().describe('The number of events sent so far.'),
    chunks: z.array(z.strictObject({ at: z.number(), bytes: z.int() })).optional(),
  })

/** The cause in JSON. @internal */
export const causeSchema = () =>
  z.strictObject({
    requestId: z.string(),
    namedBy: z
      .enum(['prefix', 'header', 'key', 'id', 'default'])
      .describe('How the request selected its session.'),
    rule: z.string().optional().describe('The scenario rule that answered.'),
    decidedBy: z
      .strictObject({
        kind: z
          .enum([
            'rule',
            'reserved-key-word',
            'reserved-model',
            'reserved-prompt',
            'reserved-path',
            'breakpoint',
            'user-handler',
            'strict',
            'outage',
          ])
          .describe('The kind of the source.'),
        name: z.string().optional().describe('The rule, or the reserved value as written.'),
      })
      .optional()
      .describe('The source of the response; absent for the default response.'),
    unmatched: z.boolean().describe('Whether `strict` rejected the request because no rule matched it.'),
    transitions: z
      .array(z.strictObject({ resource: z.string(), id: z.string(), from: z.unknown(), to: z.unknown() }))
      .describe('Jobs that the request created or removed, or that changed since the last poll.'),
    faults: z.array(z.string()).describe('The faults that were applied to the response.'),
    rejection: z
      .strictObject({
        type: z.string(),
        code: z.int(),
        param: z.string().optional(),
        jobId: z.string().optional(),
        retryAfterMs: z.number().optional(),
      })
      .optional()
      .describe('The fields of an error response.'),
    violations: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .describe('The contract violations of the request.'),
    ignored: z.array(z.string()).describe('Unknown fields of the body.'),
    coming: z
      .array(eventSchema())
      .optional()
      .describe('The events of an open stream that are still to come.'),
    stalledAfter: z
      .number()
      .optional()
      .describe('When an open response stalled, in virtual milliseconds after the request.'),
    bug: z.string().optional().describe('The internal error of the simulator, if any.'),
  })

/** A journal entry in JSON. @internal */
export const entrySchema = () =>
  z.strictObject({
    seq: z.int().describe('The number of the request in its session, from 0.'),
    source: z.string().optional().describe('Its place in a file.'),
    at: timestamp().describe('The virtual time.'),
    realAt: timestamp().optional().describe('The wall-clock time, which differs between runs.'),
    session: z.string(),
    operation: z.string().optional(),
    key: z.string().optional().describe('The API key, shortened.'),
    caller: z.string().optional().describe('Eight hex digits that identify the API key.'),
    request: requestSchema(),
    response: responseSchema().optional().describe('Absent if there was none.'),
    ended: z.enum(['open', 'completed', 'aborted', 'disconnected']).describe('How the response ended.'),
    firstByteAfter: z.number().describe('Virtual milliseconds from the request to the first byte.'),
    endedAfter: z.number().describe('Virtual milliseconds from the request to the last byte so far.'),
    redacted: z.array(z.string()).describe('The redacted parts: `header:authorization`.'),
    cause: causeSchema(),
  })

type AsJson<Value> = Value extends Uint8Array
  ? string
  : Value extends object
    ? { readonly [Name in keyof Value]: AsJson<Value[Name]> }
    : Value

/** An exchange as JSON: times are ISO 8601, bytes are base64, and absent fields are dropped. */
export interface ExchangeJson extends AsJson<Omit<Exchange, 'at' | 'realAt' | 'cause'>> {
  readonly at: string
  readonly realAt?: string | undefined
}

/** A journal entry as JSON. */
export interface JournalEntryJson extends ExchangeJson {
  readonly session: string
  readonly cause: ShownCause
}

const iso = (at: number): string => new Date(at).toISOString()

const bodyJson = (body: ExchangeBody | undefined): AsJson<ExchangeBody> | undefined =>
  body && { ...body, bytes: body.bytes && base64(body.bytes) }

/** @internal */
export function entryJson(entry: JournalEntry): JournalEntryJson {
  return { ...exchangeJson(entry), session: entry.session, cause: plainCause(entry.cause) }
}

/** @internal */
export function exchangeJson(exchange: Exchange): ExchangeJson {
  const shown = shownExchange(exchange)
  const { at, realAt, request, response } = shown
  return {
    ...shown,
    at: iso(at),
    realAt: realAt === undefined ? undefined : iso(realAt),
    request: { ...request, body: bodyJson(request.body) },
    response: response && { ...response, body: bodyJson(response.body) },
  }
}
