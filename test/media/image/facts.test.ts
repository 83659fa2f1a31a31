/**
 * What the edge says of the bytes of a image: from its beginning, and from its pixels where they are
 * wanted.
 */
import { deflateSync } from 'node:zlib'
import { encode } from 'fast-png'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readImageFacts } from '../../../src/media/image/facts.ts'
import { inspectPixels } from '../../../src/media/image/pixels.ts'
import type { ImageFacts } from '../../../src/protocol/call.ts'
import { chunk, pngOf } from '../_png.ts'

const seen = async (bytes: Uint8Array): Promise<ImageFacts> =>
  inspectPixels(readImageFacts(bytes) as ImageFacts, bytes)

const rgba = (alpha: number): Uint8Array =>
  Uint8Array.from({ length: 9 * 4 }, (_, at) => (at === 35 ? alpha : 255))
/** A PNG of one row, or of 3 x 3 pixels in RGBA. */
const plain = (channels: 1 | 2 | 3 | 4, ...data: number[]): Uint8Array =>
  encode({ width: data.length / channels, height: 1, channels, data: Uint8Array.from(data) })
const square = (alpha: number): Uint8Array => encode({ width: 3, height: 3, channels: 4, data: rgba(alpha) })
const deep = (...data: number[]): Uint8Array =>
  encode({ width: data.length / 4, height: 1, channels: 4, depth: 16, data: Uint16Array.from(data) })
type Chunk = readonly [string, Uint8Array]
const named = (name: string, ...bytes: number[]): Chunk => [name, Uint8Array.from(bytes)]
/** A PNG of one row whose bytes are given packed, with chunks of any kind. */
const row = (colourType: number, width: number, bytes: number[], chunks: Chunk[], depth = 8): Uint8Array =>
  pngOf({ width, height: 1, depth, colourType }, deflateSync(Uint8Array.from([0, ...bytes])), chunks)
const palette = named('PLTE', 1, 1, 1, 2, 2, 2)
const [secondClear, firstClear] = [named('tRNS', 255, 0), named('tRNS', 0)]

describe('the pixels of a picture', () => {
  it.each<[string, () => Uint8Array, 'transparent' | 'opaque']>([
    ['a PNG with one clear pixel', () => square(0), 'transparent'],
    ['a PNG with one pixel that is nearly opaque', () => square(254), 'transparent'],
    ['a PNG with alpha and no pixel that uses it', () => square(255), 'opaque'],
    ['a PNG of 16 bits with one clear pixel', () => deep(1, 2, 3, 65535, 1, 2, 3, 65534), 'transparent'],
    ['a PNG of 16 bits, all opaque', () => deep(1, 2, 3, 65535), 'opaque'],
    ['a grey PNG with alpha', () => plain(2, 7, 255, 7, 0), 'transparent'],
    ['a PNG without alpha', () => plain(3, 1, 2, 3), 'opaque'],
    ['a palette whose clear colour is used', () => row(3, 2, [0, 1], [palette, secondClear]), 'transparent'],
    ['a palette whose clear colour is not used', () => row(3, 2, [0, 0], [palette, secondClear]), 'opaque'],
    [
      'a palette of one bit, whose last byte holds more bits than the row',
      () => row(3, 3, [0b11100000], [palette, firstClear], 1),
      'opaque',
    ],
    [
      'a grey that is declared clear, and used',
      () => row(0, 2, [9, 7], [named('tRNS', 0, 7)]),
      'transparent',
    ],
    [
      'a colour that is declared clear, and not used',
      () => row(2, 3, [1, 2, 3, 1, 9, 4, 9, 2, 4], [named('tRNS', 0, 1, 0, 2, 0, 4)]),
      'opaque',
    ],
    [
      'a colour that is declared clear, and used',
      () => row(2, 3, [1, 2, 4, 1, 2, 3, 9, 2, 3], [named('tRNS', 0, 1, 0, 2, 0, 3)]),
      'transparent',
    ],
    [
      'a grey of two bits that is declared clear, and used',
      () => row(0, 3, [0b00_10_01_00], [named('tRNS', 0, 1)], 2),
      'transparent',
    ],
    [
      'a grey of two bits that is declared clear, and stands only behind the row',
      () => row(0, 3, [0b00_10_11_01], [named('tRNS', 0, 1)], 2),
      'opaque',
    ],
    [
      'a grey of 16 bits that is declared clear, and used',
      () => row(0, 2, [1, 2, 1, 3], [named('tRNS', 1, 3)], 16),
      'transparent',
    ],
    [
      'a palette of two bits with indexes beyond it',
      () => row(3, 4, [0b00_01_10_11], [palette, named('tRNS', 255, 255)], 2),
      'opaque',
    ],
  ])('of %s', async (_, bytes, expected) => {
    const facts = await seen(bytes())
    expect([facts.damage, facts.pixels]).toEqual([undefined, expected])
  })

  it.each([
    ['webp', { lossless: true }],
    ['webp', { quality: 50 }],
    ['png', { progressive: true }],
    ['png', { palette: true }],
  ] as const)('of a file that another encoder made: %s %o', async (format, options) => {
    const file = async (alpha: number) =>
      new Uint8Array(
        await sharp(rgba(alpha), { raw: { width: 3, height: 3, channels: 4 } })
          [format](options)
          .toBuffer(),
      )
    expect(await seen(await file(0))).toMatchObject({ format, width: 3, height: 3, pixels: 'transparent' })
    expect((await seen(await file(255))).pixels).toBe('opaque')
  })

  it('of a JPEG are opaque without a look', async () => {
    const file = new Uint8Array(
      await sharp(rgba(0), { raw: { width: 3, height: 3, channels: 4 } })
        .jpeg()
        .toBuffer(),
    )
    const facts = { format: 'jpeg', width: 3, height: 3, hasTransparency: false }
    expect(await seen(file)).toEqual({ ...facts, pixels: 'opaque' })
  })
})

