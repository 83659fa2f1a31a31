/** Holds the simulator's own replies against the schemas it publishes: what it says must be what it promises. */
import type { Endpoint } from './protocol/endpoint.ts'
import { originMark, type Reply } from './protocol/reply.ts'
import { findings } from './protocol/wording.ts'

/** Throws a plain error (a bug of ours) when a reply or a stream event breaks its endpoint's schema. */
export function selfCheck(endpoint: Endpoint, reply: Reply): void {
  const { body } = reply
  if (body.kind === 'json' && endpoint.reply !== undefined) {
    // As the client will read it: what JSON drops is not there, and links have an address.
    const value: unknown = JSON.parse(JSON.stringify(body.value).replaceAll(originMark, 'http://gateway'))
    const result = endpoint.reply.safeParse(value)
    if (!result.success) throw new Error(`the reply of ${endpoint.operation} breaks its own schema: ${worded(findings(result.error, value))}`)
  }
  if (body.kind === 'json' && endpoint.reply === undefined) throw new Error(`${endpoint.operation} answers JSON but declares no reply schema`)
  if (body.kind === 'events') {
    if (endpoint.event === undefined) throw new Error(`${endpoint.operation} streams but declares no event schema`)
    for (const [index, event] of body.events.entries()) {
      if (event.data === '[DONE]' || event.raw !== undefined) continue
      const value: unknown = JSON.parse(event.data)
      if (value !== null && typeof value === 'object' && 'error' in value) continue
      const result = endpoint.event.safeParse(value)
      if (!result.success) throw new Error(`event ${index} of ${endpoint.operation} breaks its own schema: ${worded(findings(result.error, value))}`)
    }
  }
}

const worded = (found: readonly { field: string; message: string }[]): string => found.map(({ field, message }) => `${field}: ${message}`).join('; ')
