/** Frames of a video as an image: the first frame, or twelve frames on one sheet. */
import type { FrameMedia } from '../../protocol/media.ts'
import type { Encode } from '../codecs/image-codecs.ts'
import { drawCaption } from '../image/caption.ts'
import { loadFont } from '../image/font.ts'
import type { Raster } from '../image/raster.ts'
import { drawScene, frameRate, sceneOf, signsOf } from './scene.ts'

const columns = 4
const rows = 3

/** The sources of the encoders. Each is loaded once. */
type FrameEncoders = Readonly<Record<FrameMedia['format'], () => Promise<Encode>>>

/** The file: as large as the video, or a sheet as wide as the video and three quarters as high. */
export async function renderFrames(
  { of: video, sheet, format, caption }: FrameMedia,
  encoders: FrameEncoders,
): Promise<Uint8Array> {
  const { width, height, seconds } = video
  const signs = signsOf(video)
  const frameAt = (frame: number, scale: number): Raster => {
    const sign = signs.charAt(Math.floor(frame / frameRate))
    return drawScene(sceneOf(sign, frame % frameRate, width, height), width, height, scale)
  }
  const encode = await encoders[format]()
  if (sheet) {
    const frames = seconds * frameRate
    const tiles = Array.from({ length: columns * rows }, (_, place) =>
      frameAt(Math.floor((place * frames) / (columns * rows)), columns),
    )
    return encode(inRows(tiles), 90)
  }
  const first = frameAt(0, 1)
  if (caption !== undefined)
    drawCaption(first, await loadFont(), { ...caption, facts: [...caption.facts, signs] })
  return encode(first, 90)
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
