/** A picture that is still on its way: squares that halve from step to step, through which more and more of the picture shows. Knows nothing of formats. */
import { clearRaster, meanInto, type Raster } from './image-raster.ts'

/**
 * The picture at step `step` (from 0) of `steps`. Each step is nearer to the whole one than the step before: its squares are no
 * larger and have the mean colour of what they hide, and they hide less.
 */
export function onItsWay(picture: Raster, step: number, steps: number): Raster {
  const { width, height, rgba } = picture
  const count = Math.max(1, Math.min(steps, mostSteps))
  const done = Math.max(0, Math.min(step, count - 1))
  const side = Math.max(2, Math.ceil(Math.max(width, height) / (8 * 2 ** done)))
  // How much of the squares is left: all at first, a third at the last step.
  const [whole, hidden] = [count * 3, count * 3 - done * 2]
  const result = clearRaster(width, height)
  const mean = new Uint8Array(4)
  for (let top = 0; top < height; top += side) {
    const bottom = Math.min(top + side, height)
    for (let left = 0; left < width; left += side) {
      const right = Math.min(left + side, width)
      meanInto(mean, 0, rgba, width, left, top, right, bottom)
      for (let y = top; y < bottom; y++) {
        for (let at = (y * width + left) * 4, end = (y * width + right) * 4; at < end; at++) {
          const own = rgba[at] as number
          result.rgba[at] = own + Math.round((((mean[at & 3] as number) - own) * hidden) / whole)
        }
      }
    }
  }
  return result
}

// A script may take more steps than a request can ask for.
const mostSteps = 32
