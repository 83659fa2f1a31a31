/** PNG files, written by fast-png. */
import { encode } from 'fast-png'
import type { Colour, Raster } from './raster.ts'

/** An opaque image, or a transparent one if it has four channels. The keys of `text` are PNG keywords. */
export function encodePng(
  { width, height, rgba }: Raster,
  channels: 3 | 4,
  text: Readonly<Record<string, string>>,
): Uint8Array {
  const data = channels === 4 ? rgba : withoutAlpha(rgba)
  return encode({ width, height, channels, data, text }, { zlib: { level: 4 } })
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4) {
    rgb[to++] = rgba[from] as number
    rgb[to++] = rgba[from + 1] as number
    rgb[to++] = rgba[from + 2] as number
  }
  return rgb
}

interface FlatImage {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Whether the upper half is transparent. */
  readonly transparent: boolean
  readonly colour: Colour
}

/** An image in one colour: a palette and one bit per pixel, so that large ones take no time. */
export function flatPng({ width, height, transparent, colour }: FlatImage): Uint8Array {
  const rowLength = Math.ceil(width / 8)
  const data = new Uint8Array(rowLength * height).fill(255)
  if (transparent) data.fill(0, 0, rowLength * Math.ceil(height / 2))
  const palette = transparent
    ? [
        [...colour, 0],
        [...colour, 255],
      ]
    : [[...colour], [...colour]]
  return encode({ width, height, depth: 1, channels: 1, data, palette })
}
