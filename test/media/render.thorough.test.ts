import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createMedia } from '../../src/media/media.ts'
import type { Media } from '../../src/protocol/media.ts'
import { crc32 } from './_png.ts'

type Of<Kind> = Extract<Media, { kind: Kind }>

const image = (change: Partial<Of<'image'>> = {}): Media => ({
  kind: 'image',
  width: 64,
  height: 48,
  format: 'png',
  transparent: false,
  seed: 'fox',
  ...change,
})
const video = (change: Partial<Of<'video'>> = {}): Media => ({
  kind: 'video',
  width: 720,
  height: 1280,
  seconds: 4,
  seed: 'fox',
  label: 'a fox',
  ...change,
})
const audio = (change: Partial<Of<'audio'>> = {}): Media => ({
  kind: 'audio',
  format: 'wav',
  milliseconds: 500,
  seed: 'fox',
  ...change,
})

const renderer = () => createMedia({ cacheBytes: 10_000_000 })
const bytesOf = async (media: Media): Promise<Uint8Array> => (await renderer().render(media)).bytes
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const latin = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to))
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

describe('the renderer', () => {
  it('gives the same bytes and tag for the same description, whatever the order of its fields', async () => {
    const first = await renderer().render(image())
    const again = await renderer().render(
      Object.fromEntries(Object.entries(image()).reverse()) as unknown as Media,
    )
    expect(sha256(again.bytes)).toBe(sha256(first.bytes))
    expect(again.etag).toBe(first.etag)
    expect(first.etag).toMatch(/^"[0-9a-f]{32}"$/)
  })

  it('knows every part of a description by its value', async () => {
    const all = [
      image(),
      image({ transparent: true }),
      image({ quality: 3 }),
      image({ caption: { prompt: '', facts: [] } }),
      image({ caption: { prompt: '', facts: [''] } }),
      image({ partial: { step: 0, steps: 2 } }),
      image({ partial: { step: 1, steps: 2 } }),
      image({ partial: { step: 1, steps: 3 } }),
    ]
    const media = renderer()
    const tags = await Promise.all(all.map(async (one) => (await media.render(one)).etag))
    expect(new Set(tags).size).toBe(all.length)
  })

  it.each([
    ['image', image(), image({ seed: 'wolf' })],
    ['video', video(), video({ seed: 'wolf' })],
    ['audio', audio(), audio({ seed: 'wolf' })],
  ])('gives another seed another %s and another tag', async (_, one, other) => {
    const [a, b] = await Promise.all([renderer().render(one), renderer().render(other)])
    expect(sha256(a.bytes)).not.toBe(sha256(b.bytes))
    expect(a.etag).not.toBe(b.etag)
  })

  it('renders a description once, also when it is asked for twice at the same time', async () => {
    const media = renderer()
    const [a, b] = await Promise.all([media.render(image()), media.render(image())])
    expect(b).toBe(a)
    expect(await media.render(image())).toBe(a)
  })

  it('keeps no more bytes than it may: what was used longest ago goes first', async () => {
    const size = (await bytesOf(audio({ format: 'pcm16' }))).length + 200
    const media = createMedia({ cacheBytes: 2 * size })
    const sound = (seed: string) => media.render(audio({ format: 'pcm16', seed }))
    const a = await sound('a')
    const b = await sound('b')
    await sound('a')
    await sound('c')
    expect(await sound('a')).toBe(a)
    expect(await sound('b')).not.toBe(b)
    expect((await sound('b')).etag).toBe(b.etag)
  })

  it('tells a mistake and goes on', async () => {
    const media = renderer()
    await expect(media.render(image({ width: 0 }))).rejects.toThrow(
      'media: expected an image of 1 to 16777216 pixels, got 0x48',
    )
    await expect(media.render(image({ width: 5000, height: 5000 }))).rejects.toThrow('got 5000x5000')
    await expect(media.render(image({ width: 0 }))).rejects.toThrow('got 0x48')
    expect((await media.render(image())).type).toBe('image/png')
  })
})

