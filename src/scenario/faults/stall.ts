/** Nothing more comes after so many events, and the connection stays open until the client leaves. */
import * as z from 'zod'
import { defineFault } from './fault.ts'
import { streaming } from './places.ts'

export const stall = defineFault({
  kind: 'stall',
  part: 'stream',
  what: 'The stream says nothing more and stays open until the client leaves.',
  on: streaming,
  inProcess: 'the body stream never ends',
  place: 'afterEvents',
  options: () => z.strictObject({ afterEvents: z.int().min(0).default(1).describe('How many events arrive before it.') }),
  edit: (reply, { afterEvents }) => ({ ...reply, wire: [...(reply.wire ?? []), { kind: 'stall', afterEvents }] }),
})
