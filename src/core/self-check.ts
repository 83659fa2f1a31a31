/**
 * Holds the simulator's own replies against the schemas it publishes: what it says must be what it promises.
 */
import type * as z from 'zod'
import type { Endpoint } from '../protocol/endpoint.ts'
import { replyFindings } from '../protocol/findings.ts'
import { originMark, type Reply } from '../protocol/reply.ts'

/** Throws a plain error (a bug of ours) when a reply or a stream event breaks its endpoint's schema. */
export function selfCheck(endpoint: Endpoint, reply: Reply): void {
  const { operation } = endpoint
  if (reply.body.kind === 'json' && endpoint.reply === undefined)
    throw new Error(`${operation} answers JSON but declares no reply schema`)
  if (reply.body.kind === 'events' && endpoint.event === undefined)
    throw new Error(`${operation} streams but declares no event schema`)
  const breach = breachOf(endpoint, reply)
  if (breach === undefined) return
  const [, event, finding] = /^(event \d+): (.*)$/s.exec(breach) ?? []
  throw new Error(
    event === undefined
      ? `the reply of ${operation} breaks its own schema: ${breach}`
      : `${event} of ${operation} breaks its own schema: ${finding}`,
  )
}

/** What of a reply breaks its endpoint's schemas; undefined when nothing does. */
export function breachOf(
  endpoint: { readonly reply?: z.ZodType | undefined; readonly event?: z.ZodType | undefined },
  { body }: Reply,
): string | undefined {
  if (body.kind === 'json' && endpoint.reply !== undefined) {
    // As the client will read it: what JSON drops is not there, and links have an address.
    const value: unknown = JSON.parse(JSON.stringify(body.value).replaceAll(originMark, 'http://gateway'))
    const result = endpoint.reply.safeParse(value)
    return result.success ? undefined : worded(replyFindings(result.error, value))
  }
  if (body.kind === 'events' && endpoint.event !== undefined) {
    for (const [index, event] of body.events.entries()) {
      // A frame that a script spells out is the script's own.
      if (event.data === '[DONE]' || event.raw !== undefined) continue
      const value: unknown = JSON.parse(event.data)
      if (value !== null && typeof value === 'object' && 'error' in value) continue
      const result = endpoint.event.safeParse(value)
      if (!result.success) return `event ${index}: ${worded(replyFindings(result.error, value))}`
    }
  }
  return undefined
}

const worded = (found: readonly { field: string; message: string }[]): string =>
  found.map(({ field, message }) => `${field}: ${message}`).join('; ')