describe('a picture', () => {
  it.each([
    [1, 1],
    [7, 300],
    [256, 256],
    [1024, 1536],
  ])('is a PNG of exactly %i x %i pixels, every chunk whole', async (width, height) => {
    const png = readPng(await bytesOf(image({ width, height })))
    expect(png).toMatchObject({ width, height, depth: 8, colourType: 2 })
    expect(png.chunks).toEqual(['IHDR', 'IDAT', 'tEXt', 'tEXt', 'IEND'])
    expect(png.rows).toHaveLength(height * (width * 3 + 1))
  })

  it('has an alpha channel when it is transparent: a clear ground, solid shapes', async () => {
    const png = readPng(await bytesOf(image({ width: 100, height: 100, transparent: true })))
    expect(png).toMatchObject({ width: 100, height: 100, depth: 8, colourType: 6 })
    const alphaAt = (x: number, y: number): number => png.rows[y * 401 + 1 + x * 4 + 3] as number
    expect([alphaAt(0, 0), alphaAt(99, 0), alphaAt(0, 99), alphaAt(99, 99), alphaAt(50, 50)]).toEqual([
      0, 0, 0, 0, 255,
    ])
  })

  it.each([false, true])(
    'of the usual size is larger than the 10 KB that clients expect of a real one (transparent: %s)',
    async (transparent) => {
      const { length } = await bytesOf(image({ width: 1024, height: 1024, transparent }))
      expect(length).toBeGreaterThan(10_240)
    },
  )

  it.each(['webp', 'jpeg'] as const)(
    'asked for as %s is one, of exactly its size, to a decoder that is not ours',
    async (format) => {
      for (const [width, height] of [
        [1, 1],
        [7, 300],
        [256, 128],
      ] as const) {
        const { bytes, type } = await renderer().render(image({ width, height, format }))
        expect(type).toBe(`image/${format}`)
        expect(await sharp(bytes).metadata()).toMatchObject({ format, width, height, hasAlpha: false })
      }
    },
  )

  it('is transparent as a WebP where it is as a PNG', async () => {
    const alphaOf = async (format: 'png' | 'webp'): Promise<Buffer> =>
      sharp(await bytesOf(image({ format, width: 100, height: 100, transparent: true })))
        .extractChannel('alpha')
        .raw()
        .toBuffer()
    const [asPng, asWebp] = await Promise.all([alphaOf('png'), alphaOf('webp')])
    expect([asPng[0], asPng[50 * 100 + 50]]).toEqual([0, 255])
    expect(asWebp.equals(asPng)).toBe(true)
  })

  it('is never a transparent JPEG', async () => {
    await expect(renderer().render(image({ format: 'jpeg', transparent: true }))).rejects.toThrow(
      'a JPEG cannot be transparent',
    )
  })

  it.each(['webp', 'jpeg'] as const)('as %s takes less for a lower quality', async (format) => {
    const lengths = await Promise.all(
      [100, 90, 60, 30, 5].map(
        async (quality) => (await bytesOf(image({ width: 256, height: 256, format, quality }))).length,
      ),
    )
    expect(lengths).toEqual([...new Set(lengths)].sort((a, b) => b - a))
    expect(sha256(await bytesOf(image({ format, quality: 100 })))).toBe(
      sha256(await bytesOf(image({ format }))),
    )
  })
})

/**
 * Reads a PNG with node's own zlib, so that encoder and judge are not the same; throws for a wrong checksum.
 */
function readPng(bytes: Uint8Array) {
  const view = viewOf(bytes)
  expect([...bytes.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10])
  const chunks: string[] = []
  const data: Uint8Array[] = []
  for (let at = 8; at < bytes.length; ) {
    const length = view.getUint32(at)
    const name = latin(bytes, at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== view.getUint32(at + 8 + length))
      throw new Error(`${name}: wrong checksum`)
    chunks.push(name)
    if (name === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    depth: bytes[24],
    colourType: bytes[25],
    chunks,
    rows: inflateSync(Buffer.concat(data)),
  }
}
