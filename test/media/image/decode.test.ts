/**
 * Files of clients as pixels: every depth and kind of PNG, and decoders that say something else than the
 * header.
 */
import { deflateSync } from 'node:zlib'
import { encode } from 'fast-png'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { type Decoders, decodeImage } from '../../../src/media/image/sources.ts'
import { createMedia } from '../../../src/media/media.ts'
import { imageMedia, sent } from '../_images.ts'
import { pngOf } from '../_png.ts'

const none: Decoders = {
  webp: () => Promise.reject(new Error('not asked for')),
  jpeg: () => Promise.reject(new Error('not asked for')),
}

async function pixelsOf(png: Uint8Array): Promise<number[][]> {
  const raster = await decodeImage(png, none)
  if (typeof raster === 'string') throw new Error(raster)
  return Array.from({ length: raster.width * raster.height }, (_, at) => [
    ...raster.rgba.subarray(at * 4, at * 4 + 4),
  ])
}

const tRNS = (...bytes: readonly number[]) => [['tRNS', Uint8Array.from(bytes)]] as const
const grey = (value: number, alpha = 255): number[] => [value, value, value, alpha]

describe('a PNG', () => {
  it.each([
    [1, [0b0100_0000], [grey(0), grey(255), grey(0)]],
    [2, [0b0001_1000], [grey(0), grey(85), grey(170)]],
    [4, [0x0f, 0x80], [grey(0), grey(255), grey(136)]],
    [8, [0, 255, 77], [grey(0), grey(255), grey(77)]],
    [16, [0x12, 0x7f, 0x12, 0x80, 0xff, 0xff], [grey(0x12), grey(0x12), grey(255)]],
  ])('of grey in %i bits has shades from black to white', async (depth, row, expected) => {
    expect(
      await pixelsOf(
        pngOf({ width: 3, height: 1, depth, colourType: 0 }, deflateSync(Uint8Array.from([0, ...row]))),
      ),
    ).toEqual(expected)
  })

  it('of 16 bits is rounded to the nearest of 8', async () => {
    const values = [0, 128, 129, 257 * 7 + 128, 257 * 7 + 129, 65_535]
    const deep = (channels: 1 | 4, data: number[]) =>
      pixelsOf(
        encode({
          width: data.length / channels,
          height: 1,
          channels,
          depth: 16,
          data: Uint16Array.from(data),
        }),
      )
    expect((await deep(1, values)).map(([red]) => red)).toEqual(
      values.map((value) => Math.round(value / 257)),
    )
    expect(await deep(4, [257, 514, 771, 1028])).toEqual([[1, 2, 3, 4]])
  })

  it('has its alpha, or what is declared clear and nothing else', async () => {
    expect(
      await pixelsOf(encode({ width: 2, height: 1, channels: 2, data: Uint8Array.from([7, 9, 8, 255]) })),
    ).toEqual([grey(7, 9), grey(8)])
    const row = (width: number, colourType: number, bytes: number[], ...clear: number[]) =>
      pixelsOf(
        pngOf({ width, height: 1, colourType }, deflateSync(Uint8Array.from([0, ...bytes])), tRNS(...clear)),
      )
    expect(await row(2, 0, [7, 9], 0, 7)).toEqual([grey(7, 0), grey(9)])
    expect(await row(4, 2, [1, 2, 3, 1, 2, 4, 1, 9, 3, 9, 2, 3], 0, 1, 0, 2, 0, 3)).toEqual([
      [1, 2, 3, 0],
      [1, 2, 4, 255],
      [1, 9, 3, 255],
      [9, 2, 3, 255],
    ])
  })

  it('of a palette has its colours, and black for what lies beyond', async () => {
    const palette = ['PLTE', Uint8Array.from([1, 2, 3, 4, 5, 6])] as const
    expect(
      await pixelsOf(
        pngOf(
          { width: 4, height: 1, depth: 2, colourType: 3 },
          deflateSync(Uint8Array.from([0, 0b00_01_10_11])),
          [palette, ...tRNS(255, 128)],
        ),
      ),
    ).toEqual([[1, 2, 3, 255], [4, 5, 6, 128], grey(0), grey(0)])
  })

  it('is told in words where it is none', async () => {
    const of = (packed: Uint8Array): Promise<unknown> =>
      decodeImage(pngOf({ width: 2, height: 2, colourType: 6 }, packed), none)
    expect(await of(deflateSync(new Uint8Array(17)))).toBe('it has too few pixels')
    expect(await of(deflateSync(new Uint8Array(19)))).toBe('it has too many pixels')
    expect(await of(new Uint8Array(9).fill(7))).toBe('its pixels cannot be decompressed')
  })
})

describe('a file whose decoder', () => {
  const file = async (format: 'webp' | 'jpeg'): Promise<Uint8Array> =>
    new Uint8Array(
      await sharp({ create: { width: 4, height: 3, channels: 3, background: '#123' } })
        [format]()
        .toBuffer(),
    )

  it.each(['webp', 'jpeg'] as const)(
    'says other sides than its header is not drawn from: %s',
    async (format) => {
      const saying = (width: number, height: number): Decoders => ({
        ...none,
        [format]: () => Promise.resolve(() => ({ width, height, rgba: new Uint8Array(width * height * 4) })),
      })
      expect(await decodeImage(await file(format), saying(4, 3))).toMatchObject({ width: 4, height: 3 })
      for (const [width, height] of [
        [3, 4],
        [4, 4],
        [40, 3],
      ] as const)
        expect(await decodeImage(await file(format), saying(width, height))).toBe('it cannot be decoded')
    },
  )

  it.each(['webp', 'jpeg'] as const)(
    'throws, has nothing to say or cannot be loaded is not drawn from: %s',
    async (format) => {
      for (const decoder of [
        () => Promise.reject(new Error('no memory')),
        () => Promise.resolve(() => undefined),
        () =>
          Promise.resolve(() => {
            throw new Error('unreachable')
          }),
      ]) {
        expect(await decodeImage(await file(format), { ...none, [format]: decoder })).toBe(
          'it cannot be decoded',
        )
      }
    },
  )
})

describe('what can be seen through', () => {
  it.each(['png', 'webp', 'jpeg'] as const)(
    'is white where nobody asked for transparency: %s',
    async (format) => {
      const clear = sent(encode({ width: 64, height: 64, channels: 4, data: new Uint8Array(64 * 64 * 4) }))
      const { bytes } = await createMedia({ cacheBytes: 0 }).render(
        imageMedia({ width: 64, height: 64, format, from: { kind: 'recolour', source: clear } }),
      )
      const { channels } = await sharp(bytes).stats()
      expect(channels.map(({ min }) => min)).toEqual([255, 255, 255])
    },
  )
})
