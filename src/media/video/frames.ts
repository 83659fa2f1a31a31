/** Frames of a video as an image: the first frame, or twelve frames on one sheet. */
import type { FrameMedia, ImageSource, VideoMedia } from '../../protocol/media.ts'
import type { Encode } from '../codecs/image-codecs.ts'
import { drawCaption } from '../image/caption.ts'
import { loadFont } from '../image/font.ts'
import {
  type Colour,
  copyRaster,
  createRaster,
  drawOnto,
  flat,
  type Raster,
  resize,
  writeMean,
} from '../image/raster.ts'
import type { ImageRenderer } from '../image/render-image.ts'
import { drawScene, frameRate, sceneOf, signsOf } from './scene.ts'

const columns = 4
const rows = 3

/** The sources of the encoders. Each is loaded once. */
type FrameEncoders = Readonly<Record<FrameMedia['format'], () => Promise<Encode>>>

/** The file: as large as the video, or a sheet as wide as the video and three quarters as high. */
export async function renderFrames(
  { of: video, sheet, format, caption }: FrameMedia,
  sources: SourceImages,
  encoders: FrameEncoders,
): Promise<Uint8Array> {
  const { width, height, seconds } = video
  const signs = signsOf(video, sources.first?.meanColour, sources.last?.meanColour)
  const sourceFrame = createSourceFrames(video, sources)
  const frameAt = (frame: number, scale: number): Raster => {
    const second = Math.floor(frame / frameRate)
    const source = sourceFrame(second)
    if (source !== undefined) return resize(source, width / scale, height / scale)
    const scene = sceneOf(signs.charAt(second), frame % frameRate, width, height)
    return drawScene(scene, width, height, scale)
  }
  const encode = await encoders[format]()
  if (sheet) {
    const frames = seconds * frameRate
    const tiles = Array.from({ length: columns * rows }, (_, place) =>
      frameAt(Math.floor((place * frames) / (columns * rows)), columns),
    )
    return encode(inRows(tiles), 90)
  }
  const first = copyRaster(frameAt(0, 1))
  if (caption !== undefined)
    drawCaption(
      first,
      await loadFont(),
      { ...caption, facts: [...caption.facts, signs] },
      { x: 0, y: 0, width, height },
    )
  return encode(first, 90)
}

/** Finds the source image of a second, scaled to the video; each source is scaled once. */
function createSourceFrames(
  { width, height, seconds, images }: FrameMedia['of'],
  { first, last }: SourceImages,
): (second: number) => Raster | undefined {
  const fitted = new Map<number, Raster>()
  return (second) => {
    const image = second === 0 ? first : second === seconds - 1 ? last : undefined
    if (image === undefined) return undefined
    const frame = fitted.get(second) ?? fitInto(image.raster, width, height, images?.fit ?? 'contain')
    fitted.set(second, frame)
    return frame
  }
}

/** Arranges images of the same size in a grid. */
function inRows(tiles: readonly Raster[]): Raster {
  const { width, height } = tiles[0] as Raster
  const rgba = new Uint8Array(tiles.length * width * height * 4)
  tiles.forEach((tile, place) => {
    const left = (place % columns) * width
    const top = Math.floor(place / columns) * height
    for (let y = 0; y < height; y++)
      rgba.set(
        tile.rgba.subarray(y * width * 4, (y + 1) * width * 4),
        ((top + y) * width * columns + left) * 4,
      )
  })
  return { width: width * columns, height: height * rows, rgba }
}

/** Undefined if the second is drawn from the seed. */
export interface SourceImages {
  readonly first: SourceImage | undefined
  readonly last: SourceImage | undefined
}

interface SourceImage {
  /** In its original size. */
  readonly raster: Raster
  readonly meanColour: Colour
}

export async function loadSourceImages(
  { width, height, images: named }: VideoMedia,
  images: ImageRenderer,
): Promise<SourceImages> {
  const load = async (source: ImageSource | undefined): Promise<SourceImage | undefined> => {
    if (source === undefined) return undefined
    const raster = await images.pixels(source, { width, height })
    return { raster, meanColour: meanColourOf(raster) }
  }
  return { first: await load(named?.first), last: await load(named?.last) }
}

function meanColourOf({ rgba, width, height }: Raster): Colour {
  const mean = new Uint8Array(4)
  writeMean(mean, 0, rgba, width, 0, 0, width, height)
  return [mean[0] as number, mean[1] as number, mean[2] as number]
}

/**
 * The image in its original shape in the middle of a frame: complete with black bars, or cropped to fill the
 * frame. Transparent pixels become white.
 */
function fitInto(image: Raster, width: number, height: number, fit: 'contain' | 'cover'): Raster {
  const isWider = image.width * height > width * image.height
  const byWidth = isWider === (fit === 'contain')
  const scaledWidth = byWidth ? width : Math.max(1, Math.round((image.width * height) / image.height))
  const scaledHeight = byWidth ? Math.max(1, Math.round((image.height * width) / image.width)) : height
  const place = {
    x: Math.floor((width - scaledWidth) / 2),
    y: Math.floor((height - scaledHeight) / 2),
    width: scaledWidth,
    height: scaledHeight,
  }
  const result = createRaster(width, height)
  drawOnto(result, flat([0, 0, 0]), { x: 0, y: 0, width, height })
  drawOnto(result, flat([255, 255, 255]), place)
  drawOnto(result, image, place)
  return result
}
