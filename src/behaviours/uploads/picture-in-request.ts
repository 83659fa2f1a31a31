/** A picture that a request names: uploaded before (contract 4.8), or elsewhere. Nothing is fetched. */
import type { Context } from '../../protocol/endpoint.ts'
import { invalid } from '../../protocol/validate.ts'
import { fieldPath, show } from '../../protocol/wording.ts'
import { namedPicture, type UploadedFile } from './upload.ts'

/** Where a picture may be that is not uploaded. */
export interface Elsewhere {
  readonly fits: RegExp
  /** What a text must be, in words: `expected …`. */
  readonly expected: string
}

/**
 * The uploaded file; undefined for a picture elsewhere. Throws 400 for a name without a file, a file that is
 * no picture, and what names nothing at all.
 */
export function pictureInRequest(
  name: string,
  field: readonly PropertyKey[],
  elsewhere: Elsewhere,
  context: Context,
): UploadedFile | undefined {
  const named = namedPicture(name, context)
  if (named.kind === 'uploaded') return named.file
  if (named.kind === 'elsewhere' && elsewhere.fits.test(name)) return undefined
  const message = named.kind === 'wrong' ? named.problem : `${elsewhere.expected}, got ${show(name)}`
  throw invalid([{ field: fieldPath(field), message }], undefined)
}
