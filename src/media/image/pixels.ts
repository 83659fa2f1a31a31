/** Whether a pixel of a picture shows through, found by decoding it, within bounds. */
import type { DecodedPng } from 'fast-png'
import type { ImageFacts } from '../../protocol/call.ts'
import { loadWebpDecoder } from '../codecs/image-codecs.ts'
import { maxBytes, openPng, valueReader } from '../codecs/png.ts'

type Found = NonNullable<ImageFacts['pixels']> | { readonly damage: string }

/** What the pixels say, or what is wrong with the file. Never rejects for what a file may hold. */
export async function readPixels(
  { format, width, height, hasTransparency }: ImageFacts,
  bytes: Uint8Array,
): Promise<Found> {
  // Two-dimensional size first: sides of 2^31 must not be multiplied into anything that is allocated.
  if (width * height * 4 > maxBytes) return 'unseen'
  try {
    if (format === 'png') return await readPng(bytes)
    if (format === 'webp') return await readWebp(bytes)
    return hasTransparency ? 'unseen' : 'opaque'
  } catch (error) {
    // Newer Node versions give some of these errors no words.
    return {
      damage:
        error instanceof Error && error.message !== '' ? error.message.slice(0, 160) : 'it cannot be decoded',
    }
  }
}

async function readWebp(bytes: Uint8Array): Promise<Found> {
  if (isAnimated(bytes)) return { damage: 'it is animated, and a still picture is expected' }
  const decode = await loadWebpDecoder()
  const image = decode(bytes)
  if (image === undefined) return { damage: 'it cannot be decoded' }
  return anyBelow(image.rgba, 4, 255) ? 'transparent' : 'opaque'
}

// The extended header has a bit for it; the decoder takes still pictures alone.
const isAnimated = (bytes: Uint8Array): boolean =>
  String.fromCharCode(...bytes.subarray(12, 16)) === 'VP8X' && ((bytes[20] ?? 0) & 0x02) !== 0

async function readPng(bytes: Uint8Array): Promise<Found> {
  const png = await openPng(bytes)
  if (png === 'too large') return 'unseen'
  if ('damage' in png) return png
  const { image, clear } = png
  if (image.palette !== undefined)
    return anyOf(
      image,
      new Set(image.palette.flatMap(([, , , alpha = 255], index) => (alpha < 255 ? [index] : []))),
    )
      ? 'transparent'
      : 'opaque'
  if (image.channels === 4 || image.channels === 2)
    return anyBelow(image.data, image.channels, image.depth === 16 ? 65535 : 255) ? 'transparent' : 'opaque'
  if (clear === undefined) return 'opaque'
  return (image.channels === 1 ? anyOf(image, new Set(clear)) : anyLike(image.data, clear))
    ? 'transparent'
    : 'opaque'
}

/** Whether the last channel is below the top somewhere. */
function anyBelow(data: ArrayLike<number>, channels: number, top: number): boolean {
  for (let at = channels - 1; at < data.length; at += channels) if ((data[at] as number) < top) return true
  return false
}

/** Whether a pixel of one channel (grey, or the number of a colour) has one of some values. */
function anyOf(image: DecodedPng, values: ReadonlySet<number>): boolean {
  const valueAt = valueReader(image)
  for (let y = 0; values.size > 0 && y < image.height; y++)
    for (let x = 0; x < image.width; x++) if (values.has(valueAt(x, y))) return true
  return false
}

/** Whether a pixel of three channels has one colour. */
function anyLike(data: ArrayLike<number>, [red, green, blue]: readonly number[]): boolean {
  for (let at = 0; at < data.length; at += 3)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) return true
  return false
}
