/** The images of a job: their number, size and addresses. */

import {
  captionPrompt,
  type ImageSeries,
  type TransformRef,
  withTransform,
} from '../../behaviours/image-series.ts'
import type { World } from '../../engine/world.ts'
import { originMark } from '../../protocol/reply.ts'

/** Pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The images that an operation makes: always PNG; four opaque ones by default. */
export interface ImageSpec {
  readonly size: Size
  readonly seed: string
  readonly count?: number
  readonly transparent?: boolean
  readonly model: string
  readonly text: string | undefined
  /** The operation, for captions; undefined for images from a prompt alone. */
  readonly how?: string
  readonly from?: TransformRef
}

/** The images of a job. */
export function imagesFrom(
  { size: { width, height }, seed, count = 4, transparent = false, model, text, how, from }: ImageSpec,
  world: World,
): ImageSeries {
  const series: ImageSeries = {
    count,
    width,
    height,
    format: 'png',
    transparent,
    seed,
    prompt: captionPrompt(text, world),
    facts: how === undefined ? [model] : [model, how],
  }
  return from === undefined ? series : withTransform(series, from)
}

const defaultSide = 1024
/** The longest side of a drawn image, in pixels. */
const maxSide = 4096

/**
 * The size in a prompt (`--ar W:H`), with a longer side of 1024; undefined without one. The last occurrence
 * wins.
 */
export function sizeInPrompt(prompt: string | undefined): Size | undefined {
  const [, width, height] =
    [...(prompt ?? '').matchAll(/(?:^|\s)--(?:ar|aspect)\s+(\d{1,4}):(\d{1,4})(?=\s|$)/g)].at(-1) ?? []
  const ratio = { width: Number(width ?? 0), height: Number(height ?? 0) }
  return ratio.width > 0 && ratio.height > 0
    ? scaleSize(ratio, defaultSide / Math.max(ratio.width, ratio.height))
    : undefined
}

export const defaultSize: Size = { width: defaultSide, height: defaultSide }

/**
 * The size, scaled down to a longer side of 4096 if necessary: a canvas may have any size, but the image has
 * to be drawn.
 */
export function limitSize(size: Size): Size {
  const side = Math.max(size.width, size.height)
  return side <= maxSide ? size : scaleSize(size, maxSide / side)
}

/**
 * A size extended by `scale` in a direction: 0 (down) and 2 (up) make it higher, 1 (right) and 3 (left) wider
 * (contract 4.1).
 */
export function extendSize(size: Size, direction: 0 | 1 | 2 | 3, scale: number): Size {
  const sideways = direction % 2 === 1
  // The source keeps its size, so the sides are limited separately.
  const reach = (side: number): number => Math.min(maxSide, Math.round(side * scale))
  return {
    width: sideways ? reach(size.width) : size.width,
    height: sideways ? size.height : reach(size.height),
  }
}

/**
 * The address of image `index` (0-based) of a job. `tag` is that of the session, for a job whose id does not
 * carry it, because reading needs no key.
 */
export function jobImageUrl(jobId: string, index: number, tag?: string): string {
  const name = `${tag === undefined ? '' : `${tag}-`}${index}.png`
  return `${originMark}/media/image-jobs/${encodeURIComponent(jobId)}/${name}`
}

function scaleSize(size: Size, factor: number): Size {
  return {
    width: Math.max(1, Math.round(size.width * factor)),
    height: Math.max(1, Math.round(size.height * factor)),
  }
}
