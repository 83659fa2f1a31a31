/** A valid request with every `auto` and default decided, and the images it results in. */

import {
  captionPrompt,
  describeImage,
  type ImageSeries,
  type TransformRef,
} from '../../behaviours/image-series.ts'
import type { Random } from '../../engine/random.ts'
import type { World } from '../../engine/world.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import type { Model } from './models.ts'
import type { ImageRequest, imageSizes } from './schema.ts'

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
