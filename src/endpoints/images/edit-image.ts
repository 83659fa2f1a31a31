/** `POST /v1/images/edits`, with one body or a stream as its response. */

import { fileName } from '../../behaviours/image-series.ts'
import { describeFile } from '../../behaviours/uploads/image-file.ts'
import { type Random, randomFrom } from '../../engine/random.ts'
import { checkModel } from '../../protocol/auth.ts'
import type { FilePart, FormField, ImageFacts } from '../../protocol/call.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { fieldPath } from '../../protocol/wording.ts'
import { answerImages } from './answer.ts'
import { describeModel, errorsOf, type Model, modelOf, orderOf, type Rule, requestRules } from './order.ts'
import { type EditRequest, editBody, imageEvent, imagesResponse, placeOf, sampleCall } from './schema.ts'

/** A source image of an edit that passed validation. */
type SourceImage = FilePart & { readonly image: ImageFacts }

/** The images of an edit. */
interface SourceImages {
  readonly images: readonly SourceImage[]
  readonly mask: SourceImage | undefined
}

const megabyte = 1024 * 1024
const maxSizes = { images: 16, imageBytes: 50 * megabyte, smallBytes: 4 * megabyte } as const

/** The requirements of the model for the images. */
function fileRules({ images, mask }: SourceImages, model: Model, settings: Settings): Rule[] {
  const [first] = images as readonly [SourceImage]
  const named = (): string => describeModel(model)
  const fieldOf = (index: number): string => fieldPath(['image', ...placeOf(index, images.length)])
  const { length } = images
  const needed = settings.images.transparencyWithoutMask
  const ofImages: Rule[] =
    model.kind === 'a'
      ? [
          [
            'image',
            length > maxSizes.images,
            () => `expected at most ${maxSizes.images} images for ${named()}, got ${length}`,
          ],
          ...images.flatMap((image, index) => newestRules(image, fieldOf(index))),
        ]
      : [
          [
            'image',
            length > 1,
            () =>
              `expected exactly one image for ${named()}, got ${length}: ` +
              'send one image, or use a model of kind A',
          ],
          ...squareRules(first, fieldOf(0), named),
        ]
  if (mask !== undefined) return [...ofImages, ...maskRules(mask, first)]
  if (needed !== 'all' && needed !== model.kind) return ofImages
  const expected = 'expected a `mask`, or an image with transparent pixels (the area to edit)'
  return [...ofImages, transparencyRule(first, fieldOf(0), expected)]
}

function newestRules(file: SourceImage, field: string): Rule[] {
  const got = (): string => describeFile(file)
  return [
    [
      field,
      file.image.format === 'gif',
      () => `expected a PNG, WebP or JPEG image, got ${got()}, whose content is a GIF`,
    ],
    [
      field,
      file.size >= maxSizes.imageBytes,
      () => `expected less than 50 MB (${maxSizes.imageBytes} bytes), got ${got()}`,
    ],
  ]
}

/** A PNG below 4 MB; `of` adds the model to the message. */
function smallPng(file: SourceImage, field: string, of: () => string): [isPng: Rule, isSmall: Rule] {
  const { format } = file.image
  const got = (): string => describeFile(file)
  return [
    [
      field,
      format !== 'png',
      () => `expected a PNG${of()}, got ${got()}, whose content is ${format.toUpperCase()}`,
    ],
    [
      field,
      file.size >= maxSizes.smallBytes,
      () => `expected less than 4 MB (${maxSizes.smallBytes} bytes)${of()}, got ${got()}`,
    ],
  ]
}

function squareRules(file: SourceImage, field: string, named: () => string): Rule[] {
  const { width, height } = file.image
  const [isPng, isSmall] = smallPng(file, field, () => ` for ${named()}`)
  return [
    isPng,
    [field, width !== height, () => `expected a square image for ${named()}, got ${width}x${height} pixels`],
    isSmall,
  ]
}

function maskRules(mask: SourceImage, { image }: SourceImage): Rule[] {
  const { format, width, height } = mask.image
  return [
    ...smallPng(mask, 'mask', () => ''),
    [
      'mask',
      width !== image.width || height !== image.height,
      () =>
        `expected ${image.width}x${image.height} pixels (the size of the first image), ` +
        `got ${width}x${height}`,
    ],
    ...(format === 'png'
      ? [transparencyRule(mask, 'mask', 'expected transparent pixels (the area to edit)')]
      : []),
  ]
}

function transparencyRule(file: SourceImage, field: string, expected: string): Rule {
  return [
    field,
    !file.image.hasTransparency,
    () => `${expected}, got ${describeFile(file)}, which has no alpha channel`,
  ]
}

