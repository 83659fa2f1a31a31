/**
 * The bytes that every earlier run has made, on every machine: sums of descriptions of all kinds. When one
 * changes on purpose, raise
 * `edition` in src/media/media.ts (tags of old bytes must not vouch for new ones) and write them anew:
 *
 *   npx vitest run test/media/checksums.thorough.test.ts -u
 */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createMedia } from '../../src/media/media.ts'
import type { Media, VideoMedia } from '../../src/protocol/media.ts'
import { imagesOfEveryKind } from './_images.ts'

const video: VideoMedia = { kind: 'video', width: 720, height: 1280, seconds: 8, seed: 'fox', label: 'a fox' }

/** To be extended: a name for each description. */
const media: Readonly<Record<string, Media>> = {
  ...imagesOfEveryKind(),
  'a video': video,
  'a video, wide and short': { ...video, width: 1280, height: 720, seconds: 4 },
  'a video, large': { ...video, width: 1024, height: 1792 },
  'a video, large and wide': { ...video, width: 1792, height: 1024, seconds: 12 },
  'a video of 1080 lines': { ...video, width: 1920, height: 1080, seconds: 4 },
  'a video of 1080 lines, upright': { ...video, width: 1080, height: 1920, seconds: 4 },
  'a video of 2160 lines': { ...video, width: 3840, height: 2160, seconds: 4 },
  'a video of 2160 lines, upright': { ...video, width: 2160, height: 3840, seconds: 4 },
  'a video without sound': { ...video, seconds: 4, silent: true },
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
