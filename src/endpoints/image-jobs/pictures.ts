/** The pictures of an image job: how many, how large, where they are read. Knows nothing of time. */
import type { Media } from '../../protocol/media.ts'
import { originMark } from '../../protocol/reply.ts'

/** What a job makes. Pixels. The same `seed` and number give the same picture. */
export interface Pictures {
  readonly count: number
  readonly width: number
  readonly height: number
  readonly transparent: boolean
  readonly seed: string
}

export interface Size {
  readonly width: number
  readonly height: number
}

const usual = 1024
const longest = 2048

/** The size a prompt asks for: `--ar W:H`, its longer side 1024; 1024 x 1024 without one. The last one written counts. */
export function sizeIn(prompt: string | undefined): Size | undefined {
  const [, width, height] = [...(prompt ?? '').matchAll(/(?:^|\s)--(?:ar|aspect)\s+(\d{1,4}):(\d{1,4})(?=\s|$)/g)].at(-1) ?? []
  const ratio = { width: Number(width ?? 0), height: Number(height ?? 0) }
  return ratio.width > 0 && ratio.height > 0 ? scaled(ratio, usual / Math.max(ratio.width, ratio.height)) : undefined
}

export const usualSize: Size = { width: usual, height: usual }

/** The size itself, or the same shape with a longer side of 2048: a canvas may be of any size, a picture has to be drawn. */
export function bounded(size: Size): Size {
  const side = Math.max(size.width, size.height)
  return side <= longest ? size : scaled(size, longest / side)
}

/** A size `scale` times as long in a direction: 0 down and 2 up make it higher, 1 right and 3 left wider (contract 4.1). */
export function extended(size: Size, direction: 0 | 1 | 2 | 3, scale: number): Size {
  const sideways = direction % 2 === 1
  return bounded({ width: Math.round(size.width * (sideways ? scale : 1)), height: Math.round(size.height * (sideways ? 1 : scale)) })
}

/** Where picture `index` (0-based) of a job is read. `tag` is the session's, for a job whose id does not carry it: no key leads there. */
export function pictureUrl(jobId: string, index: number, tag?: string): string {
  return `${originMark}/media/image-jobs/${encodeURIComponent(jobId)}/${tag === undefined ? '' : `${tag}-`}${index}.png`
}

/** Picture `index` (0-based), to be drawn by the edge. */
export function pictureMedia(pictures: Pictures, index: number): Media {
  const { width, height, transparent } = pictures
  return { kind: 'image', width, height, format: 'png', transparent, seed: pictureSeed(pictures, index), caption: { prompt: '', facts: [`${width} x ${height}`, `${index + 1} of ${pictures.count}`] } }
}

/** What picture `index` is drawn from, and what is made from it. */
export function pictureSeed(pictures: Pictures, index: number): string {
  return `${pictures.seed}/${index}`
}

function scaled(size: Size, factor: number): Size {
  return { width: Math.max(1, Math.round(size.width * factor)), height: Math.max(1, Math.round(size.height * factor)) }
}
