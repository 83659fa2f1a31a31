/** The files of pictures: what a description says is drawn, and packed in its format. Knows nothing of replies, and remembers some of what others are made from. */
import { isBytes } from '../engine/bytes.ts'
import { randomFrom } from '../engine/random.ts'
import type { ImageMedia, Source } from '../protocol/media.ts'
import { drawCaption } from './image-caption.ts'
import { loadJpegDecoder, loadWebpDecoder, whileSound, type Encode } from './image-codecs.ts'
import { decodeImage } from './image-decode.ts'
import { loadFont, type Font } from './image-font.ts'
import { onItsWay } from './image-on-its-way.ts'
import { clearRaster, onWhite, scaled, type Raster } from './image-raster.ts'
import { drawScene } from './image-scene.ts'
import { cutOut, edited, extended, painted, recoloured, varied, type Making } from './image-works.ts'
import { fromBase64 } from './media-base64.ts'
import { keyOf } from './media-key.ts'

/** The most pixels a picture may have: 4096 x 4096. Keeping requests below is the endpoints' part. */
export const mostPixels = 4096 * 4096

/** How many works on works are followed; what lies deeper is drawn from its seed alone. A chain of edits has no end of its own. */
export const deepest = 6

/** How many bytes of pixels are kept that other pictures may be made from, with the texts that they are known by: those may be longer than a small picture. */
const mostKept = 48 * 1024 * 1024
const costOf = (key: string, { rgba }: Raster): number => key.length + rgba.length

/** Makes the files of pictures. Loads what it needs when it first needs it, once. */
export interface ImageMaker {
  /** The file. Rejects with a `RangeError` for sides that are no whole numbers from 1, above `mostPixels`, and for a transparent JPEG. */
  file(media: ImageMedia): Promise<Uint8Array>
  /** The pixels of something to draw from, in its own size; what stands in for one that is not there is as large as `like`. Not to be written into. */
  pixels(source: Source, like: { readonly width: number; readonly height: number }): Promise<Raster>
}

/** Where the encoders of the formats that need WebAssembly come from; each is loaded once, and anew when it has failed. */
export type Encoders = Readonly<Record<'webp' | 'jpeg', () => Promise<Encode>>>

