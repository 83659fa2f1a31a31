/**
 * The source images of an edit: files of the form, and references to uploaded files (contract 4.8). Nothing
 * is fetched.
 */

import { storagePath } from '../../behaviours/uploads/address.ts'
import { findUpload } from '../../behaviours/uploads/upload.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Finding } from '../../protocol/findings.ts'
import { fieldPath } from '../../protocol/wording.ts'
import type { SourceImage, SourceImages } from './edit-files.ts'
import { type EditRequest, expectedFile, imageFault, invalidFileName, placeOf } from './schema.ts'

/** The pictures of a request that validation has let through, or what is wrong with the names in it. */
export function sourceImagesOf(
  { image, mask }: EditRequest,
  context: Context,
): SourceImages | { readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const find = (part: unknown, what: string, field: string): SourceImage => {
    const found = typeof part === 'string' ? uploaded(part, what, context) : (part as SourceImage)
    if (typeof found === 'string') findings.push({ field, message: found })
    return found as SourceImage
  }
  const images = image.map((part, index) =>
    find(part, expectedFile.image, fieldPath(['image', ...placeOf(index, image.length)])),
  )
  const pictures = { images, mask: mask == null ? undefined : find(mask, expectedFile.mask, 'mask') }
  return findings.length > 0 ? { findings } : pictures
}

/** An uploaded file as one of the form, or a sentence (without full stop) that says why it is none. */
function uploaded(name: string, what: string, context: Context): SourceImage | string {
  const found = findUpload(name, context)
  if (typeof found !== 'object') return found ?? invalidFileName(what, name)
  const {
    key,
    type,
    bytes: { size, sha256, image, content },
  } = found
  const file = {
    filename: key.slice(key.lastIndexOf('/') + 1),
    type: type.split(';', 1)[0]?.trim().toLowerCase() ?? '',
    size,
    sha256,
    content,
    path: storagePath(found, context.settings),
    ...(image === undefined ? {} : { image }),
  }
  return imageFault(what, file) ?? (file as SourceImage)
}
