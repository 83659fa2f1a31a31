/** Generated images of a session: how they are stored, and how they are described for rendering. */
import { withoutSession } from '../engine/random.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { ImageMedia } from '../protocol/media.ts'
import { clip } from '../protocol/wording.ts'

/** The images of one response or job. The same series gives the same bytes. */
export interface ImageSeries {
  readonly count: number
  /** Pixels. */
  readonly width: number
  readonly height: number
  readonly format: ImageMedia['format']
  readonly transparent: boolean
  /** Of WebP and JPEG, 0 to 100. */
  readonly quality?: number
  readonly seed: string
  /** The caption: the prompt (`captionPrompt`), and distinguishing facts. */
  readonly prompt: string
  readonly facts: readonly string[]
}

/** The stored form of a series, for every kind of resource with images. */
export interface ImageSeriesFacts {
  readonly images: ImageSeries
}

/** How long the URL of an image is valid, in virtual milliseconds. */
export const imageUrlLifetime = 60 * 60_000

/** The store's name for images with URLs in a response. */
export const imagesKind = 'images'

/** Characters of a prompt that are stored with its images. */
const maxPromptLength = 1000
const maxNameLength = 100

/** A prompt for captions. Ids lose their session tag, so all sessions draw the same image. */
export function captionPrompt(text: string | undefined, { tag }: Sandbox): string {
  return withoutSession(clip(text ?? '', maxPromptLength), tag)
}

/** The seed of image `index` (0-based). */
export function imageSeed({ seed }: ImageSeries, index: number): string {
  return `${seed}/${index}`
}

/**
 * Image `index` (0-based) of a series, for rendering by the edge. Its caption has its index but not the
 * total: an image does not depend on the number of images.
 */
export function describeImage(series: ImageSeries, index: number): ImageMedia {
  const { width, height, format, transparent, quality, prompt, facts } = series
  return {
    kind: 'image',
    width,
    height,
    format,
    transparent,
    seed: imageSeed(series, index),
    caption: { prompt, facts: [...facts, `${width} x ${height}`, `image ${index}`] },
    ...(quality === undefined || format === 'png' ? {} : { quality }),
  }
}

/** A file, for captions: the same bytes have the same name, however they were sent. */
export const fileName = (sha256: string): string => `file ${sha256.slice(0, 12)}`

/** A name for captions. */
export function captionName(name: string): string {
  return clip(name, maxNameLength)
}
