/** Pictures as a decoder that is not ours sees them: four bytes for each pixel. */
import { encode } from 'fast-png'
import sharp from 'sharp'

export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Buffer
}

/** A part of a picture. */
export interface Part {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export async function pixelsIn(bytes: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

/** The bytes of a part, row by row. */
export function partOf({ width, rgba }: Pixels, part: Part): Buffer {
  const rows = Array.from({ length: part.height }, (_, row) =>
    rgba.subarray(((part.y + row) * width + part.x) * 4, ((part.y + row) * width + part.x + part.width) * 4),
  )
  return Buffer.concat(rows)
}

/** How far two pictures of one size are apart: the mean difference of their bytes. */
export function apart(a: Buffer, b: Buffer): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += Math.abs((a[at] as number) - (b[at] as number))
  return sum / a.length
}

/** The share of clear pixels, 0 to 1. */
export function clearShare({ rgba }: Pixels): number {
  let clear = 0
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] === 0) clear++
  return clear / (rgba.length / 4)
}

/** A PNG in which no two pixels nearby are alike; clear where `isClear` says so. */
export function patterned(
  width: number,
  height = width,
  isClear: (x: number, y: number) => boolean = () => false,
): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(width * height * 4)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4)
      data.set([(x * 7) % 256, (y * 11) % 256, (x * 3 + y * 5) % 256, isClear(x, y) ? 0 : 255], at)
  return encode({ width, height, channels: 4, data }) as Uint8Array<ArrayBuffer>
}
