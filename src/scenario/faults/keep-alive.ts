/** Comments between the events of a stream. */
import * as z from 'zod'
import { duration } from '../format/values.ts'
import { defineFault, onWire } from './fault.ts'
import { streaming } from './places.ts'

export const keepAlive = defineFault({
  kind: 'keep-alive',
  part: 'stream',
  what: 'Comments (`: ping`) come between the events, as servers send them to keep a connection open; at most 10,000 more than events.',
  on: streaming,
  inProcess: 'the same comments',
  options: () =>
    z.strictObject({
      text: z
        .string()
        .regex(/^[^\r\n]*$/, 'expected one line')
        .default('ping')
        .describe('What the comment says.'),
      every: duration('Whenever so long no event came.').optional(),
      events: z
        .int()
        .min(1)
        .optional()
        .describe('Behind each so many events; behind every event when neither option is given.'),
    }),
  edit: (reply, { text, every, events }) =>
    onWire(reply, {
      kind: 'comments',
      text,
      ...(every === undefined ? {} : { every: Math.max(1, every) }),
      ...(events === undefined && every !== undefined ? {} : { events: events ?? 1 }),
    }),
})
