/** A valid request with every `auto` and default decided, and the images it results in. */
import {
  captionPrompt,
  describeImage,
  type ImageSeries,
  type TransformRef,
} from '../../behaviours/image-series.ts'
import type { Random } from '../../engine/random.ts'
import type { World } from '../../engine/world.ts'
import { isListed } from '../../protocol/auth.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import type { Settings } from '../../protocol/settings.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { ImageRequest, imageSizes } from './schema.ts'

/** The values that each kind of model accepts (contract 4.4, 4.5 and 8). */
interface Rules {
  /** Characters. */
  readonly maxPromptLength: number
  readonly sizes: readonly ((typeof imageSizes)[number] | 'auto')[]
  readonly qualities: readonly string[]
  readonly maxImages: number
}

const rules: Readonly<Record<ModelKind, Rules>> = {
  a: {
    maxPromptLength: 32_000,
    sizes: ['1024x1024', '1536x1024', '1024x1536', 'auto'],
    qualities: ['auto', 'low', 'medium', 'high'],
    maxImages: 10,
  },
  b: {
    maxPromptLength: 1000,
    sizes: ['256x256', '512x512', '1024x1024'],
    qualities: ['auto', 'standard'],
    maxImages: 10,
  },
  c: {
    maxPromptLength: 4000,
    sizes: ['1024x1024', '1792x1024', '1024x1792'],
    qualities: ['auto', 'standard', 'hd'],
    maxImages: 1,
  },
}

/** The findings about fields that the model does not accept. `known` are the fields of the operation. */
export function* ruleFindings(
  request: ImageRequest,
  model: Model,
  known: Readonly<Record<string, unknown>>,
  settings: Settings,
): Generator<Finding> {
  const own = rules[model.kind]
  const named =
    request.model == null
      ? `${describeModel(model)}, which a request without \`model\` means`
      : describeModel(model)
  const length = charactersOf(request.prompt)
  if (length > own.maxPromptLength)
    yield {
      field: 'prompt',
      message: `expected at most ${own.maxPromptLength} characters for ${named}, got ${length}`,
    }
  if (request.n != null && request.n > own.maxImages)
    yield { field: 'n', message: `expected ${own.maxImages} for ${named}, got ${request.n}` }
  if (request.size != null && !own.sizes.includes(request.size))
    yield { field: 'size', message: `expected ${oneOf(own.sizes)} for ${named}, got ${show(request.size)}` }
  if (request.quality != null && !own.qualities.includes(request.quality))
    yield {
      field: 'quality',
      message: `expected ${oneOf(own.qualities)} for ${named}, got ${show(request.quality)}`,
    }
  if (request.style != null && model.kind !== 'c')
    yield { field: 'style', message: `is not supported by ${named}: leave it out, or name a model of kind C` }
  if (model.kind === 'a') yield* newestFindings(request, model, named, settings)
  else {
    if (request.stream === true)
      yield {
        field: 'stream',
        message: `is not supported by ${named}: leave it out, or name a model of kind A`,
      }
    for (const field of onlyOfA)
      if (request[field] != null)
        yield { field, message: `is not supported by ${named}: leave it out, or name a model of kind A` }
  }
  if (settings.images.unknownParameters === 'refuse') {
    for (const field of Object.keys(request))
      if (!Object.hasOwn(known, field))
        yield { field, message: 'is not a parameter of this operation (setting images.unknownParameters)' }
  }
}

/** What the fields that only A has demand of each other. */
function* newestFindings(
  request: ImageRequest,
  model: Model,
  named: string,
  { images }: Settings,
): Generator<Finding> {
  // A always returns base64, and clients cannot know that for an unknown model id.
  if (request.response_format != null && (model.named || request.response_format === 'url')) {
    yield {
      field: 'response_format',
      message: `is not supported by ${named}, which always returns base64: leave it out`,
    }
  }
  if (request.background === 'transparent' && request.output_format === 'jpeg')
    yield {
      field: 'background',
      message:
        'transparent is not supported with the output format jpeg: expected png or webp in `output_format`',
    }
  if (
    request.output_compression != null &&
    request.output_compression < 100 &&
    (request.output_format ?? 'png') === 'png'
  ) {
    yield {
      field: 'output_compression',
      message:
        'below 100 is not supported with the output format png: expected webp or jpeg in ' +
        `\`output_format\`, got ${request.output_compression}`,
    }
  }
  if (request.partial_images != null && request.partial_images > 0 && request.stream !== true)
    yield { field: 'partial_images', message: 'is allowed only with `stream: true`' }
  if (request.input_fidelity != null && isListed(model.id, images.withoutInputFidelity))
    yield {
      field: 'input_fidelity',
      message: `is not supported by ${named} (setting images.withoutInputFidelity): leave it out`,
    }
}

