/** What the edge reads from the header of an image file. */
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { readImageFacts } from '../../../src/media/image/facts.ts'
import { as, png } from '../../endpoints/images/_images.ts'
import { chunk, pngOf } from '../_png.ts'

/** A PNG of one row with a chunk of any kind. */
const withChunk = (colourType: number, name: string): Uint8Array =>
  pngOf({ width: 1, height: 1, colourType }, deflateSync(new Uint8Array(5)), [[name, new Uint8Array(6)]])

describe('the transparency of an image', () => {
  it.each<[string, () => Uint8Array | Promise<Uint8Array>, boolean]>([
    ['a PNG with an alpha channel', () => png(3, 3, 'clear'), true],
    ['a PNG with an alpha channel that no pixel uses', () => png(3, 3, 'opaque'), true],
    ['a PNG without one', () => png(3, 3, 'plain'), false],
    ['a PNG that declares a transparent colour', () => withChunk(2, 'tRNS'), true],
    ['a PNG with another chunk', () => withChunk(2, 'tEXt'), false],
    ['a JPEG', () => as('jpeg', 3), false],
    ['a GIF', () => as('gif', 3), true],
    ['a WebP with an alpha channel', () => as('webp', 3, 3, 'clear'), true],
    ['a WebP without one', () => as('webp', 3, 3, 'plain'), false],
  ])('of %s follows from its header', async (_, make, expected) => {
    const facts = readImageFacts(await make())
    expect([facts?.damage, facts?.hasTransparency]).toEqual([undefined, expected])
  })
})

describe('the size of a JPEG', () => {
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

it.each(['png', 'jpeg', 'webp'] as const)('a %s that ends too early is truncated', async (format) => {
  const whole = format === 'png' ? png(64) : await as(format, 64)
  expect(readImageFacts(whole)?.damage).toBeUndefined()
  expect(readImageFacts(whole.subarray(0, whole.length - 6))?.damage).toBe('the file is truncated')
})

it('data after the end of a file does not count', async () => {
  for (const whole of [png(4), await as('jpeg', 4), await as('webp', 4)])
    expect(readImageFacts(Buffer.concat([whole, chunk('tRNS', new Uint8Array(9))]))).toEqual(
      readImageFacts(whole),
    )
})

it.each([[''], ['text'], ['\x89PNG\r\n\x1a\n'], ['RIFF\x16\0\0\0WEBP']])('%j is not an image', (text) => {
  expect(readImageFacts(Buffer.from(text, 'latin1'))).toBeUndefined()
})
