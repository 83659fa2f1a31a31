/** The body comes a few bytes at a time. */
import * as z from 'zod'
import { duration } from '../format/values.ts'
import { defineFault, onWire } from './fault.ts'

export const dribble = defineFault({
  kind: 'dribble',
  part: 'body',
  what: 'The body comes a few bytes at a time, with a pause between them; in at most 10,000 pieces.',
  on: ['*'],
  inProcess: 'the body stream gives the same pieces',
  options: () =>
    z.strictObject({
      bytes: z.int().min(1).default(16).describe('How many bytes come at a time.'),
      every: duration('How long it takes from one piece to the next.').prefault('100ms'),
    }),
  edit: (reply, { bytes, every }) => onWire(reply, { kind: 'dribble', bytes, every }),
})
