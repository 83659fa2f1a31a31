/** How outlines are filled, told by areas that can be reckoned and by larger rasters. */
import { describe, expect, it } from 'vitest'
import { fill, solid } from '../../../src/media/image/fill.ts'
import { type Contour, ellipse, reversed } from '../../../src/media/image/outline.ts'
import { createRaster, type Raster } from '../../../src/media/image/raster.ts'

const white = solid([255, 255, 255])
const filled = (width: number, height: number, ...contours: readonly Contour[]): Raster => {
  const raster = createRaster(width, height)
  fill(raster, contours, white)
  return raster
}
const cover = ({ width, rgba }: Raster, x: number, y: number): number =>
  rgba[(y * width + x) * 4 + 3] as number
const box = (left: number, top: number, right: number, bottom: number): Contour => [
  ...[left, top, right, top],
  ...[right, bottom, left, bottom],
]

describe('a filled outline', () => {
  it.each([
    ['a whole pixel', box(1, 1, 2, 2), 255],
    ['half of one', box(1.5, 1, 2, 2), 128],
    ['a quarter', box(1, 1, 1.5, 1.5), 64],
    ['below a diagonal', [1, 1, 2, 2, 1, 2], 128],
    ['above one', [1, 1, 2, 1, 2, 2], 128],
    ['none of it', box(2, 1, 3, 2), 0],
    ['nothing at all', [], 0],
    ['a line', [1, 1, 2, 2], 0],
    ['a point', [1, 1], 0],
    ['twice round', [...box(1, 1, 2, 2), ...box(1, 1, 2, 2)], 255],
  ] as const)('covers %s', (_, contour, expected) => {
    for (const way of [contour, reversed(contour)]) expect(cover(filled(4, 4, way), 1, 1)).toBe(expected)
  })

  it('has a hole where another one runs the other way', async () => {
    const ring = filled(20, 20, ellipse(10, 10, 9, 9), reversed(ellipse(10, 10, 4, 4)))
    expect([cover(ring, 10, 10), cover(ring, 10, 3), cover(ring, 0, 0)]).toEqual([0, 255, 0])
  })

  it('covers as much as its area is', () => {
    const { rgba } = filled(100, 100, ellipse(50, 50, 40, 30))
    const sum = rgba.reduce((all, value, index) => all + (index % 4 === 3 ? value / 255 : 0), 0)
    expect(sum).toBeGreaterThan(40 * 30 * Math.PI * 0.998)
    expect(sum).toBeLessThan(40 * 30 * Math.PI * 1.001)
  })

  // Corners far outside, so that edges of every slope cross every side.
  const chance = (seed: number) => () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  it.each([1, 2, 3, 40])(
    'is cut off at the sides of the raster as it is within a larger one (reaches %i times as far)',
    (reach) => {
      const next = chance(reach)
      const [width, height, around] = [16, 12, Math.ceil(16 * reach)]
      // The larger the raster, the longer a round.
      for (let round = 0; round < (reach > 3 ? 6 : 60); round++) {
        const contour = Array.from(
          { length: 6 },
          (_, index) => (index % 2 === 0 ? width : height) * (0.5 + (next() - 0.5) * 2 * reach),
        )
        const small = filled(width, height, contour)
        const large = filled(
          width + 2 * around,
          height + 2 * around,
          contour.map((value) => value + around),
        )
        const off: string[] = []
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++)
            if (Math.abs(cover(small, x, y) - cover(large, x + around, y + around)) > 1)
              off.push(`${x}, ${y}`)
        expect(off, contour.join()).toEqual([])
      }
    },
  )
})
