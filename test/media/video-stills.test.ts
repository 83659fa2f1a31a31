/**
 * Films that show the picture they were made from: the coding of it, judged by ffmpeg, and where it stands.
 */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../src/engine/random.ts'
import { createMedia } from '../../src/media/media.ts'
import {
  coefficientTokens,
  colourTokens,
  colourZeros,
  createBits,
  runsBefore,
  totalZeros,
} from '../../src/media/video/cavlc.ts'
import { codeOf, drawScene, sceneOf } from '../../src/media/video/scene.ts'
import { stillOf } from '../../src/media/video/still-encoder.ts'
import { loadStream } from '../../src/media/video/streams.ts'
import type { FrameMedia, Source, VideoMedia } from '../../src/protocol/media.ts'
import { complaintsOf, picturesOf, planesOf, probe, syncPackets, withoutJudge } from '../_ffmpeg.ts'
import { difference, rgbOf } from './_films.ts'
import { drawn, picture, sent } from './_pictures.ts'

const film = (first: Source, change: Partial<VideoMedia> = {}): VideoMedia => ({
  kind: 'video',
  width: 1280,
  height: 720,
  seconds: 4,
  seed: 'fox',
  label: 'a fox',
  stills: { first, fit: 'cover' },
  ...change,
})
const bytesOf = async (media: VideoMedia | FrameMedia): Promise<Uint8Array> =>
  (await createMedia({ cacheBytes: 0 }).render(media)).bytes

/** A picture with soft colours and an edge, in a file. */
async function photo(width: number, height: number): Promise<Uint8Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g" x2="1" y2="1"><stop offset="0" stop-color="#e33"/><stop offset=".5" stop-color="#3a4"/><stop offset="1" stop-color="#24d"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/><circle cx="30%" cy="40%" r="20%" fill="#fe6"/></svg>`
  return new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer())
}

