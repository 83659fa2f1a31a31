/** Codecs that fail: by themselves, and for images that no encoder takes. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { reloadOnFailure } from '../../../src/media/codecs/image-codecs.ts'
import { createMedia } from '../../../src/media/media.ts'
import { imageMedia } from '../_images.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe('a codec', () => {
  it('is loaded once, also when it is asked for twice at a time', async () => {
    let loads = 0
    const codec = reloadOnFailure(() => Promise.resolve((value: number) => value + 10 * ++loads))
    const [one, other] = await Promise.all([codec(), codec()])
    expect(other).toBe(one)
    expect(await codec()).toBe(one)
    expect([one(1), one(2)]).toEqual([11, 22])
  })

  it('that has thrown is loaded anew: nobody knows in what state it is', async () => {
    let loads = 0
    const codec = reloadOnFailure(() => {
      const own = ++loads
      return Promise.resolve((value: number) => {
        if (value < 0) throw new Error(`memory access out of bounds in ${own}`)
        return own
      })
    })
    const first = await codec()
    expect(() => first(-1)).toThrow('out of bounds in 1')
    expect([(await codec())(1), (await codec())(1)]).toEqual([2, 2])
  })

  it('that could not be loaded may be the next time', async () => {
    let loads = 0
    const codec = reloadOnFailure(() =>
      ++loads === 1 ? Promise.reject(new Error('no memory')) : Promise.resolve(() => loads),
    )
    const asked = [codec(), codec()]
    for (const failed of asked) await expect(failed).rejects.toThrow('no memory')
    expect((await codec())()).toBe(2)
  })
})

// Sides that the formats have no bits for.
describe.each([
  ['webp', 16_384],
  ['jpeg', 65_536],
] as const)('the encoder of %s', (format, side) => {
  it('says that it has failed, and goes on with the same bytes as before', async () => {
    const renderer = createMedia({ cacheBytes: 0 })
    const before = sha256((await renderer.render(imageMedia({ format }))).bytes)
    for (const size of [
      { width: 1, height: side },
      { width: side, height: 1 },
    ])
      await expect(renderer.render(imageMedia({ format, ...size }))).rejects.toThrow(
        `image-codecs: the ${format} encoder has failed`,
      )
    expect(sha256((await renderer.render(imageMedia({ format }))).bytes)).toBe(before)
  })
})