const baseline = [0xff, 0xc0, 0, 17, 8, 1, 2, 3, 4, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]

describe('the size of a JPEG', () => {
  const facts = (...bytes: readonly number[]) =>
    readImageFacts(Uint8Array.from([0xff, 0xd8, ...bytes, 0xff, 0xd9]))

  it.each([
    ['at once', baseline],
    [
      'behind a thumbnail with a size of its own',
      [0xff, 0xe1, 0, 12, 0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 9, 9, 9, ...baseline],
    ],
    ['behind a segment of nothing', [0xff, 0xfe, 0, 2, ...baseline]],
    ['behind bytes that say nothing', [0, 7, 0xff, 0xff, 0xff, ...baseline.slice(1)]],
    ['of a progressive one', baseline.map((byte, at) => (at === 1 ? 0xc2 : byte))],
  ])('%s', (_, bytes) => {
    expect(facts(...bytes)).toEqual({ format: 'jpeg', width: 0x304, height: 0x102, hasTransparency: false })
  })

  it.each([
    ['that has none', []],
    ['of a kind that nobody shows', baseline.map((byte, at) => (at === 1 ? 0xc3 : byte))],
    ['that ends before it says so', [0xff, 0xe1, 0xff, 0xff]],
  ])('%s is unknown', (_, bytes) => {
    expect(facts(...bytes)).toBeUndefined()
  })

  it('agrees with what another program writes', async () => {
    for (const options of [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: '4:4:4' }]) {
      const file = new Uint8Array(
        await sharp({ create: { width: 301, height: 77, channels: 3, background: '#123' } })
          .withMetadata({ orientation: 6 })
          .jpeg(options)
          .toBuffer(),
      )
      expect(readImageFacts(file)).toMatchObject({ width: 301, height: 77 })
    }
  })
})

