/**
 * Partial images: squares that halve from step to step, through which more and more of the final image
 * shows.
 */
import { mixPixel, type Raster, writeMean } from './raster.ts'

/**
 * Step `step` (from 0) of `steps` of an image. Each step is nearer to the image than the one before: its
 * squares are no larger and have the mean colour of what they hide, and they hide less.
 */
export function partialImage(image: Raster, step: number, steps: number): Raster {
  const { width, height, rgba } = image
  const count = Math.max(1, Math.min(steps, maxSteps))
  const done = Math.max(0, Math.min(step, count - 1))
  const side = Math.max(2, Math.ceil(Math.max(width, height) / (8 * 2 ** done)))
  // How much of the squares is left: all at first, little more than a third at the last of many steps.
  const [whole, hidden] = [count * 3, count * 3 - done * 2]
  const result = rgba.slice()
  const mean = new Uint8Array(4)
  for (let top = 0; top < height; top += side) {
    const bottom = Math.min(top + side, height)
    for (let left = 0; left < width; left += side) {
      const right = Math.min(left + side, width)
      writeMean(mean, 0, rgba, width, left, top, right, bottom)
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) mixPixel(result, (y * width + x) * 4, mean, 0, hidden, whole)
    }
  }
  return { width, height, rgba: result }
}

// A scenario may have more steps than a request can ask for.
const maxSteps = 32
