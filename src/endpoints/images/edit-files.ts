/**
 * Checks the files of an edit by the rules of each kind of model (contract 4.5 and 8), by their bytes and
 * never by their names.
 */
import { describeFile } from '../../behaviours/uploads/file-part.ts'
import type { FilePart, ImageFacts } from '../../protocol/call.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { fieldPath } from '../../protocol/wording.ts'
import type { Model } from './models.ts'
import { describeModel } from './rules.ts'
import { placeOf } from './schema.ts'

/** A source image of an edit, intact as far as was checked. `path` names one that was uploaded before. */
export type SourceImage = FilePart & { readonly image: ImageFacts; readonly path?: string }

/** The pictures of an edit. */
export interface SourceImages {
  readonly images: readonly SourceImage[]
  readonly mask: SourceImage | undefined
}

const megabyte = 1024 * 1024
const maxSizes = { images: 16, imageBytes: 50 * megabyte, smallBytes: 4 * megabyte } as const

/** Where even the most that a model takes ends: a larger file is never looked into. */
export const maxFileBytes = maxSizes.imageBytes

/** Everything about the pictures that does not suit the model. */
export function* fileFindings(
  { images, mask }: SourceImages,
  model: Model,
  settings: Settings,
): Generator<Finding> {
  const first = images[0] as SourceImage
  const fieldOf = (index: number): string => fieldPath(['image', ...placeOf(index, images.length)])
  if (model.kind === 'a') {
    if (images.length > maxSizes.images)
      yield {
        field: 'image',
        message:
          `expected at most ${maxSizes.images} pictures for ${describeModel(model)}, ` +
          `got ${images.length}`,
      }
    for (const [index, image] of images.entries()) yield* newestFindings(image, fieldOf(index))
  } else {
    if (images.length > 1)
      yield {
        field: 'image',
        message:
          `expected exactly one picture for ${describeModel(model)}, got ${images.length}: send one, or ` +
          'name a model of kind A',
      }
    yield* squareFindings(first, fieldOf(0), model)
  }
  if (mask !== undefined) yield* maskFindings(mask, first)
  else if (
    settings.images.transparencyWithoutMask === 'all' ||
    settings.images.transparencyWithoutMask === model.kind
  )
    yield* transparencyFindings(
      first,
      fieldOf(0),
      'without a mask expected a picture with transparent pixels, which show where to edit',
    )
}

function* newestFindings(file: SourceImage, field: string): Generator<Finding> {
  if (file.image.format === 'gif')
    yield {
      field,
      message: `expected a PNG, WebP or JPEG picture, got ${describeFile(file)}, whose bytes are a GIF`,
    }
  if (file.size >= maxSizes.imageBytes)
    yield {
      field,
      message: `expected less than 50 MB (${maxSizes.imageBytes} bytes), got ${describeFile(file)}`,
    }
}

function* squareFindings(file: SourceImage, field: string, model: Model): Generator<Finding> {
  const { format, width, height } = file.image
  if (format !== 'png')
    yield {
      field,
      message:
        `expected a PNG for ${describeModel(model)}, got ${describeFile(file)}, whose bytes are ` +
        `${format.toUpperCase()}`,
    }
  if (width !== height)
    yield {
      field,
      message: `expected a square picture for ${describeModel(model)}, got ${width}x${height} pixels`,
    }
  if (file.size >= maxSizes.smallBytes)
    yield {
      field,
      message:
        `expected less than 4 MB (${maxSizes.smallBytes} bytes) for ${describeModel(model)}, got ` +
        `${describeFile(file)}`,
    }
}

function* maskFindings(mask: SourceImage, { image }: SourceImage): Generator<Finding> {
  const field = 'mask'
  const { format, width, height } = mask.image
  if (format !== 'png')
    yield {
      field,
      message: `expected a PNG, got ${describeFile(mask)}, whose bytes are ${format.toUpperCase()}`,
    }
  if (mask.size >= maxSizes.smallBytes)
    yield {
      field,
      message: `expected less than 4 MB (${maxSizes.smallBytes} bytes), got ${describeFile(mask)}`,
    }
  if (width !== image.width || height !== image.height)
    yield {
      field,
      message:
        `expected ${image.width}x${image.height} pixels, as the first picture has, ` +
        `got ${width}x${height}`,
    }
  if (format === 'png')
    yield* transparencyFindings(mask, field, 'expected transparent pixels, which show where to edit')
}

function* transparencyFindings(file: SourceImage, field: string, expected: string): Generator<Finding> {
  const { pixels, hasTransparency, width, height } = file.image
  if (pixels === 'unseen')
    yield {
      field,
      message: `${expected}, got ${width}x${height} pixels, more than are looked at: send a smaller one`,
    }
  // Calls that bypass HTTP may have files whose pixels were not inspected: then the header has to do.
  else if (pixels === undefined ? !hasTransparency : pixels === 'opaque')
    yield {
      field,
      message:
        `${expected}, got ${describeFile(file)}` +
        (hasTransparency ? ', whose pixels are all opaque' : ', which has no alpha channel'),
    }
}