describe('a picture that is not what it says', () => {
  const rgbaOf = (side: number, packed: Uint8Array, colourType = 6): Uint8Array =>
    pngOf({ width: side, height: side, colourType }, packed)
  const unpacked = (length: number): Uint8Array => deflateSync(new Uint8Array(length))
  const noise = () =>
    Buffer.concat([
      Buffer.from('RIFF'),
      Buffer.from([36, 0, 0, 0]),
      Buffer.from('WEBPVP8L'),
      Buffer.from([24, 0, 0, 0, 0x2f, 1, 0x40, 0, 0x10]),
      Buffer.alloc(19, 0xa5),
    ])

  it.each<[string, () => Uint8Array, RegExp]>([
    ['its pixels are not packed', () => rgbaOf(2, new Uint8Array(40).fill(7)), /.+/],
    ['it has too few pixels', () => rgbaOf(2, unpacked(17)), /^it has too few pixels$/],
    ['it unpacks to far more', () => rgbaOf(2, unpacked(32_000_000)), /^it has too many pixels$/],
    [
      'a checksum is wrong',
      () => rgbaOf(1, unpacked(5)).map((byte, at) => (at === 29 ? byte ^ 1 : byte)),
      /.+/,
    ],
    ['a filter is unknown', () => rgbaOf(1, deflateSync(Uint8Array.from([9, 0, 0, 0, 0]))), /.+/],
    ['its kind of colour is unknown', () => rgbaOf(1, unpacked(5), 5), /header/],
    ['it is a WebP of noise', noise, /cannot be decoded/],
  ])('%s', async (_, bytes, reason) => {
    const facts = await seen(bytes())
    expect([facts.pixels, facts.damage]).toEqual([undefined, expect.stringMatching(reason)])
  })

  it.each([
    [30_000, 30_000],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [1, 2 ** 31 - 1],
    [2 ** 31, 1],
  ])('cannot hold what it says: %i x %i', async (width, height) => {
    const facts = await seen(pngOf({ width, height, colourType: 6 }, deflateSync(new Uint8Array(100))))
    expect(facts.damage).toMatch(new RegExp(`^\\d+ bytes are too few for ${width}x${height} pixels$`))
    expect(facts.pixels).toBeUndefined()
  })

  it.each([
    ['a JPEG', 65_535, 65_535],
    ['a WebP', 2 ** 24, 2 ** 24],
    ['a WebP', 2 ** 17, 2 ** 15],
  ])('cannot hold what it says: %s of %i x %i', (format, width, height) => {
    const three = (side: number): number[] => [0, 8, 16].map((bits) => ((side - 1) >> bits) & 0xff)
    const bytes = Buffer.concat(
      format === 'a JPEG'
        ? [Buffer.from('ffd8ffc0000b08', 'hex'), Buffer.from([255, 255, 255, 255, 1, 1, 17, 0, 255, 217])]
        : [
            Buffer.from('RIFF\x16\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0', 'latin1'),
            Buffer.from([...three(width), ...three(height)]),
          ],
    )
    expect(readImageFacts(bytes)).toMatchObject({
      width,
      height,
      damage: `${bytes.length} bytes are too few for ${width}x${height} pixels`,
    })
  })

  it('ends where its end is marked, whatever stands behind it, and nowhere else', () => {
    const jpeg = (...end: readonly number[]) =>
      readImageFacts(Uint8Array.from([0xff, 0xd8, ...baseline, ...end]))?.damage
    expect([jpeg(0xff, 0xd9), jpeg(0xff, 0xd9, 0xd9, 7, 0xff), jpeg(0xd9, 0xd9, 0xff), jpeg()]).toEqual([
      undefined,
      undefined,
      'the file is truncated',
      'the file is truncated',
    ])
    const png = (...chunks: readonly Uint8Array[]) =>
      readImageFacts(
        Buffer.concat([
          pngOf({ width: 1, height: 1, colourType: 2 }, new Uint8Array(0)).subarray(0, 33),
          ...chunks,
        ]),
      )
    const [end, pixels, clear, long] = [
      chunk('IEND', new Uint8Array(0)),
      chunk('IDAT', new Uint8Array(1)),
      chunk('tRNS', new Uint8Array(6)),
      chunk('tEXt', new Uint8Array(9)).subarray(0, 20),
    ]
    expect([png(end, clear), png(clear, end), png(clear), png(clear, long)]).toMatchObject([
      { hasTransparency: false },
      { hasTransparency: true },
      { hasTransparency: false, damage: 'the file is truncated' },
      { hasTransparency: false, damage: 'the file is truncated' },
    ])
    expect([png(pixels, end, clear)?.damage, png(pixels, clear, end)?.damage]).toEqual([undefined, undefined])
    expect(png(clear, end)?.damage).toBe('it has no pixels')
  })

  it('ends too early, whatever its format', async () => {
    for (const format of ['png', 'jpeg', 'webp'] as const) {
      const whole = new Uint8Array(
        await sharp(rgba(255), { raw: { width: 3, height: 3, channels: 4 } })
          .resize(64, 64)
          [format]()
          .toBuffer(),
      )
      expect(readImageFacts(whole)?.damage, format).toBeUndefined()
      expect(readImageFacts(whole.subarray(0, whole.length - 6))?.damage, format).toBe(
        'the file is truncated',
      )
    }
  })
})
