/** An error event that ends a stream in the middle. */
import * as z from 'zod'
import { ApiError, type RefusalType, refusals } from '../../protocol/errors.ts'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { afterEvents } from './places.ts'

export const errorEvent = defineFault({
  kind: 'error-event',
  part: 'stream',
  what: 'An error event of the API ends a stream that began with 200.',
  on: canStream,
  endsStream: true,
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      type: z
        .enum(Object.keys(refusals) as [RefusalType])
        .default('api_error')
        .describe('The type of the error.'),
      message: z.string().min(1).default('The server had an error while streaming.').describe('Its message.'),
    }),
  events: (events, { afterEvents, type, message }, renderError) => [
    ...events.slice(0, afterEvents),
    { after: 0, ...renderError(new ApiError(type, message)) },
  ],
})
