/** What hides a picture that is on its way, told on a ramp whose every column has a shade of its own. */
import { describe, expect, it } from 'vitest'
import { partialImage } from '../../../src/media/image/partial.ts'
import type { Raster } from '../../../src/media/image/raster.ts'

/** From 0 on the left upwards, by `slope` for each column. */
const ramp = (width: number, height: number, slope: number): Raster => ({
  width,
  height,
  rgba: Uint8Array.from({ length: width * height * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : ((at >> 2) % width) * slope,
  ),
})
const row = ({ width, rgba }: Raster, y: number): number[] =>
  Array.from({ length: width }, (_, x) => rgba[(y * width + x) * 4] as number)
/** Where a shade is further from the one before it than within a square. */
const edges = (shades: readonly number[]): number[] =>
  shades.flatMap((shade, x) => (x > 0 && shade - (shades[x - 1] as number) > 3 ? [x] : []))

describe('the squares of a picture on its way', () => {
  it('are an eighth of its longer side at first, and hide all of it', () => {
    const first = partialImage(ramp(64, 40, 3), 0, 3)
    for (let y = 0; y < 40; y++)
      expect(row(first, y)).toEqual(
        Array.from({ length: 64 }, (_, x) => Math.round((Math.floor(x / 8) * 8 + 3.5) * 3)),
      )
  })

  it('halve with each step', () => {
    const sides = [0, 1, 2].map((step) => edges(row(partialImage(ramp(64, 64, 3), step, 3), 0)))
    expect(sides[0]).toEqual([8, 16, 24, 32, 40, 48, 56])
    expect(sides[1]).toEqual(Array.from({ length: 15 }, (_, square) => (square + 1) * 4))
    // Two columns of a square are as near to each other as they were.
    expect(sides[2]).toEqual(Array.from({ length: 31 }, (_, square) => (square + 1) * 2))
  })

  it('reach to the last row and column of sides that they do not divide', () => {
    for (const [width, height] of [
      [61, 37],
      [37, 61],
      [9, 1],
      [1, 9],
    ] as const) {
      const { rgba } = partialImage(ramp(width, height, 3), 0, 2)
      const side = Math.max(2, Math.ceil(Math.max(width, height) / 8))
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++)
          expect(rgba[(y * width + x) * 4]).toBe(rgba[((y - (y % side)) * width + x - (x % side)) * 4])
      }
    }
  })

  it.each([
    [5, 3],
    [-1, 3],
    [0, 0],
    [40, 1_000_000],
    [0, 1_000_000],
  ])('are drawn for step %i of %i too', (step, steps) => {
    expect(partialImage(ramp(16, 16, 3), step, steps)).toMatchObject({ width: 16, height: 16 })
  })

  it('do not become finer than 32 steps make them', () => {
    expect(partialImage(ramp(64, 64, 3), 500, 1000)).toEqual(partialImage(ramp(64, 64, 3), 31, 32))
  })
})
