/** The stream ends without its end marker (`[DONE]`, `message_stop`). */
import * as z from 'zod'
import { defineFault, withEvents } from './fault.ts'
import { streaming } from './places.ts'

export const missingEnd = defineFault({
  kind: 'missing-end',
  part: 'stream',
  what: 'The stream ends without its end marker (`[DONE]`, `message_stop`, the last `completed`).',
  on: streaming,
  inProcess: 'the same events',
  options: () => z.strictObject({}),
  edit: (reply) => withEvents(reply, (events) => events.slice(0, -1)),
})
