/**
 * The bytes that every earlier run has made, on every machine: sums of descriptions of all kinds. When one
 * changes on purpose, raise
 * `edition` in src/media/media.ts (tags of old bytes must not vouch for new ones) and write them anew:
 *
 *   npx vitest run test/media/checksums.test.ts -u
 */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createMedia } from '../../src/media/media.ts'
import type { Media, VideoMedia } from '../../src/protocol/media.ts'
import { drawn, picture, picturesOfEveryKind } from './_pictures.ts'

const film: VideoMedia = { kind: 'video', width: 720, height: 1280, seconds: 8, seed: 'fox', label: 'a fox' }

const caption = { prompt: 'a fox', facts: ['256 x 192'] }
const images = {
  first: drawn(picture({ width: 256, height: 192, caption })),
  last: drawn(picture({ seed: 'wolf' })),
  fit: 'contain',
} as const

/** To be extended: a name for each description. */
const media: Readonly<Record<string, Media>> = {
  ...picturesOfEveryKind(),
  'a film': film,
  'a film, wide and short': { ...film, width: 1280, height: 720, seconds: 4 },
  'a film, large': { ...film, width: 1024, height: 1792 },
  'a film, large and wide': { ...film, width: 1792, height: 1024, seconds: 12 },
  'a film of 1080 lines': { ...film, width: 1920, height: 1080, seconds: 4 },
  'a film of 1080 lines, upright': { ...film, width: 1080, height: 1920, seconds: 4 },
  'a film of 2160 lines': { ...film, width: 3840, height: 2160, seconds: 4 },
  'a film of 2160 lines, upright': { ...film, width: 2160, height: 3840, seconds: 4 },
  'a film without sound': { ...film, seconds: 4, silent: true },
  'a film that begins as another': { ...film, seed: 'wolf', begins: 'fox' },
  'a film from pictures': { ...film, seconds: 4, images },
  'a film from a picture, 1080 lines': {
    ...film,
    width: 1920,
    height: 1080,
    seconds: 4,
    images: { first: images.first, fit: 'cover' },
  },
  'a film from pictures: its thumbnail': {
    kind: 'frames',
    of: { ...film, images },
    sheet: false,
    format: 'webp',
  },
  'a film from pictures: its spritesheet': {
    kind: 'frames',
    of: { ...film, images },
    sheet: true,
    format: 'jpeg',
  },
  'its thumbnail': { kind: 'frames', of: film, sheet: false, format: 'webp' },
  'its spritesheet': { kind: 'frames', of: film, sheet: true, format: 'jpeg' },
  'a sound': { kind: 'audio', format: 'wav', milliseconds: 500, seed: 'fox' },
  ...Object.fromEntries(
    (['mp3', 'aac', 'flac', 'opus'] as const).map((format) => [
      `a sound, ${format}`,
      { kind: 'audio', format, milliseconds: 500, seed: 'fox' },
    ]),
  ),
}

it('is the same bytes in every run and on every machine', async () => {
  const renderer = createMedia({ cacheBytes: 0 })
  const sums: Record<string, string> = {}
  for (const [name, description] of Object.entries(media))
    sums[name] = createHash('sha256')
      .update((await renderer.render(description)).bytes)
      .digest('hex')
  await expect(`${JSON.stringify(sums, null, 2)}\n`).toMatchFileSnapshot('../../fixtures/media/sums.json')
})
