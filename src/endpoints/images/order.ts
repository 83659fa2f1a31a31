/** What a valid request asks for, with every `auto` and every default decided; and the pictures it becomes. Knows nothing of the wire. */
import type { Random } from '../../engine/random.ts'
import type { ImageMedia } from '../../protocol/media.ts'
import { clip } from '../../protocol/wording.ts'
import type { Model } from './models.ts'
import type { ImageRequest, outputFormats, sizes } from './schema.ts'

/** A series of pictures. The same order gives the same bytes. */
export interface Pictures {
  readonly count: number
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly format: (typeof outputFormats)[number]
  readonly transparent: boolean
  /** How much is kept of WebP and JPEG, 0 to 100. */
  readonly quality: number
  readonly seed: string
  /** What the pictures say of themselves. */
  readonly prompt: string
  readonly model: string
}

export interface Order {
  readonly model: Model
  readonly size: (typeof sizes)[number]
  readonly quality: 'low' | 'medium' | 'high'
  readonly partials: number
  readonly pictures: Pictures
}

/** How many characters of a prompt stay with its pictures: thousands are kept. */
const longestPrompt = 1000

/**
 * The order of a request that has met its model's rules. `auto` means: opaque, high, and the given shape (contract 4.4 leaves to
 * the model what it becomes).
 */
export function orderOf(request: ImageRequest, model: Model, content: Random, auto: (typeof sizes)[number] = '1024x1024'): Order {
  const size = request.size == null || request.size === 'auto' ? (model.kind === 'a' ? auto : '1024x1024') : request.size
  const [width = 0, height = 0] = size.split('x').map(Number)
  return {
    model,
    size,
    quality: request.quality === 'low' || request.quality === 'medium' ? request.quality : 'high',
    partials: request.partial_images ?? 0,
    pictures: {
      count: request.n ?? 1,
      width,
      height,
      format: request.output_format ?? 'png',
      transparent: request.background === 'transparent',
      quality: request.output_compression ?? 100,
      seed: content.fork('pictures').hex(32),
      prompt: clip(request.prompt, longestPrompt),
      model: model.id,
    },
  }
}

/** Picture `index` (0-based) of a series. */
export function pictureOf({ count, width, height, format, transparent, quality, seed, prompt, model }: Pictures, index: number): ImageMedia {
  return { kind: 'image', width, height, format, transparent, seed: `${seed}/${index}`, caption: { prompt, facts: [model, `${width} x ${height}`, `${index + 1} of ${count}`] }, ...(format === 'png' ? {} : { quality }) }
}

/** Picture `index` on its way: step `step` (from 0) of `steps`. */
export function partialOf(pictures: Pictures, index: number, step: number, steps: number): ImageMedia {
  return { ...pictureOf(pictures, index), onItsWay: { step, steps } }
}
