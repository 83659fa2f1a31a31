/** The connection breaks in the middle of a stream. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { cutAt } from '../../protocol/pieces.ts'
import { defineFault } from './fault.ts'
import { afterBytes, afterEvents } from './places.ts'

const endings = {
  reset: 'the socket is reset (RST)',
  close: 'the socket is closed',
  end: 'the stream ends as if it were complete',
}

export const disconnect = defineFault({
  kind: 'disconnect',
  part: 'stream',
  what: [
    'The connection breaks in the middle of the stream. What came before arrives; then the socket is',
    'reset (RST) or closed, or the stream ends as if it were complete.',
  ].join(' '),
  on: canStream,
  endsStream: true,
  inProcess: 'the body stream errors (`reset`, `close`) or ends (`end`) at the same place',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      afterBytes: afterBytes('How many bytes arrive before it, instead of events.'),
      how: z
        .enum(['reset', 'close', 'end'])
        .default('reset')
        .describe(
          [
            'Whether the socket is reset, closed before the body is complete, or closed as if it were',
            'complete.',
          ].join(' '),
        ),
    }),
  seen: ({ how }) =>
    `The connection breaks in the middle of the stream. What came before arrives; then ${endings[how]}.`,
  wire: ({ afterEvents, afterBytes, how }) => cutAt({ afterEvents, afterBytes }, how),
})
