/**
 * The bytes that every earlier run has made, on every machine: sums of descriptions of all kinds. When one changes on purpose, raise
 * `edition` in src/http/render-media.ts (tags of old bytes must not vouch for new ones) and write them anew:
 *
 *   npx vitest run test/http/media-sums.test.ts -u
 */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createMediaRenderer } from '../../src/http/render-media.ts'
import type { Media } from '../../src/protocol/media.ts'
import { picturesOfEveryKind } from './_pictures.ts'

/** To be extended: a name for each description. */
const media: Readonly<Record<string, Media>> = {
  ...picturesOfEveryKind(),
  'a film': { kind: 'video', width: 720, height: 1280, seconds: 8, seed: 'fox', label: 'a fox' },
  'a sound': { kind: 'audio', format: 'wav', milliseconds: 500, seed: 'fox' },
}

it('is the same bytes in every run and on every machine', async () => {
  const renderer = createMediaRenderer({ cacheBytes: 0 })
  const sums: Record<string, string> = {}
  for (const [name, description] of Object.entries(media)) sums[name] = createHash('sha256').update((await renderer.render(description)).bytes).digest('hex')
  await expect(`${JSON.stringify(sums, null, 2)}\n`).toMatchFileSnapshot('../../fixtures/media/sums.json')
})
