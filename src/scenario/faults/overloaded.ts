/** The service is overloaded. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { wait } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const overloaded = defineFault({
  kind: 'overloaded',
  part: 'api',
  what: 'The service is overloaded: 503 (messages: 529; the object store of uploads: 503 `SlowDown`).',
  on: everyOperation,
  options: () =>
    z.strictObject({
      retryAfter: wait(
        [
          'The `retry-after` of the reply, with its unit (`7s`); none if left out. SDKs wait this',
          'long in real time in every clock mode: keep it short unless a test asserts it.',
        ].join(' '),
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
