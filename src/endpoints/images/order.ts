/** A valid request with `auto` and defaults resolved, and the resulting images. */

import { captionPrompt, type ImageSeries } from '../../behaviours/image-series.ts'
import { codePointLength } from '../../behaviours/json-schema/json-value.ts'
import type { Random } from '../../engine/random.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import { isListed } from '../../protocol/auth.ts'
import type { FieldError } from '../../protocol/field-errors.ts'
import type { Settings } from '../../protocol/settings.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { ImageRequest, imageSizes } from './schema.ts'

/** The values that each kind of model accepts. */
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

/** A rule: the field, whether the request breaks the rule, and a function for the message. */
export type Rule = readonly [field: string, isBroken: boolean, message: () => string]

/** One error per broken rule. */
export const errorsOf = (all: readonly Rule[]): FieldError[] =>
  all.flatMap(([field, isBroken, message]) => (isBroken ? [{ field, message: message() }] : []))

/** The rules about fields that the model does not accept. */
export function requestRules(request: ImageRequest, model: Model): Rule[] {
  const own = rules[model.kind]
  const { prompt, n, size, quality, style, stream } = request
  const named = (): string => describeModel(model) + (request.model == null ? ', the default' : '')
  const only = (kind: string) => (): string =>
    `is not supported by ${named()}: omit it, or use a model of kind ${kind}`
  const [onlyA, onlyC] = [only('A'), only('C')]
  const length = codePointLength(prompt)
  return [
    [
      'prompt',
      length > own.maxPromptLength,
      () => `expected at most ${own.maxPromptLength} characters for ${named()}, got ${length}`,
    ],
    ['n', (n ?? 1) > own.maxImages, () => `expected ${own.maxImages} for ${named()}, got ${n}`],
    [
      'size',
      size != null && !own.sizes.includes(size),
      () => `expected ${oneOf(own.sizes)} for ${named()}, got ${show(size)}`,
    ],
    [
      'quality',
      quality != null && !own.qualities.includes(quality),
      () => `expected ${oneOf(own.qualities)} for ${named()}, got ${show(quality)}`,
    ],
    ['style', style != null && model.kind !== 'c', onlyC],
    ...(model.kind === 'a'
      ? newestRules(request, model, named)
      : [
          ['stream', stream === true, onlyA] as const,
          ...onlyOfA.filter((field) => request[field] != null).map((field) => [field, true, onlyA] as const),
        ]),
  ]
}

/** Dependencies between the fields of kind A. */
function newestRules(request: ImageRequest, model: Model, named: () => string): Rule[] {
  const { response_format: form, output_format: format = 'png', output_compression: kept } = request
  return [
    [
      'response_format',
      // A always returns base64. Clients cannot know that an unlisted model is of kind A.
      form != null && (model.named || form === 'url'),
      () => `is not supported by ${named()}, which always returns base64: omit it`,
    ],
    [
      'background',
      request.background === 'transparent' && format === 'jpeg',
      () => 'the value transparent requires `output_format` png or webp, got jpeg',
    ],
    [
      'output_compression',
      (kept ?? 100) < 100 && (format ?? 'png') === 'png',
      () => `a value below 100 requires \`output_format\` webp or jpeg, got ${kept} with png`,
    ],
    [
      'partial_images',
      (request.partial_images ?? 0) > 0 && request.stream !== true,
      () => 'is allowed only with `stream: true`',
    ],
    [
      'input_fidelity',
      request.input_fidelity != null && isListed(model.id, ['gpt-image-1-mini*']),
      () => `is not supported by ${named()}: omit it`,
    ],
  ]
}

/** A model in error messages. */
export function describeModel({ id, kind, named }: Model): string {
  return (
    `the model ${clip(id, 100)} (kind ` +
    `${kind.toUpperCase()}${named ? '' : ', the default for models not listed in images.models'})`
  )
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
}

/** The kinds of models: A the newest, B and C. */
type ModelKind = 'a' | 'b' | 'c'

export interface Model {
  readonly id: string
  readonly kind: ModelKind
  /** Whether the kind of the model is known; an unknown model follows A. */
  readonly named: boolean
}

/** The model of a request. Default: B, or A if the request has a field of A only. */
export function modelOf(request: ImageRequest, { images }: Settings): Model {
  const id = request.model ?? (usesOnlyA(request) ? 'gpt-image-1' : 'dall-e-2')
  const kind = (['c', 'b'] as const).find((candidate) => isListed(id, images.models[candidate])) ?? 'a'
  return { id, kind, named: kind !== 'a' || isListed(id, ['gpt-image-*', 'chatgpt-image*']) }
}

/** Fields of A only. `stream` counts only if it is true. */
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
  /** The size for `auto`. */
  readonly auto?: (typeof imageSizes)[number]
  /** The operation and its source, for captions. */
  readonly how?: string
}

/**
 * The order of a valid request. `auto` means opaque, high, and the default size (which the contract
 * leaves to the model).
 */
export function orderOf(
  request: ImageRequest,
  model: Model,
  { content, sandbox }: { readonly content: Random; readonly sandbox: Sandbox },
  { auto = '1024x1024', how }: OrderOptions = {},
): ImageOrder {
  const usual = model.kind === 'a' ? auto : '1024x1024'
  const size = request.size == null || request.size === 'auto' ? usual : request.size
  const [width = 0, height = 0] = size.split('x').map(Number)
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
      prompt: captionPrompt(request.prompt, sandbox),
      facts: [model.id, ...(how === undefined ? [] : [how]), ...captionFacts(request)],
    },
  }
}

/** Captions stay legible, whatever the compression. */
const qualityOf = ({ output_compression: kept }: ImageRequest): number =>
  Math.round(45 + (55 * (kept ?? 100)) / 100)

/** The fields that have no effect except on the caption. */
function captionFacts({ quality, style }: ImageRequest): string[] {
  return [
    ...(quality == null || quality === 'auto' ? [] : [`quality ${quality}`]),
    ...(style === 'natural' ? ['natural style'] : []),
  ]
}