/** A model as refusals name it. */
export function describeModel({ id, kind, named }: Model): string {
  return (
    `the model ${clip(id, 100)} (kind ` +
    `${kind.toUpperCase()}${named ? '' : ', as every id that settings.images.models does not name'})`
  )
}

// A character outside the basic plane counts as one, unlike in JavaScript.
function charactersOf(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue
    count--
    at++
  }
  return count
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
}

/** The kinds of contract 4.4: A the newest, B and C. */
type ModelKind = 'a' | 'b' | 'c'

export interface Model {
  readonly id: string
  readonly kind: ModelKind
  /** Whether the settings name the id; one that they do not name follows A. */
  readonly named: boolean
}

/**
 * The model of a request; without one, B unless the request uses what only A has (contract 4.5; for 4.4,
 * wire-formats section 4).
 */
export function modelOf(request: ImageRequest, { images }: Settings): Model {
  const id = request.model ?? images.defaults[usesOnlyA(request) ? 'a' : 'b']
  const kind = (['c', 'b', 'a'] as const).find((candidate) => isListed(id, images.models[candidate]))
  return { id, kind: kind ?? 'a', named: kind !== undefined }
}

/** Fields that only A has. `stream` is one when it is true: false says what leaving it out says. */
const onlyOfA = [
  'background',
  'moderation',
  'output_format',
  'output_compression',
  'partial_images',
  'input_fidelity',
] as const

function usesOnlyA(request: ImageRequest): boolean {
  if (request.stream === true || onlyOfA.some((name) => request[name] != null)) return true
  return (
    ['1536x1024', '1024x1536', 'auto'].includes(request.size ?? '') ||
    ['low', 'medium', 'high'].includes(request.quality ?? '')
  )
}

export interface ImageOrder {
  readonly model: Model
  readonly size: (typeof imageSizes)[number]
  readonly quality: 'low' | 'medium' | 'high'
  readonly partials: number
  readonly images: ImageSeries
}

export interface OrderOptions {
  /** What the size `auto` becomes. */
  readonly auto?: (typeof imageSizes)[number]
  /** What the pictures are made from. */
  readonly from?: TransformRef
}

/**
 * The order of a valid request. `auto` means opaque, high, and the default size (contract 4.4 leaves it to
 * the model).
 */
export function orderOf(
  request: ImageRequest,
  model: Model,
  content: Random,
  world: World,
  { auto = '1024x1024', from }: OrderOptions = {},
): ImageOrder {
  const size =
    request.size == null || request.size === 'auto' ? (model.kind === 'a' ? auto : '1024x1024') : request.size
  const [width = 0, height = 0] = size.split('x').map(Number)
  const shapes = shapesOf[request.quality ?? 'auto']
  return {
    model,
    size,
    quality: request.quality === 'low' || request.quality === 'medium' ? request.quality : 'high',
    partials: request.partial_images ?? 0,
    images: {
      count: request.n ?? 1,
      width,
      height,
      format: request.output_format ?? 'png',
      transparent: request.background === 'transparent',
      quality: qualityOf(request),
      seed: content.fork('pictures').hex(32),
      prompt: captionPrompt(request.prompt, world),
      facts: [model.id, ...captionFacts(request)],
      ...(shapes === undefined ? {} : { shapes }),
      ...(from === undefined ? {} : { from }),
    },
  }
}

/**
 * The quality for `output_compression` 0: captions stay legible, and 1024 x 1024 pixels take more than 10
 * KB, as from a real model.
 */
const lowest: Readonly<Record<string, number>> = { jpeg: 15, webp: 45 }

function qualityOf({ output_format: format = 'png', output_compression: kept }: ImageRequest): number {
  const from = lowest[format ?? 'png'] ?? 0
  return Math.round(from + ((100 - from) * (kept ?? 100)) / 100)
}

/** A picture of lower quality shows less. */
const shapesOf: Readonly<Record<string, number | undefined>> = { low: 3, high: 9, hd: 9 }

/** The fields of the request that only a caption can show. */
function captionFacts({ quality, style }: ImageRequest): string[] {
  return [
    ...(quality == null || quality === 'auto' ? [] : [`quality ${quality}`]),
    ...(style === 'natural' ? ['natural style'] : []),
  ]
}

/** Picture `index` on its way: step `step` (from 0) of `steps`. */
export function partialOf(
  pictures: ImageSeries,
  index: number,
  step: number,
  steps: number,
  world: World,
): ImageMedia {
  return { ...describeImage(pictures, index, world), partial: { step, steps } }
}