describe.skipIf(withoutJudge)('a film from a picture, to ffmpeg', () => {
  it.each([
    [720, 1280],
    [1280, 720],
    [1024, 1792],
    [1792, 1024],
    [1080, 1920],
    [1920, 1080],
    [3840, 2160],
  ])('of %i x %i shows it for a second, then its signs', async (width, height) => {
    const file = await photo(1000, 800)
    const media = film(sent(file), { width, height })
    const bytes = await bytesOf(media)
    expect(probe(bytes)).toMatchObject({ codec: 'h264', width, height, frames: 96, whole: 4 })
    expect(syncPackets(bytes)).toEqual([0, 24, 48, 72])
    expect(complaintsOf(bytes)).toBe('')
    const shown = await sharp(file)
      .resize(width, height, { fit: 'cover' })
      .resize(width / 8, height / 8, { kernel: 'nearest' })
      .removeAlpha()
      .raw()
      .toBuffer()
    const [begin, end, , sign] = picturesOf(bytes, 12, width / 8, height / 8)
    expect(difference(begin as Buffer, shown)).toBeLessThan(6)
    expect(end?.equals(begin as Buffer)).toBe(true)
    const small = rgbOf(drawScene(sceneOf(codeOf(media).charAt(1), 12, width, height), width, height, 8).rgba)
    expect(difference(sign as Buffer, small)).toBeLessThan(6)
  })

  it.each([
    [1280, 720],
    [1080, 1920],
  ])(
    'of %i x %i is decoded to the very points that were reckoned with, whatever is on it',
    async (width, height) => {
      const random = randomFrom('noise')
      // Bands: even, gentle, coarse, black and white points, single frequencies that grow, all there is.
      const rgba = new Uint8Array(width * height * 4).fill(255)
      const kinds = [
        () => 90,
        () => 120 + random.integer(0, 12),
        () => random.integer(40, 200),
        (x: number, y: number) => ((x + y) & 1) * 255,
        wave,
        () => random.integer(0, 1) * 255,
      ]
      for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++, at++)
          for (let channel = 0; channel < 3; channel++)
            rgba[at * 4 + channel] = (
              kinds[Math.floor((y * kinds.length) / height)] as (typeof kinds)[number]
            )(x, y)
      }
      const raster = { width, height, rgba }
      const { seen, frames } = stillOf(raster, (await loadStream(width, height)).sequence, 24)
      expect(frames).toHaveLength(24)
      const file = new Uint8Array(
        await sharp(rgba, { raw: { width, height, channels: 4 } })
          .png()
          .toBuffer(),
      )
      const bytes = await bytesOf(film(sent(file), { width, height }))
      expect(complaintsOf(bytes)).toBe('')
      const shown = planesOf(bytes)
      let from = 0
      for (const [plane, scale] of [
        [seen[0], 1],
        [seen[1], 2],
        [seen[2], 2],
      ] as const) {
        const [across, down] = [width / scale, height / scale]
        const reckoned = Buffer.concat(
          Array.from({ length: down }, (_, y) =>
            plane.points.subarray(y * plane.stride, y * plane.stride + across),
          ),
        )
        expect(reckoned.equals(shown.subarray(from, from + across * down))).toBe(true)
        from += across * down
      }
      expect(from).toBe(shown.length)
    },
  )

  it('shows all of it between black bars, or as much as fills the film', async () => {
    const file = new Uint8Array(
      await sharp({ create: { width: 300, height: 300, channels: 3, background: '#d02030' } })
        .png()
        .toBuffer(),
    )
    const at = async (fit: 'contain' | 'cover', change: Partial<VideoMedia> = {}): Promise<number[][]> => {
      const media = film(sent(file), { stills: { first: sent(file), fit }, ...change })
      const [first] = picturesOf(await bytesOf(media), 1000, media.width / 8, media.height / 8) as [Buffer]
      const [width, height] = [media.width / 8, media.height / 8]
      return (
        [
          [0, 0],
          [width >> 1, height >> 1],
          [width - 1, height - 1],
        ] as const
      ).map(([x, y]) =>
        [...first.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)].map((value) =>
          Math.round(value / 20),
        ),
      )
    }
    const [black, red] = [
      [0, 0, 0],
      [10, 2, 2],
    ]
    expect(await at('cover')).toEqual([red, red, red])
    expect(await at('contain')).toEqual([black, red, black])
    expect(await at('contain', { width: 720, height: 1280 })).toEqual([black, red, black])
    const clear = new Uint8Array(
      await sharp({ create: { width: 300, height: 300, channels: 4, background: '#d0203000' } })
        .png()
        .toBuffer(),
    )
    const [first] = picturesOf(
      await bytesOf(film(sent(clear), { stills: { first: sent(clear), fit: 'contain' } })),
      1000,
      160,
      90,
    ) as [Buffer]
    expect([first[0], first[(45 * 160 + 80) * 3]].map((value) => Math.round((value as number) / 20))).toEqual(
      [0, 13],
    )
  })

  it('ends with another when it is told so', async () => {
    const [one, other] = [
      sent(await photo(640, 360)),
      drawn(picture({ width: 640, height: 360, seed: 'wolf' })),
    ]
    const media = film(one, { stills: { first: one, last: other, fit: 'cover' }, seconds: 6 })
    expect(codeOf(media)).toMatch(/^\*[A-Z]{4}\*$/)
    const bytes = await bytesOf(media)
    expect(complaintsOf(bytes)).toBe('')
    const shown = picturesOf(bytes, 24, 160, 90)
    const alone = picturesOf(await bytesOf(film(other)), 24, 160, 90)
    expect(shown[5]?.equals(alone[0] as Buffer)).toBe(true)
    expect(difference(shown[0] as Buffer, shown[5] as Buffer)).toBeGreaterThan(10)
    const sheet = sharp(await bytesOf({ kind: 'frames', of: media, sheet: true, format: 'jpeg' }))
    const tile = await sheet
      .extract({ left: 960, top: 360, width: 320, height: 180 })
      .resize(160, 90, { kernel: 'nearest' })
      .raw()
      .toBuffer()
    expect(difference(tile, shown[5] as Buffer)).toBeLessThan(6)
    expect(complaintsOf(await bytesOf(film(one, { stills: { last: other, fit: 'cover' } })))).toBe('')
  })

  it('has it as its thumbnail, and on its sheet for as long as it is shown', async () => {
    const of = film(sent(await photo(640, 480)))
    const [first] = picturesOf(await bytesOf(of), 1000, 1280, 720) as [Buffer]
    const thumbnail = await sharp(await bytesOf({ kind: 'frames', of, sheet: false, format: 'webp' }))
      .removeAlpha()
      .raw()
      .toBuffer()
    expect(difference(thumbnail, first)).toBeLessThan(4)
    const sheet = sharp(await bytesOf({ kind: 'frames', of, sheet: true, format: 'jpeg' }))
    const tiles = await Promise.all(
      [0, 1, 2, 3].map((place) =>
        sheet
          .clone()
          .extract({ left: place * 320, top: 0, width: 320, height: 180 })
          .raw()
          .toBuffer(),
      ),
    )
    const pictures = picturesOf(await bytesOf(of), 8, 320, 180)
    tiles.forEach((tile, place) => expect(difference(tile, pictures[place] as Buffer)).toBeLessThan(5))
    expect(difference(tiles[0] as Buffer, tiles[3] as Buffer)).toBeGreaterThan(10)
  })
})

