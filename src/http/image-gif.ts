/** The first picture of a GIF, as pixels. Loaded when the first GIF comes. Knows nothing of what is made from it. */
import { GifReader } from 'omggif'
import { clearRaster, type Raster } from './image-raster.ts'

/** On its canvas, which is clear where the picture does not reach. Throws for what is broken or holds no picture; undefined for one of more than `mostPixels`. Whoever calls it bounds the canvas first. */
export function readGif(bytes: Uint8Array, mostPixels: number): Raster | undefined {
  const gif = new GifReader(bytes)
  // A picture may say other sides than its canvas, and is unpacked whole.
  const { width, height } = gif.frameInfo(0)
  if (width * height > mostPixels) return undefined
  const raster = clearRaster(gif.width, gif.height)
  withoutLog(() => gif.decodeAndBlitFrameRGBA(0, raster.rgba))
  return raster
}

/** The reader tells the console of a picture that is shorter or longer than it says: its user's terminal is no place for that. */
function withoutLog(work: () => void): void {
  const { log } = console
  console.log = () => {}
  try {
    work()
  } finally {
    console.log = log
  }
}
