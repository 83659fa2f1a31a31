/** What images show, told from their pixels by a decoder that is not ours. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { flatPng } from '../../../src/media/codecs/png.ts'
import { createMedia } from '../../../src/media/media.ts'
import type { ImageMedia } from '../../../src/protocol/media.ts'
import { imageMedia } from '../_images.ts'

const renderer = createMedia({ cacheBytes: 10_000_000 })
const fileOf = async (media: ImageMedia): Promise<Uint8Array> => (await renderer.render(media)).bytes

interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Buffer
}

async function pixelsOf(file: Uint8Array | ImageMedia): Promise<Pixels> {
  const { data, info } = await sharp(file instanceof Uint8Array ? file : await fileOf(file))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

const at = ({ width, rgba }: Pixels, x: number, y: number): number[] => [
  ...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
]

/** The mean difference of two images' bytes. */
function distance(a: Pixels, b: Pixels): number {
  expect([b.width, b.height]).toEqual([a.width, a.height])
  return (
    a.rgba.reduce((sum, value, index) => sum + Math.abs(value - (b.rgba[index] as number)), 0) / a.rgba.length
  )
}

describe('words', () => {
  const worded = (prompt: string, change: Partial<ImageMedia> = {}): ImageMedia =>
    imageMedia({ width: 256, height: 256, caption: { prompt, facts: ['gpt-image-1', '1 of 2'] }, ...change })

  it.each([
    ['a red fox', 'a red cat'],
    ['狐', '猫'],
    ['🦊', '🐱'],
    ['الثعلب', 'القطة'],
    ['\ud800', 'plain'],
  ])('tell %j from %j', async (one, other) => {
    expect(distance(await pixelsOf(worded(one)), await pixelsOf(worded(other)))).toBeGreaterThan(0)
  })

  it.each([
    ['markup', '<svg/onload=alert(1)>&amp;"\'</text>'],
    ['controls', '\u0000\u0001\n\r\t\u007f\u0085\u2028\ufeff\u202e'],
    ['lone surrogates', '\ud800\udc00\ud800 \udfff'],
    ['one endless word', 'x'.repeat(32_000)],
    ['nothing', ''],
    ['spaces', ' \u3000 '],
    ['the last character there is', '\u{10ffff}\u{1ffff}'],
    ['marks over marks', `a${'\u0301'.repeat(5000)}`],
  ])('of %s are drawn like any other', async (_, prompt) => {
    expect(await pixelsOf(worded(prompt))).toMatchObject({ width: 256, height: 256 })
  })
})

describe('a picture on its way', () => {
  it.each([
    ['png', 6],
    ['png', 1],
    ['webp', 4],
    ['jpeg', 4],
  ] as const)('as %s comes nearer to the whole one with each of %i steps', async (format, steps) => {
    for (const seed of ['a', 'b', 'c']) {
      const caption = { prompt: 'a red fox', facts: ['1 of 1'] }
      const media = imageMedia({ width: 200, height: 120, format, seed, quality: 90, caption })
      const whole = await pixelsOf(media)
      const distances: number[] = []
      for (let step = 0; step < steps; step++)
        distances.push(distance(await pixelsOf({ ...media, partial: { step, steps } }), whole))
      expect(
        distances.every(
          (value, step) => value > 0 && (step === 0 || value < (distances[step - 1] as number)),
        ),
        distances.join(' '),
      ).toBe(true)
    }
  })
})

describe('a flat picture that a scenario gives', () => {
  const colour = [9, 99, 199] as const

  it.each([
    [96, 64],
    [7, 300],
    [1, 1],
  ])(
    'has %i x %i pixels of one colour, and a clear middle where it is transparent',
    async (width, height) => {
      for (const transparent of [false, true]) {
        const pixels = await pixelsOf(flatPng({ width, height, transparent, colour }))
        expect([pixels.width, pixels.height]).toEqual([width, height])
        const [middle, corner] = [at(pixels, width >> 1, height >> 1), at(pixels, 0, 0)]
        expect(middle).toEqual([...colour, transparent ? 0 : 255])
        if (width > 1) expect(corner).toEqual([...colour, 255])
      }
    },
  )
})
