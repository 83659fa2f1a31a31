/** The stream ends without its end marker (`[DONE]`, `message_stop`). */
import * as z from 'zod'
import { defineFault } from './fault.ts'
import { streaming } from './places.ts'

export const missingEnd = defineFault({
  kind: 'missing-end',
  part: 'stream',
  what: 'The stream ends without its end marker (`[DONE]`, `message_stop`, the last `completed`).',
  on: streaming,
  inProcess: 'the same events',
  options: () => z.strictObject({}),
  edit: (reply) => (reply.body.kind === 'events' ? { ...reply, body: { kind: 'events', events: reply.body.events.slice(0, -1) } } : reply),
})
