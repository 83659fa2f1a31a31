/** A stream that begins with a byte order mark. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'
import { frame } from './frames.ts'

export const bom = defineFault({
  kind: 'bom',
  part: 'stream',
  what: 'The stream begins with a byte order mark, which clients must skip.',
  on: canStream,
  options: () => z.strictObject({}),
  events: ([first, ...rest]) =>
    first === undefined ? [] : [{ ...first, raw: `\uFEFF${frame(first)}` }, ...rest],
})