// `image`, `image[]`, `image[0]`, `image.0`, `image.0.items`.
const imageName = /^image(?:\[\]|\[(\d{1,6})\]|\.(\d{1,6}))?(?:\.items)?$/
const numbers: ReadonlySet<string> = new Set(['n', 'partial_images', 'output_compression'])

/**
 * The images as an array, ordered by their index if they have one, else as in the form; for other names the
 * last value. Form values are strings: numbers and booleans are converted where the schema expects them.
 */
function readEditForm(fields: readonly FormField[]): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null)
  for (const field of fields) {
    if (imageName.test(field.name)) continue
    body[field.name] = 'file' in field ? field.file : scalar(field.name, field.value)
  }
  const images = imagesIn(fields).map((field) => ('file' in field ? field.file : field.value))
  const [first] = images
  // A text alone is rejected under the name `image`, without an index.
  if (first !== undefined) body['image'] = images.length === 1 && typeof first === 'string' ? first : images
  return body
}

function imagesIn(fields: readonly FormField[]): FormField[] {
  const found = fields.flatMap((field) => {
    const match = imageName.exec(field.name)
    return match === null ? [] : [{ field, number: Number(match[1] ?? match[2] ?? -1) }]
  })
  return found.sort((a, b) => a.number - b.number).map(({ field }) => field)
}

function scalar(name: string, value: string): unknown {
  if (numbers.has(name) && /^\s*-?\d{1,15}\s*$/.test(value)) return Number(value)
  if (name === 'stream' && /^(?:true|false)$/i.test(value.trim()))
    return value.trim().toLowerCase() === 'true'
  return value
}

export const editImage = defineEndpoint({
  operation: 'images.edit',
  method: 'POST',
  path: '/v1/images/edits',
  summary: 'Edit images',
  // The contract has only forms; the JSON body of the upstream names images by URL, and nothing is
  // fetched (docs/decisions/images.md).
  accepts: ['form'],
  draws: true,
  sampleCall: (needs) => ({ ...sampleCall(needs), image: { image: { width: 64, height: 64 } } }),
  readForm: readEditForm,
  body: editBody,
  response: imagesResponse,
  event: () => imageEvent('image_edit'),
  // The result depends on the images, not on how they were sent.
  contentIgnores: [
    'image',
    'mask',
    'n',
    'stream',
    'partial_images',
    'response_format',
    'output_format',
    'output_compression',
    'user',
  ],
  needs: () => ['tokens'],
  promptOf: ({ prompt }) => prompt,
  check: ({ body, key }, settings) => checkModel(modelOf(body, settings).id, key, 'images', settings),
  act(call, context) {
    const { body } = call
    const model = modelOf(body, context.settings)
    if (model.kind === 'c') {
      const got = `${describeModel(model)}, which does not support edits`
      const message = `expected a model of kind A or B, got ${got}`
      throw invalid([{ field: 'model', message }], undefined)
    }
    const given = sourceImagesOf(body)
    const errors = errorsOf([...requestRules(body, model), ...fileRules(given, model, context.settings)])
    if (errors.length > 0) throw invalid(errors.slice(0, 20), undefined)
    const { images: sources } = given
    const images = sources.map(({ image }) => image)
    const order = orderOf(
      body,
      model,
      { content: contentOf(call.content, given), sandbox: context.sandbox },
      {
        auto: shapeOf(images[0]),
        how: `edit of ${fileName((sources[0] as SourceImage).sha256)}`,
      },
    )
    const sent = { images, fidelity: body.input_fidelity ?? 'low' } as const
    return answerImages({ request: body, order, sent, kind: 'image_edit' }, call, context)
  },
})

/** The randomness of the drawing: from the request without its images, and from their bytes. */
function contentOf(content: Random, { images, mask }: SourceImages): Random {
  return randomFrom(
    JSON.stringify([content.fork('pictures').hex(32), images.map(({ sha256 }) => sha256), mask?.sha256]),
  )
}

/** The size for `auto`: the closest aspect ratio to the first image. */
function shapeOf(
  image: { readonly width: number; readonly height: number } | undefined,
): '1024x1024' | '1536x1024' | '1024x1536' {
  const ratio = image === undefined ? 1 : image.width / image.height
  if (ratio >= 1.25) return '1536x1024'
  return ratio <= 0.8 ? '1024x1536' : '1024x1024'
}

/** The images of a validated request, whose schema has read each of them. */
const sourceImagesOf = ({ image, mask }: EditRequest): SourceImages => ({
  images: image as SourceImage[],
  mask: (mask ?? undefined) as SourceImage | undefined,
})
