/** A stream that begins with a byte order mark. */
import * as z from 'zod'
import { defineFault, withEvents } from './fault.ts'
import { frame } from './frames.ts'
import { streaming } from './places.ts'

export const bom = defineFault({
  kind: 'bom',
  part: 'stream',
  what: 'The stream begins with a byte order mark, which clients are to skip.',
  on: streaming,
  inProcess: 'the same bytes',
  options: () => z.strictObject({}),
  edit: (reply) =>
    withEvents(reply, ([first, ...rest]) =>
      first === undefined ? [] : [{ ...first, raw: `\uFEFF${frame(first)}` }, ...rest],
    ),
})