/** A maker that has drawn nothing yet. */
export function createImageMaker(encoders: Encoders): ImageMaker {
  let loading: Promise<Font> | undefined
  const font = (): Promise<Font> => (loading ??= loadFont())
  const decoders = { webp: whileSound(loadWebpDecoder), jpeg: whileSound(loadJpegDecoder) }
  const kept = new Map<string, Raster>()
  let held = 0

  /** What several pictures are likely to be made from is drawn or decoded once; what was used longest ago goes first. Where there are no pixels, there is nothing to keep. */
  const remembered = async <Found extends Raster | string>(key: string, make: () => Promise<Found>): Promise<Found | Raster> => {
    const known = kept.get(key)
    if (known !== undefined) {
      // Deleting first keeps the map in order of last use.
      kept.delete(key)
      kept.set(key, known)
      return known
    }
    const made = await make()
    if (typeof made === 'string' || costOf(key, made) > mostKept) return made
    kept.set(key, made)
    held += costOf(key, made)
    for (const [oldest, raster] of kept) {
      if (held <= mostKept) break
      kept.delete(oldest)
      held -= costOf(oldest, raster)
    }
    return made
  }

  /** The pixels of a file, or why there are none. Only pixels are kept: what stands in for them is as large as whoever asks. */
  const decoded = async ({ content, sha256 }: Extract<Source, { kind: 'sent' }>): Promise<Raster | string> => {
    if (!isBytes(content) && typeof content !== 'string') return 'its bytes are gone'
    return remembered(`sent ${sha256}`, async () => {
      const bytes = typeof content === 'string' ? bytesOf(content) : content
      return bytes === undefined ? 'it is no base64' : decodeImage(bytes, decoders)
    })
  }

  const standIn = async (name: string, reason: string, width: number, height: number): Promise<Raster> => {
    const raster = clearRaster(width, height)
    drawScene(raster, randomFrom(`stand-in ${name}`), { clearGround: false })
    drawCaption(raster, await font(), { prompt: name, facts: [reason] }, { x: 0, y: 0, width, height })
    return raster
  }

  /** The pixels of a source; `like` gives the sides of what stands in for one that is not there. Without words when it is to be changed all over. */
  const sourceOf = async (source: Source, like: { readonly width: number; readonly height: number }, depth: number, words: 'with words' | 'bare'): Promise<Raster> => {
    if (source.kind === 'drawn') {
      const image = words === 'bare' ? bare(source.image) : source.image
      return remembered(keyOf({ ...image, depth }), () => drawn(image, depth + 1))
    }
    if (source.kind === 'absent') return standIn(source.name, 'not at hand: this stands in for it', like.width, like.height)
    const found = await decoded(source)
    return typeof found === 'string' ? standIn(`The picture that was sent: ${found}`, `sha256 ${source.sha256.slice(0, 12)}`, like.width, like.height) : found
  }

  /** A mask that is not there, or that nobody can read, marks nothing. */
  const maskOf = async (mask: Source | undefined, like: ImageMedia, depth: number): Promise<Raster | undefined> => {
    if (mask === undefined || mask.kind === 'absent') return undefined
    if (mask.kind === 'drawn') return sourceOf(mask, like, depth, 'bare')
    const found = await decoded(mask)
    return typeof found === 'string' ? undefined : found
  }

  const drawn = async (media: ImageMedia, depth: number): Promise<Raster> => {
    checkSides(media)
    const { width, height, caption, transparent, shapes, from } = media
    const random = randomFrom(`picture ${media.seed}`)
    if (from === undefined || depth > deepest) {
      const raster = clearRaster(width, height)
      drawScene(raster, random, { clearGround: transparent, shapes })
      if (caption !== undefined) drawCaption(raster, await font(), caption, { x: 0, y: 0, width, height })
      return raster
    }
    const making: Making = { width, height, random, font: await font(), caption, clearGround: transparent, shapes }
    switch (from.kind) {
      case 'edit':
        return edited(await sourceOf(from.source, media, depth, 'with words'), await maskOf(from.mask, media, depth), making)
      case 'paint':
        return painted(await sourceOf(from.source, { width: clamped(from.at.width), height: clamped(from.at.height) }, depth, 'with words'), await maskOf(from.mask, media, depth), from, making)
      case 'extend':
        return extended(await sourceOf(from.source, fewer(media, from.direction), depth, 'with words'), from.direction, making)
      case 'vary':
        return varied(await sourceOf(from.source, media, depth, 'bare'), from.strength, making)
      case 'recolour':
        return recoloured(await sourceOf(from.source, media, depth, 'bare'), making)
      case 'cut-out': {
        const { source } = from
        // One of our own without anything under it has a figure: its shapes.
        const figure = source.kind === 'drawn' && source.image.from === undefined
        const cut = figure ? copyOf(scaled(await drawn({ ...bare(source.image), transparent: true }, depth + 1), width, height)) : cutOut(await sourceOf(source, media, depth, 'bare'), making)
        if (caption !== undefined) drawCaption(cut, making.font, caption, { x: 0, y: 0, width, height })
        return cut
      }
    }
  }

  return {
    pixels: (source, like) => sourceOf(source, like, 0, 'with words'),
    async file(media) {
      checkSides(media)
      const { width, height, format, transparent, quality = 100, onItsWay: partly } = media
      if (transparent && format === 'jpeg') throw new RangeError('render-media: a JPEG cannot be transparent')
      const all = await drawn(media, 0)
      const raster = partly === undefined ? all : onItsWay(all, partly.step, partly.steps)
      if (format === 'png') return encodePng(raster, transparent, randomFrom(`picture ${media.seed}`).fork('comment').hex(16))
      const encode = await encoders[format]()
      return encode(transparent ? raster : withoutAlpha({ width, height, rgba: raster.rgba }), quality)
    },
  }
}

async function encodePng(raster: Raster, transparent: boolean, comment: string): Promise<Uint8Array> {
  const { encode } = await import('fast-png')
  const { width, height } = raster
  // The seed in the text keeps two pictures apart that chance drew alike.
  const text = { Software: 'gateway-sim', Comment: comment }
  // An alpha channel is what readers of transparency look for: only who asked for one gets one.
  return encode({ width, height, channels: transparent ? 4 : 3, data: transparent ? raster.rgba : onWhite(raster), text }, { zlib: { level: 4 } })
}

/** The same on white, as encoders take it. */
function withoutAlpha(raster: Raster): Raster {
  let solid = true
  for (let at = 3; at < raster.rgba.length && solid; at += 4) solid = raster.rgba[at] === 255
  if (solid) return raster
  const rgb = onWhite(raster)
  const rgba = new Uint8Array(raster.rgba.length).fill(255)
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) rgba.set(rgb.subarray(from, from + 3), to)
  return { ...raster, rgba }
}

function checkSides({ width, height }: ImageMedia): void {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1 || width * height > mostPixels) {
    throw new RangeError(`render-media: expected a picture of 1 to ${mostPixels} pixels, got ${width}x${height}`)
  }
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

const clamped = (side: number): number => Math.min(1024, Math.max(1, Math.round(side)))

// The sides of a source that a picture goes on from, as far as they can be guessed.
function fewer({ width, height }: ImageMedia, direction: 0 | 1 | 2 | 3): { width: number; height: number } {
  return direction === 0 || direction === 2 ? { width, height: Math.max(1, Math.floor((height * 2) / 3)) } : { width: Math.max(1, Math.floor((width * 2) / 3)), height }
}

function bare({ caption: _, ...image }: ImageMedia): ImageMedia {
  return image
}

function copyOf(raster: Raster): Raster {
  return { ...raster, rgba: raster.rgba.slice() }
}
