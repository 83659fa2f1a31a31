/** The files of images in requests: parts of a form. */

import * as z from 'zod'
import { isFields } from '../../engine/fields.ts'
import type { ImageFacts } from '../../protocol/call.ts'
import { fileMark } from '../../protocol/validate.ts'

/** A form file for validation: facts without bytes. */
export const filePart = (expected?: string) =>
  z.preprocess(
    (value) => (isFields(value) && !Object.hasOwn(value, fileMark) ? undefined : value),
    z.object(
      {
        filename: z.string(),
        contentType: z.string(),
        size: z.number(),
        sha256: z.string(),
        image: z.custom<ImageFacts>().optional(),
      },
      expected,
    ),
  )

/** A form file. */
export interface SentFile {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  readonly image?: ImageFacts | undefined
}

/** A short description of a file: its name its declared type and its size. */
export function describeFile({ filename, contentType, size }: SentFile): string {
  const name = filename.length > 60 ? `${filename.slice(0, 59)}…` : filename
  const type = contentType === '' ? 'no type' : contentType.slice(0, 60)
  return `${JSON.stringify(name)} (${type}, ${size} bytes)`
}

/** The facts of a usable image, or a message without full stop. `got` describes the file. */
export function usableImage(
  wanted: string,
  got: string,
  { size, image }: Pick<SentFile, 'size' | 'image'>,
): ImageFacts | string {
  const expected = `expected ${wanted}, got ${got}`
  if (size === 0) return `${expected}, which is empty`
  if (image === undefined) return `${expected}, whose content is not an image`
  return image.damage === undefined ? image : `${expected}, an invalid ${image.format} file: ${image.damage}`
}
