/** What is done to pixels, against the same reckoned with fractions. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blendPixel, createRaster, drawOnto, onWhite, type Raster } from '../../../src/media/image/raster.ts'
import { runs } from '../../_counts.ts'

const byte = fc.integer({ min: 0, max: 255 })
const pixel = fc.tuple(byte, byte, byte, byte)
/** As under captions. */
const ground = fc.tuple(byte, byte, byte, fc.constantFrom(0, 255))
type Pixel = readonly [number, number, number, number]

/** The mean of some pixels by weight: colours count by their alpha. */
function meanOf(parts: readonly (readonly [Pixel, number])[]): number[] {
  const alpha = parts.reduce((sum, [[, , , a], weight]) => sum + a * weight, 0)
  if (alpha === 0) return [0, 0, 0, 0]
  return [
    ...[0, 1, 2].map(
      (channel) =>
        parts.reduce((sum, [one, weight]) => sum + (one[channel] as number) * one[3] * weight, 0) / alpha,
    ),
    alpha,
  ]
}

const near = (actual: Uint8Array, expected: readonly number[]): void => {
  // A clear pixel has no colour.
  for (let channel = (expected[3] as number) < 0.5 ? 3 : 0; channel < 4; channel++)
    expect(
      Math.abs((actual[channel] as number) - (expected[channel] as number)),
      `${[...actual].join()} for ${expected.join()}`,
    ).toBeLessThanOrEqual(0.51)
}

describe('pixels', () => {
  it('lie over each other by their alpha', () => {
    fc.assert(
      fc.property(ground, pixel, (below, above) => {
        const rgba = Uint8Array.from(below)
        blendPixel(rgba, 0, Uint8Array.from(above))
        near(
          rgba,
          meanOf([
            [above, 1],
            [below, 1 - above[3] / 255],
          ]),
        )
      }),
      {
        ...runs(2000),
        examples: [
          [
            [9, 9, 9, 0],
            [1, 2, 3, 0],
          ],
          [
            [9, 9, 9, 255],
            [1, 2, 3, 255],
          ],
          [
            [9, 9, 9, 255],
            [1, 2, 3, 128],
          ],
        ],
      },
    )
  })

  it('are put on white', () => {
    fc.assert(
      fc.property(pixel, (one) => {
        near(
          onWhite({ width: 1, height: 1, rgba: Uint8Array.from(one) }).rgba,
          meanOf([
            [one, 1],
            [[255, 255, 255, 255], 1 - one[3] / 255],
          ]),
        )
      }),
      runs(2000),
    )
  })
})

/** Each pixel with the number of its place, in three channels; solid. */
const numbered = (width: number, height: number): Raster => ({
  width,
  height,
  rgba: Uint8Array.from({ length: width * height * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at >> 2) * 10)),
})
const shades = ({ rgba }: Raster): number[] =>
  Array.from({ length: rgba.length / 4 }, (_, at) => rgba[at * 4] as number)
const alphas = ({ rgba }: Raster): number[] =>
  Array.from({ length: rgba.length / 4 }, (_, at) => rgba[at * 4 + 3] as number)

describe('a picture', () => {
  it('is scaled to the mean of what falls together, or to pixels that repeat', () => {
    const scaled = (image: Raster, width: number, height: number): number[] => {
      const result = createRaster(width, height)
      drawOnto(result, image, { x: 0, y: 0, width, height })
      return shades(result)
    }
    expect(scaled(numbered(4, 2), 2, 1)).toEqual([(0 + 10 + 40 + 50) / 4, (20 + 30 + 60 + 70) / 4])
    expect(scaled(numbered(2, 1), 4, 2)).toEqual([0, 0, 10, 10, 0, 0, 10, 10])
    expect(scaled(numbered(3, 1), 1, 1)).toEqual([10])
    expect(scaled(numbered(1, 3), 1, 2)).toEqual([0, 15])
  })

  it.each([
    [{ x: -1, y: -1, width: 2, height: 2 }, [30, 0, 0, 0, 0, 0]],
    [{ x: 2, y: 1, width: 2, height: 2 }, [0, 0, 0, 0, 0, 0]],
    [{ x: 3, y: 0, width: 2, height: 2 }, [0, 0, 0, 0, 0, 0]],
    [{ x: 0, y: -5, width: 2, height: 2 }, [0, 0, 0, 0, 0, 0]],
    [{ x: -3, y: -2, width: 8, height: 8 }, [0, 10, 10, 0, 10, 10]],
  ])('is laid at %o, also where that lies outside in part', (place, expected) => {
    const on = createRaster(3, 2)
    drawOnto(on, numbered(2, 2), place)
    expect(shades(on)).toEqual(expected)
    const inside = alphas(on).map((alpha) => alpha === 255)
    for (const [at, there] of inside.entries())
      expect(there).toBe(
        at % 3 >= place.x &&
          at % 3 < place.x + place.width &&
          Math.floor(at / 3) >= place.y &&
          Math.floor(at / 3) < place.y + place.height,
      )
  })
})
