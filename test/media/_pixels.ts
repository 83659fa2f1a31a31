/** Pixels compared, for tests of videos. */
import { expect } from 'vitest'

/** The mean difference of two images, 0 to 255. */
export function difference(a: Uint8Array, b: Uint8Array): number {
  expect(a.length).toBe(b.length)
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] as number) - (b[i] as number))
  return sum / a.length
}

/** Without alpha. */
export function rgbOf(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3)
    rgb.set(rgba.subarray(from, from + 3), to)
  return rgb
}
