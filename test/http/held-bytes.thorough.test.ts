/** Bytes that come in chunks, as one block with its sums; and the bytes that scenario files write down. */
import { createHash } from 'node:crypto'
import { decode } from 'fast-png'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { checksum, contentBytes, createBodySink, holdBytes, holdContent } from '../../src/http/held-bytes.ts'

describe('a body in chunks', () => {
  it('is one block of bytes with its checksums', () => {
    const sink = createBodySink()
    const chunks = Array.from({ length: 50 }, (_, index) => new Uint8Array(index * 333).fill(index))
    for (const chunk of chunks) sink.add(chunk)
    expect(sink.finish()).toEqual({ kind: 'bytes', bytes: holdBytes(new Uint8Array(Buffer.concat(chunks))) })
  })
})

it.each(['md5', 'sha256'] as const)('%s is the same with and without node', (algorithm) => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, index) => (index * 7) % 256)
  const expected = createHash(algorithm).update(bytes).digest('hex')
  expect([checksum(algorithm, bytes), checksum(algorithm, bytes, false)]).toEqual([expected, expected])
})

const image = (width: number, height: number, transparent?: boolean) =>
  contentBytes({ image: { width, height, transparent } }, 'a')

describe('content of a scenario', () => {
  it.each([
    ['a text, in UTF-8', { text: 'é\n' }, [0xc3, 0xa9, 0x0a]],
    ['base64', { base64: 'AP+A' }, [0, 255, 128]],
    ['nothing, in base64', { base64: '' }, []],
    ['the bytes of a file', { bytes: Uint8Array.of(1, 2) }, [1, 2]],
  ])('is %s', (_, content, expected) => {
    expect([...contentBytes(content, 'a')]).toEqual(expected)
  })

  it('is rejected when it is empty', () => {
    expect(() => contentBytes({}, 'a')).toThrow('expected one of `text`, `base64`, `image` and `bytes`')
  })

  it('is held with its checksums, and with its metadata if it is an image', () => {
    expect(holdContent({ text: 'abc' }, 'a')).toMatchObject({
      size: 3,
      md5: '900150983cd24fb0d6963f7d28e17f72',
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    })
    expect(holdContent({ text: 'abc' }, 'a')).not.toHaveProperty('image')
    expect(holdContent({ image: { width: 30, height: 20 } }, 'a').image).toEqual({
      format: 'png',
      width: 30,
      height: 20,
      hasTransparency: false,
    })
    expect(holdContent({ image: { width: 30, height: 20, transparent: true } }, 'a').image).toEqual({
      format: 'png',
      width: 30,
      height: 20,
      hasTransparency: true,
    })
  })
})

describe('an image given by its size', () => {
  it.each([
    [1, 1],
    [8, 1],
    [9, 3],
    [1, 9],
    [1000, 777],
    [4096, 4096],
  ])('of %i x %i can be read', async (width, height) => {
    const bytes = image(width, height)
    expect(decode(bytes, { checkCrc: true })).toMatchObject({ width, height })
    const { channels, isOpaque } = await sharp(bytes).ensureAlpha().stats()
    expect(isOpaque).toBe(true)
    expect(channels.slice(0, 3).map(({ min, max }) => max - min)).toEqual([0, 0, 0])
  })

  it.each([
    [1, 1],
    [9, 3],
    [640, 480],
  ])('of %i x %i has a transparent upper half on request', async (width, height) => {
    const { data, info } = await sharp(image(width, height, true))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(data[3]).toBe(0)
    if (height > 1) expect(data[info.width * height * 4 - 1]).toBe(255)
  })
})
