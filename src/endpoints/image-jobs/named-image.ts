/**
 * Images that a request names by address: on the web, or uploaded before (contract 4.1 and 4.8). Nothing is
 * fetched.
 */
import { namedPicture } from '../../behaviours/uploads/upload.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { unsuitableField } from './refusals.ts'
import { invalidAddress, isHttpAddress } from './schema.ts'

/**
 * Throws 400 with code 2004 for an invalid address, a file that was never uploaded, or one that is no image.
 */
export function checkImageName(
  address: string | undefined,
  field: 'imgUrl' | 'mask.url',
  context: Context,
): void {
  if (address === undefined) return
  const named = namedPicture(address, context)
  if (named.kind === 'wrong') throw unsuitableField(field, named.problem)
  if (named.kind === 'elsewhere' && !isHttpAddress(address))
    throw unsuitableField(field, invalidAddress(address))
}
