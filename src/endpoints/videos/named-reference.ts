/**
 * The image that a submission names instead of sending a file: on the web, or uploaded before (contract 4.8).
 * Nothing is fetched.
 */
import type * as z from 'zod'
import { namedPicture } from '../../behaviours/uploads/upload.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { invalid } from '../../protocol/validate.ts'
import { type createBody, invalidImageAddress, isImageAddress } from './schema.ts'

/**
 * Throws 400 for an invalid address, a file that was never uploaded, or one that cannot start a video.
 */
export function checkReference(
  reference: z.output<typeof createBody>['input_reference'],
  context: Context,
): void {
  if (reference == null || (typeof reference === 'object' && 'sha256' in reference)) return
  if (typeof reference === 'string') checkName(reference, 'input_reference', context)
  else if (typeof reference['image_url'] === 'string')
    checkName(reference['image_url'], 'input_reference.image_url', context)
  // File ids are not checked, unless one is the path of an upload.
  else if (typeof reference['file_id'] === 'string')
    checkName(reference['file_id'], 'input_reference.file_id', context, true)
}

function checkName(name: string, field: string, context: Context, isId = false): void {
  const named = namedPicture(name, context)
  if (named.kind === 'wrong') throw invalid([{ field, message: named.problem }], undefined)
  if (named.kind === 'uploaded' && named.image.format === 'gif')
    throw invalid(
      [{ field, message: 'expected a PNG, JPEG or WebP picture, got an uploaded GIF' }],
      undefined,
    )
  if (named.kind === 'elsewhere' && !isId && !isImageAddress(name))
    throw invalid([{ field, message: invalidImageAddress(name) }], undefined)
}
