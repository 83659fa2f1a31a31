/** What images show, read from their pixels by another decoder. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { flatPng } from '../../../src/media/image/png.ts'
import { createMedia } from '../../../src/media/media.ts'
import type { ImageMedia } from '../../../src/protocol/media.ts'
import { imageMedia } from '../_images.ts'

const renderer = createMedia({ cacheBytes: 10_000_000 })

interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Buffer
}

async function pixelsOf(file: Uint8Array | ImageMedia): Promise<Pixels> {
  const bytes = file instanceof Uint8Array ? file : (await renderer.render(file)).bytes
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: data }
}

const at = ({ width, rgba }: Pixels, x: number, y: number): number[] => [
  ...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
]

/** The lines in which two images differ: the first, and the one after the last; undefined if none do. */
function changedLines(a: Pixels, b: Pixels): [number, number] | undefined {
  expect([b.width, b.height]).toEqual([a.width, a.height])
  const lines = Array.from({ length: a.height }, (_, y) => y).filter((y) => {
    const [from, to] = [y * a.width * 4, (y + 1) * a.width * 4]
    return !a.rgba.subarray(from, to).equals(b.rgba.subarray(from, to))
  })
  const [first] = lines
  return first === undefined ? undefined : [first, (lines.at(-1) as number) + 1]
}

const changed = async (one: ImageMedia, other: ImageMedia): Promise<[number, number] | undefined> =>
  changedLines(await pixelsOf(one), await pixelsOf(other))
const captioned = (prompt: string, facts: readonly string[] = [], side = 256): ImageMedia =>
  imageMedia({ width: side, height: side, caption: { prompt, facts } })
const plain = (side = 256): ImageMedia => imageMedia({ width: side, height: side })

describe('a caption', () => {
  it('stands in the lower part of the image', async () => {
    const [top, bottom] = (await changed(plain(), captioned('a red fox'))) as [number, number]
    expect(top).toBeGreaterThan(256 * 0.3)
    expect(bottom).toBeLessThan(256)
  })

  it.each([
    ['a red fox', 'a red cat'],
    ['naïve', 'näive'],
    ['λύκος', 'αλεπού'],
    ['ő', 'ű'],
  ])('distinguishes %j from %j', async (one, other) => {
    expect(await changed(captioned(one), captioned(other))).toBeDefined()
  })

  it.each([
    ['controls', '\u0000\u0001\n\r\t\u007f\u0085\u2028\ufeff\u202e'],
    ['lone surrogates', '\ud800\udc00\ud800 \udfff'],
    ['one endless word', 'x'.repeat(32_000)],
    ['nothing', ''],
    ['spaces', ' \u3000 '],
    ['the last character there is', '\u{10ffff}\u{1ffff}'],
    ['marks over marks', `a${'\u0301'.repeat(5000)}`],
    ['other scripts', '狐 🦊 الثعلب лиса'],
  ])('of %s breaks no image', async (_, prompt) => {
    expect(await pixelsOf(captioned(prompt, [prompt]))).toMatchObject({ width: 256, height: 256 })
  })

  it.each([
    [40, 400],
    [400, 20],
    [16, 16],
    [1, 1],
  ])('is left out where it has no room, at %i x %i', async (width, height) => {
    const caption = { prompt: 'a fox', facts: ['v7'] }
    expect(
      await changed(imageMedia({ width, height }), imageMedia({ width, height, caption })),
    ).toBeUndefined()
  })
})

describe('a partial image', () => {
  it.each([1, 3, 6])('shows more of the whole image with each of %i steps', async (steps) => {
    const media = captioned('a red fox')
    const complete: number[] = []
    for (let step = 0; step < steps; step++)
      complete.push((await changed(media, { ...media, partial: { step, steps } }))?.[0] as number)
    expect(complete).toEqual([...new Set(complete)].sort((a, b) => a - b))
    expect(complete[0]).toBeGreaterThan(0)
  })
})

it.each([
  [96, 64],
  [7, 300],
  [1, 1],
])('a flat image of %i x %i has one colour, and a clear upper half if transparent', async (width, height) => {
  const colour = [9, 99, 199] as const
  for (const transparent of [false, true]) {
    const pixels = await pixelsOf(flatPng({ width, height, transparent, colour }))
    expect([pixels.width, pixels.height]).toEqual([width, height])
    expect(at(pixels, 0, 0)).toEqual([...colour, transparent ? 0 : 255])
    if (height > 1) expect(at(pixels, width - 1, height - 1)).toEqual([...colour, 255])
  }
})

// Sides that the formats have no bits for.
it.each([
  ['webp', 16_384],
  ['jpeg', 65_536],
] as const)('an image too long for the encoder of %s fails, and the next does not', async (format, side) => {
  await expect(renderer.render(imageMedia({ format, width: 1, height: side }))).rejects.toThrow()
  expect((await renderer.render(imageMedia({ format }))).type).toBe(`image/${format}`)
})
