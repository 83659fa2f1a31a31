/** An upload URL that is signed for another method. */
import * as z from 'zod'
import { grantsUploads } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const wrongMethod = defineFault({
  kind: 'wrong-method',
  part: 'upload',
  what: [
    'The upload URL is signed for another method than the reply names: a request with the named method',
    'gets 405 `MethodNotAllowed`.',
  ].join(' '),
  on: grantsUploads,
  options: () => z.strictObject({}),
  plan: () => ({ upload: { wrongMethod: true } }),
})
