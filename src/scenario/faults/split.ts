/** One event that arrives in two reads. */
import * as z from 'zod'
import { duration } from '../format/values.ts'
import { defineFault, onWire } from './fault.ts'
import { afterEvents, streaming } from './places.ts'

export const splitEvent = defineFault({
  kind: 'split',
  part: 'stream',
  what: 'One event arrives in two reads, cut inside a character of several bytes or at another awkward place.',
  on: streaming,
  inProcess: 'the body stream gives the same two chunks',
  place: 'afterEvents',
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      inside: z
        .enum(['character', 'field', 'data', 'end'])
        .default('character')
        .describe(
          'Where it is cut: inside the first character of several bytes from that event on (in the middle of the event, when no such character comes), inside `data:`, inside its text, between its last two line ends.',
        ),
      atByte: z
        .int()
        .min(1)
        .optional()
        .describe('How many bytes of the event come first, in the place of `inside`.'),
      pause: duration('How long the second half takes.').prefault('0s'),
    }),
  edit: (reply, { afterEvents, inside, atByte, pause }) =>
    onWire(reply, { kind: 'split', afterEvents, inside: atByte ?? inside, pause }),
})
