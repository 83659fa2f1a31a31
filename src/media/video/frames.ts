/** Pictures out of a film: the first one, or twelve from beginning to end on one sheet. */
import type { FrameMedia } from '../../protocol/media.ts'
import type { Encode } from '../codecs/image-codecs.ts'
import { drawCaption } from '../image/caption.ts'
import { loadFont } from '../image/font.ts'
import { copyOf, type Raster, scaled } from '../image/raster.ts'
import { codeOf, drawScene, frameRate, sceneOf } from './scene.ts'
import type { Stills } from './stills.ts'

const columns = 4
const rows = 3

/** Where the encoders come from; each is loaded once. */
export type FrameEncoders = Readonly<Record<FrameMedia['format'], () => Promise<Encode>>>

/** The file: as large as the film, or a sheet as wide as the film and three quarters as high. */
export async function renderFrames(
  { of: film, sheet, format, caption }: FrameMedia,
  stills: Stills,
  encoders: FrameEncoders,
): Promise<Uint8Array> {
  const { width, height, seconds } = film
  const code = codeOf(film)
  const frames = seconds * frameRate
  const drawn = (frame: number, scale: number): Raster => {
    const second = Math.floor(frame / frameRate)
    const still = second === 0 ? stills.first : second === seconds - 1 ? stills.last : undefined
    if (still !== undefined) return scaled(still, width / scale, height / scale)
    return drawScene(sceneOf(code.charAt(second), frame % frameRate, width, height), width, height, scale)
  }
  const encode = await encoders[format]()
  if (!sheet) {
    // A still may be somebody else's, too.
    const first = copyOf(drawn(0, 1))
    if (caption !== undefined)
      drawCaption(
        first,
        await loadFont(),
        { ...caption, facts: [...caption.facts, code] },
        { x: 0, y: 0, width, height },
      )
    return encode(first, 90)
  }
  const tiles = Array.from({ length: columns * rows }, (_, place) =>
    drawn(Math.floor((place * frames) / (columns * rows)), columns),
  )
  return encode(inRows(tiles), 90)
}

/** Puts pictures of the same size side by side, and row under row. */
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
