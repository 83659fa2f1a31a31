/** An error event in the middle of a stream that began with 200; it is the last thing the client hears. */
import * as z from 'zod'
import { ApiError, refusals, type RefusalType } from '../../protocol/errors.ts'
import { defineFault } from './fault.ts'
import { streaming } from './places.ts'

export const errorEvent = defineFault({
  kind: 'error-event',
  part: 'stream',
  what: 'An error event in the middle of a stream that began with 200, in the words of its API; nothing follows it.',
  on: streaming,
  inProcess: 'the same event',
  place: 'afterEvents',
  options: () =>
    z.strictObject({
      afterEvents: z.int().min(0).default(1).describe('How many events arrive before it.'),
      type: z.enum(Object.keys(refusals) as [RefusalType]).default('api_error').describe('Which error of the catalogue it is.'),
      message: z.string().min(1).default('The server had an error while streaming.').describe('What it says.'),
    }),
  edit(reply, { afterEvents, type, message }, { renderError }) {
    if (reply.body.kind !== 'events') return reply
    const kept = reply.body.events.slice(0, afterEvents)
    return { ...reply, body: { kind: 'events', events: [...kept, { after: 0, ...renderError(new ApiError(type, message)) }] } }
  },
})
