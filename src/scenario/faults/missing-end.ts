/** The stream ends without its end marker (`[DONE]`, `message_stop`). */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const missingEnd = defineFault({
  kind: 'missing-end',
  part: 'stream',
  what: 'The stream ends without its end marker (`[DONE]`, `message_stop`, the last `completed`).',
  on: canStream,
  options: () => z.strictObject({}),
  events: (events) => events.slice(0, -1),
})
