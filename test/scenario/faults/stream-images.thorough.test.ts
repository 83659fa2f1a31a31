/** Faults of streams that carry images: each image is rendered, which takes its time. */
import { describe, expect, it } from 'vitest'
import { ask, faulty, frames } from './_wire.ts'

describe('a stream of images', () => {
  it('never sends a placeholder instead of an image', async () => {
    const body = { prompt: 'a fox', stream: true, partial_images: 1, size: '1024x1024', model: 'gpt-image-1' }
    for (const afterEvents of [0, 1]) {
      const said = await (
        await ask(
          faulty({ kind: 'malformed-event', afterEvents }, { operation: 'images.generate' }),
          body,
          '/v1/images/generations',
        )
      ).text()
      expect(said).not.toMatch(/[\uE000-\uF8FF]/)
      expect(frames(said)).toHaveLength(2)
    }
  })

  it.each([
    'line-ends',
    'bom',
    'multi-line-data',
    'duplicate',
    'out-of-order',
    'split',
    'join',
    'keep-alive',
  ])('%s keeps images whole', async (kind) => {
    const body = { prompt: 'a fox', stream: true, partial_images: 2, size: '1024x1024', model: 'gpt-image-1' }
    const said = await (
      await ask(faulty(kind, { operation: 'images.generate' }), body, '/v1/images/generations')
    ).text()
    expect(said).not.toMatch(/[\uE000-\uF8FF]/)
    expect(said).toContain('"b64_json":"')
  })
})
