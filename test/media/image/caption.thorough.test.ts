/**
 * Where captions stand on images of each kind, and what they leave alone. Plates are told by their colour,
 * words by what changes when they do.
 */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createMedia } from '../../../src/media/media.ts'
import type { Caption, ImageMedia } from '../../../src/protocol/media.ts'
import { imageMedia } from '../_images.ts'

const renderer = createMedia({ cacheBytes: 10_000_000 })

interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgb: Buffer
}

async function pixelsOf(media: ImageMedia): Promise<Pixels> {
  const { data, info } = await sharp((await renderer.render(media)).bytes)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgb: data }
}

type Box = readonly [left: number, top: number, right: number, bottom: number]

/** The rectangle around all that differs; undefined when nothing does. */
function changed(a: Pixels, b: Pixels): Box | undefined {
  let [left, top, right, bottom] = [a.width, a.height, 0, 0]
  for (let at = 0; at < a.rgb.length; at++) {
    if (a.rgb[at] === b.rgb[at]) continue
    const [x, y] = [Math.floor(at / 3) % a.width, Math.floor(at / 3 / a.width)]
    ;[left, top, right, bottom] = [
      Math.min(left, x),
      Math.min(top, y),
      Math.max(right, x + 1),
      Math.max(bottom, y + 1),
    ]
  }
  return right === 0 ? undefined : [left, top, right, bottom]
}

const words: Caption = { prompt: 'a red fox', facts: ['v7', 'picture 1'] }
const between = async (one: ImageMedia, other: ImageMedia): Promise<Box | undefined> =>
  changed(await pixelsOf(one), await pixelsOf(other))
const plateOf = (media: ImageMedia): Promise<Box | undefined> => between(media, { ...media, caption: words })

describe('the plate of a caption', () => {
  it.each([
    [256, 256],
    [1024, 300],
    [300, 1024],
  ])('stands at the lower edge, with as much room on three sides, at %i x %i', async (width, height) => {
    const [left, top, right, bottom] = (await plateOf(imageMedia({ width, height }))) as Box
    expect(left).toBeGreaterThan(0)
    expect([width - right, height - bottom]).toEqual([left, left])
    expect(top).toBeGreaterThan(height * 0.38)
  })

  it('grows with its words, up to four lines, of which the last says that there is more', async () => {
    const heightOf = async (prompt: string): Promise<number> => {
      const media = imageMedia({ width: 512, height: 512, caption: { prompt, facts: [] } })
      const [, top, , bottom] = (await between(
        { ...media, caption: { prompt: '', facts: [] } },
        media,
      )) as Box
      return bottom - top
    }
    const heights: number[] = []
    for (const count of [2, 12, 20, 28, 60, 150]) heights.push(await heightOf('word '.repeat(count)))
    expect(new Set(heights.slice(0, 4)).size).toBe(4)
    expect(heights.slice(0, 4)).toEqual(heights.slice(0, 4).sort((a, b) => a - b))
    expect(heights.slice(4)).toEqual([heights[3], heights[3]])
    const shown = (prompt: string) =>
      pixelsOf(imageMedia({ width: 512, height: 512, caption: { prompt, facts: [] } }))
    // Words that make no difference to what is seen of them.
    expect(
      changed(await shown('word '.repeat(60)), await shown(`${'word '.repeat(59)}other`)),
    ).toBeUndefined()
    expect(changed(await shown('word '.repeat(28)), await shown('word '.repeat(60)))).toBeDefined()
  })

  it.each(['WWWW '.repeat(30), 'W'.repeat(300), 'MMMMMMMM '.repeat(20), 'il '.repeat(100), '狐'.repeat(100)])(
    'has %j within it, with room before and behind',
    async (prompt) => {
      const plain = imageMedia({ width: 400, height: 400 })
      const withWords = {
        ...plain,
        caption: { prompt, facts: ['a model with a name of more than a line '.repeat(4)] },
      }
      const [left, top, right, bottom] = (await between(plain, withWords)) as Box
      const { rgb } = await pixelsOf(withWords)
      // The plate begins as far from the edge of the image as its words do from its own.
      const beside = [
        [left + 1, 2 * left - 1],
        [right - left + 1, right - 1],
      ] as const
      const wrong: string[] = []
      for (let y = top + left; y < bottom - left; y++)
        for (const [from, to] of beside)
          for (let x = from; x < to; x++)
            if (rgb.readUIntBE((y * 400 + x) * 3, 3) !== 0xfafaf7) wrong.push(`${x}, ${y}`)
      expect(wrong).toEqual([])
    },
  )

  it.each([
    [40, 400],
    [400, 20],
    [16, 16],
  ])('is not there where a line has no room for three letters, at %i x %i', async (width, height) => {
    expect(await plateOf(imageMedia({ width, height }))).toBeUndefined()
  })

  it('says the facts beneath the prompt', async () => {
    const of = (prompt: string, facts: readonly string[]): ImageMedia =>
      imageMedia({ width: 400, height: 400, caption: { prompt, facts } })
    const [, top, , bottom] = (await between(of('a fox', ['model one']), of('a fox', ['model two']))) as Box
    const [, first, , last] = (await between(of('a fox', ['model one']), of('a cat', ['model one']))) as Box
    expect(top).toBeGreaterThanOrEqual(last)
    expect(first).toBeLessThan(bottom)
  })

  it('has no words for what cannot be seen', async () => {
    const of = (prompt: string): ImageMedia =>
      imageMedia({ width: 256, height: 256, caption: { prompt, facts: [] } })
    for (const unseen of ['\u200b', '\u202e', '\ufe0f', '\u00ad', '\u{e0061}', '\u0080'])
      expect(await between(of('redfox'), of(`red${unseen}fox`)), JSON.stringify(unseen)).toBeUndefined()
    for (const space of ['\t', '\n', '\u00a0', '\u2003', '\u3000'])
      expect(await between(of('red fox'), of(`red${space}fox`)), JSON.stringify(space)).toBeUndefined()
  })
})
