/** The service has too much to do. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { wait } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const overloaded = defineFault({
  kind: 'overloaded',
  part: 'api',
  what: '503, overloaded (messages: 529; the object store of uploads: `SlowDown`).',
  on: everyOperation,
  inProcess: 'the same reply',
  options: () =>
    z.strictObject({
      retryAfter: wait(
        'After which the client may try again: `retry-after`, in every clock mode as it is written, with its unit (`7s`); none when left out. SDKs sleep it in real time, in `auto` too: write it short unless it is asserted.',
      ).optional(),
    }),
  plan: ({ retryAfter }) => ({
    refuse: {
      type: 'overloaded_error',
      before: 'act',
      message: 'The engine is currently overloaded, please try again later.',
      ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
    },
  }),
})
