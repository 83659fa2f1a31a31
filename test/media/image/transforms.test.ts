/** Where the works on images have their edges: told from the pixels of plain sources. */
import { encode } from 'fast-png'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createMedia } from '../../../src/media/media.ts'
import type { ImageMedia, ImageSource, Transform } from '../../../src/protocol/media.ts'
import { drawn, imageMedia, sent } from '../_images.ts'

const renderer = createMedia({ cacheBytes: 10_000_000 })

/** The colour at places of an image, alpha included. */
async function lookAt(media: ImageMedia): Promise<(x: number, y: number) => number[]> {
  const { data, info } = await sharp((await renderer.render(media)).bytes)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return (x, y) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)]
}

const file = (width: number, height: number, at: (x: number, y: number) => readonly number[]): ImageSource =>
  sent(
    encode({
      width,
      height,
      channels: 4,
      data: Uint8Array.from(
        Array.from({ length: width * height }, (_, place) =>
          at(place % width, Math.floor(place / width)),
        ).flat(),
      ),
    }),
  )
const blue = [10, 20, 200, 255]

describe('a picture on a canvas', () => {
  const from: Extract<Transform, { kind: 'paint' }> = {
    kind: 'paint',
    source: file(96, 64, () => blue),
    at: { x: 0, y: 0, width: 96, height: 64 },
    canvas: { width: 96, height: 64 },
    areas: [],
  }

  it('is painted where its mask is white: from the middle between black and white on', async () => {
    const greys = [0, 127, 128, 255].map((value) => [value, value, value])
    const colours = [...greys, [255, 0, 0], [0, 255, 0], [255, 255, 0]]
    const at = await lookAt(
      imageMedia({
        from: { ...from, mask: file(96, 64, (x) => [...(colours[Math.floor(x / 13)] ?? [0, 0, 0]), 255]) },
      }),
    )
    const painted = colours.map((_, stripe) =>
      Array.from({ length: 64 }, (_, y) => at(stripe * 13 + 6, y).join()).some(
        (colour) => colour !== blue.join(),
      ),
    )
    // Green is lighter than red.
    expect(painted).toEqual([false, false, true, true, false, true, true])
  })

  it('is not painted where its mask is white and clear', async () => {
    const at = await lookAt(
      imageMedia({ from: { ...from, mask: file(96, 64, (x) => [255, 255, 255, x < 48 ? 127 : 128]) } }),
    )
    expect([at(40, 30).join(), at(60, 30).join() === blue.join()]).toEqual([blue.join(), false])
  })

  it('is painted in every area, also where they overlap or run the other way', async () => {
    const areas = [
      [10, 10, 40, 10, 40, 40, 10, 40],
      [30, 30, 30, 60, 60, 60, 60, 30],
    ]
    const at = await lookAt(imageMedia({ from: { ...from, areas } }))
    const painted = [at(20, 20), at(35, 35), at(50, 50)].map((colour) => colour.join() !== blue.join())
    expect(painted).toEqual([true, true, true])
    expect([at(5, 5), at(50, 20), at(20, 50)]).toEqual([blue, blue, blue])
  })
})

describe('a pan', () => {
  const source = file(60, 40, () => blue)

  // A place at the edge that it shares with what is new, and a corner of that.
  it.each<[0 | 1 | 2 | 3, number, number, [number, number], [number, number]]>([
    [0, 60, 100, [30, 39], [2, 97]],
    [1, 120, 40, [59, 20], [117, 2]],
    [2, 60, 100, [30, 60], [2, 2]],
    [3, 120, 40, [60, 20], [2, 37]],
  ])(
    'in direction %i has its source whole at the other side',
    async (direction, width, height, edge, corner) => {
      const at = await lookAt(imageMedia({ width, height, from: { kind: 'extend', source, direction } }))
      expect(at(...edge)).toEqual(blue)
      expect(at(...corner)).not.toEqual(blue)
    },
  )
})

describe('a cut-out', () => {
  it('of a file is an oval that leaves an eighth of each side free, or less', async () => {
    const from = { kind: 'cut-out', source: file(96, 64, () => blue) } as const
    const at = await lookAt(imageMedia({ width: 100, height: 200, transparent: true, from }))
    for (const kept of [at(50, 20), at(50, 180), at(10, 100), at(90, 100), at(50, 100)])
      expect(kept).toEqual(blue)
    for (const free of [at(50, 10), at(50, 190), at(4, 100), at(95, 100), at(12, 30), at(88, 170)])
      expect(free[3]).toBe(0)
  })
})

describe('a source of our own', () => {
  const wolf = imageMedia({ width: 256, height: 256, seed: 'wolf' })
  const named = { ...wolf, caption: { prompt: 'a wolf', facts: ['v7'] } }

  it.each([
    ['vary', { kind: 'vary', strength: 'subtle' }, 'bare'],
    ['recolour', { kind: 'recolour' }, 'bare'],
    ['cut-out', { kind: 'cut-out' }, 'bare'],
    ['extend', { kind: 'extend', direction: 1 }, 'with words'],
  ] as const)(
    'is taken by %s without its words where all of it is changed, and with them where it is kept',
    async (_, work, words) => {
      const made = async (source: ImageMedia): Promise<Uint8Array> => {
        const from = { ...work, source: drawn(source) } as Transform
        return (await renderer.render(imageMedia({ width: 256, height: 256, from }))).bytes
      }
      expect(Buffer.compare(await made(named), await made(wolf)) === 0).toBe(words === 'bare')
    },
  )

  it('as mask has no words either: they are no part to be painted', async () => {
    const of = (mask: ImageMedia): ImageMedia =>
      imageMedia({
        width: 256,
        height: 256,
        from: {
          kind: 'paint',
          source: drawn(imageMedia({ seed: 'x' })),
          at: { x: 0, y: 0, width: 256, height: 256 },
          canvas: { width: 256, height: 256 },
          areas: [],
          mask: drawn(mask),
        },
      })
    expect(
      Buffer.compare((await renderer.render(of(named))).bytes, (await renderer.render(of(wolf))).bytes),
    ).toBe(0)
  })
})
