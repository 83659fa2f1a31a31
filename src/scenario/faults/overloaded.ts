/** The service has too much to do. */
import * as z from 'zod'
import { duration } from '../format/values.ts'
import { defineFault } from './fault.ts'

export const overloaded = defineFault({
  kind: 'overloaded',
  part: 'api',
  what: '503, overloaded (messages: 529; the object store of uploads: `SlowDown`).',
  on: ['*'],
  inProcess: 'the same reply',
  options: () => z.strictObject({ retryAfter: duration('After which the client may try again: `retry-after`; none when left out.').optional() }),
  plan: ({ retryAfter }) => ({ refuse: { type: 'overloaded_error', before: 'act', message: 'The engine is currently overloaded, please try again later.', ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }) } }),
})
