/** `POST /v1/images/edits` (contract 4.5): pictures made from pictures, in one body or as a stream. */
import { sourceOfFile } from '../../behaviours/image-series.ts'
import { describeFile, storagePath } from '../../behaviours/uploads/address.ts'
import { findUpload } from '../../behaviours/uploads/upload.ts'
import { type Random, randomFrom } from '../../engine/random.ts'
import { checkModel } from '../../protocol/auth.ts'
import type { FilePart, FormField, ImageFacts, Payload } from '../../protocol/call.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { fieldPath } from '../../protocol/wording.ts'
import { answerImages } from './answer.ts'
import { describeModel, type Model, modelOf, orderOf, ruleFindings } from './order.ts'
import {
  type EditRequest,
  editBody,
  expectedFile,
  imageEvent,
  imageFault,
  imagesReply,
  invalidFileName,
  placeOf,
  sampleCall,
} from './schema.ts'

/** A source image of an edit, intact as far as was checked. `path` names one that was uploaded before. */
type SourceImage = FilePart & { readonly image: ImageFacts; readonly path?: string }

/** The pictures of an edit. */
interface SourceImages {
  readonly images: readonly SourceImage[]
  readonly mask: SourceImage | undefined
}

const megabyte = 1024 * 1024
const maxSizes = { images: 16, imageBytes: 50 * megabyte, smallBytes: 4 * megabyte } as const

/** Where even the most that a model takes ends: a larger file is never looked into. */
const maxFileBytes = maxSizes.imageBytes

/** Everything about the pictures that does not suit the model. */
function* fileFindings({ images, mask }: SourceImages, model: Model, settings: Settings): Generator<Finding> {
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

// `image`, `image[]`, `image[0]`, `image.0`, `image.0.items` (contract 4.5; wire-formats 0, point 7).
const imageName = /^image(?:\[\]|\[(\d{1,6})\]|\.(\d{1,6}))?(?:\.items)?$/
const numbers: ReadonlySet<string> = new Set(['n', 'partial_images', 'output_compression'])

/**
 * The images as a list, ordered by their numbers if they have some, else as in the form; of every other
 * name the last value. All form values are text: numbers and booleans are converted where the schema
 * expects them.
 */
function readEditForm(fields: readonly FormField[]): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null)
  for (const field of fields) {
    if (imageName.test(field.name)) continue
    body[field.name] = 'file' in field ? field.file : scalar(field.name, field.value)
  }
  const images = imagesIn(fields)
  if (images.length > 0) body['image'] = images.map((field) => ('file' in field ? field.file : field.value))
  return body
}

/** The files whose pixels matter: the mask, or the first picture when it is its own mask. */
function filesToInspect(fields: readonly FormField[]): readonly FilePart[] {
  const wanted = fieldToInspect(fields)
  return wanted !== undefined && 'file' in wanted ? [wanted.file] : []
}

/** The same, of files that were uploaded before: their names. */
function uploadsToInspect(payload: Payload): readonly string[] {
  const wanted = payload.kind === 'form' ? fieldToInspect(payload.fields) : undefined
  return wanted !== undefined && 'value' in wanted ? [wanted.value] : []
}

const fieldToInspect = (fields: readonly FormField[]): FormField | undefined =>
  fields.findLast((field) => field.name === 'mask') ?? imagesIn(fields)[0]

/** The files that are drawn from: the first picture and the mask. */
function filesToStore(fields: readonly FormField[]): readonly FilePart[] {
  return [imagesIn(fields)[0], fields.findLast((field) => field.name === 'mask')].flatMap((field) =>
    field !== undefined && 'file' in field ? [field.file] : [],
  )
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
  summary: 'Edit pictures by a prompt, in one body or as a stream',
  // The contract has only forms; the JSON body of the upstream names images by address, and nothing is
  // fetched (docs/decisions/images.md).
  accepts: ['form'],
  sdkNames: { 'images.edits': '' },
  draws: true,
  sampleCall: (needs) => ({ ...sampleCall(needs), image: { picture: { width: 64, height: 64 } } }),
  readForm: readEditForm,
  files: {
    store: filesToStore,
    inspect: filesToInspect,
    uploads: uploadsToInspect,
    maxBytes: maxFileBytes,
  },
  body: editBody,
  reply: imagesReply,
  event: imageEvent('image_edit'),
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
  act(call, context) {
    const { body } = call
    const model = modelOf(body, context.settings)
    checkModel(model.id, call.key, 'images', context.settings)
    if (model.kind === 'c')
      throw invalid(
        [
          {
            field: 'model',
            message: `expected a model of kind A or B, got ${describeModel(model)}, which edits no pictures`,
          },
        ],
        undefined,
      )
    const given = sourceImagesOf(body, context)
    const pictures = 'findings' in given ? undefined : given
    const findings = [
      ...ruleFindings(body, model, editBody.shape, context.settings),
      ...('findings' in given ? given.findings : fileFindings(given, model, context.settings)),
    ]
    if (findings.length > 0 || pictures === undefined) throw invalid(findings.slice(0, 20), undefined)
    const { images, mask } = pictures
    const sent = {
      pictures: images.map(({ image }) => image),
      fidelity: body.input_fidelity ?? 'low',
    } as const
    const from = {
      kind: 'edit',
      source: sourceOfFile(images[0] as SourceImage),
      ...(mask === undefined ? {} : { mask: sourceOfFile(mask) }),
    } as const
    return answerImages(
      body,
      orderOf(body, model, contentOf(call.content, pictures), context.world, {
        auto: shapeOf(sent.pictures[0]),
        from,
      }),
      sent,
      'image_edit',
      call,
      context,
    )
  },
})

/** The chance of what is drawn: by the request without its pictures, and by the bytes of these. */
function contentOf(content: Random, { images, mask }: SourceImages): Random {
  return randomFrom(
    JSON.stringify([content.fork('pictures').hex(32), images.map(({ sha256 }) => sha256), mask?.sha256]),
  )
}

/** The size that `auto` becomes: the one whose shape is nearest to the first picture's. */
function shapeOf(
  picture: { readonly width: number; readonly height: number } | undefined,
): '1024x1024' | '1536x1024' | '1024x1536' {
  const ratio = picture === undefined ? 1 : picture.width / picture.height
  if (ratio >= 1.25) return '1536x1024'
  return ratio <= 0.8 ? '1024x1536' : '1024x1024'
}

/** The pictures of a request that validation has let through, or what is wrong with the names in it. */
function sourceImagesOf(
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