describe('a film from a picture', () => {
  it('is not much larger than one without', async () => {
    const source = sent(await photo(1280, 720))
    const [plain, made] = [
      await bytesOf({ ...film(source), stills: undefined } as unknown as VideoMedia),
      await bytesOf(film(source)),
    ]
    expect(made.length - plain.length).toBeLessThan(150_000)
  })

  it('differs by the picture, and shows a stand-in for one that is not here or nobody can read', async () => {
    const sources: Source[] = [
      { kind: 'absent', name: 'a.example/fox.png' },
      { kind: 'absent', name: 'a.example/wolf.png' },
      sent(new TextEncoder().encode('hello')),
      drawn(picture()),
    ]
    const thumbnails = await Promise.all(
      sources.map(async (first) =>
        Buffer.from(
          await bytesOf({ kind: 'frames', of: film(first), sheet: false, format: 'webp' }),
        ).toString('base64'),
      ),
    )
    expect(new Set(thumbnails).size).toBe(4)
    const films = await Promise.all(
      sources.map(async (first) => Buffer.from(await bytesOf(film(first))).toString('base64')),
    )
    expect(new Set(films).size).toBe(4)
  })
})

it('counts the pictures of a still from 0 on, as far as the bits go', async () => {
  const { frames } = stillOf(
    { width: 1280, height: 720, rgba: new Uint8Array(1280 * 720 * 4) },
    (await loadStream(1280, 720)).sequence,
    24,
  )
  const bitsOf = (frame: Uint8Array): string =>
    Array.from(frame.subarray(1, 4), (byte) => byte.toString(2).padStart(8, '0')).join('')
  // The first block, the type, the parameter set, and the number in the four bits that the sequence gives it.
  const [first, ...others] = frames.map(bitsOf)
  expect(first).toMatch(/^1(?:0001000)010/)
  for (const bits of others) expect(bits).toMatch(/^100110010/)
  const numbers = others.map((bits) => Number.parseInt(bits.slice(9, 9 + 4), 2))
  expect(numbers).toEqual(Array.from({ length: 23 }, (_, at) => (at + 1) % 16))
})

it('keeps what looks like a start code out of a unit', () => {
  const written = [0, 1, 2, 3, 4].map((value) => {
    const bits = createBits(0x65)
    for (const byte of [0, 0, value, 0, 0, 0]) bits.put(byte, 8)
    return [...bits.unit()]
  })
  expect(written).toEqual([
    [0x65, 0, 0, 3, 0, 0, 3, 0, 0, 0x80],
    ...[1, 2, 3].map((value) => [0x65, 0, 0, 3, value, 0, 0, 3, 0, 0x80]),
    [0x65, 0, 0, 4, 0, 0, 3, 0, 0x80],
  ])
})

it.each([
  ['coefficients, with few around', coefficientTokens[0]],
  ['coefficients, with some around', coefficientTokens[1]],
  ['coefficients, with many around', coefficientTokens[2]],
  ['coefficients of colours', colourTokens],
])('no code of %s is the beginning of another', (_, table) => {
  apart((table ?? []).flat())
})

it('no code of zeros and runs is the beginning of another', () => {
  for (const table of [...totalZeros, ...colourZeros, ...runsBefore]) apart(table)
})

/** One frequency in each block of 16 points, of another strength in each. */
function wave(x: number, y: number): number {
  const strength = (x >> 4) % 64
  return (
    128 +
    strength * ((y >> 4) % 2 === 0 ? ([1, 0, 0, -1][x & 3] as number) : ([1, -1, -1, 1][x & 3] as number))
  )
}

function apart(codes: readonly (readonly [number, number])[]): void {
  expect(codes.length).toBeGreaterThan(1)
  const written = codes.map(([value, length]) => value.toString(2).padStart(length, '0')).sort()
  for (const [i, code] of written.slice(1).entries())
    expect(code.startsWith(written[i] as string)).toBe(false)
}
