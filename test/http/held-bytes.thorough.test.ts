/** Bytes that come in chunks, as one block with its sums; and the bytes that scenario files write down. */
import { createHash } from 'node:crypto'
import { decode } from 'fast-png'
import sharp from 'sharp'
import { describe, expect, it, vi } from 'vitest'
import {
  contentBytes,
  createBodySink,
  createByteBuffer,
  createDigest,
  holdBytes,
  holdContent,
} from '../../src/http/held-bytes.ts'
import type { Payload } from '../../src/protocol/call.ts'

const chunks = Array.from({ length: 50 }, (_, index) => new Uint8Array(index * 3_333).fill(index))
const whole = Buffer.concat(chunks)
const contentOf = (payload: Payload): Uint8Array<ArrayBuffer> =>
  payload.kind === 'bytes' ? (payload.bytes.content as Uint8Array<ArrayBuffer>) : new Uint8Array(0)

/** Both take chunks, and how many bytes they may expect. */
const gatherers = {
  'a buffer': (expected?: number) => {
    const buffer = createByteBuffer(expected)
    return { add: buffer.add, whole: () => buffer.join() as Uint8Array<ArrayBuffer> }
  },
  'a sink': (expected?: number) => {
    const sink = createBodySink(expected ?? Number.NaN)
    return { add: sink.add, whole: () => contentOf(sink.finish()) }
  },
}

describe.each(Object.entries(gatherers))('bytes gathered in %s', (_, gather) => {
  it.each([
    ['of undeclared length', undefined],
    ['as many as expected', whole.length],
    ['more than expected', 100_000],
    ['fewer than expected', whole.length * 2],
    ['with an invalid expected length', -1.5],
  ])('are one block of exactly their size: %s', (_, expected) => {
    const gathered = gather(expected)
    for (const chunk of chunks) gathered.add(chunk)
    const joined = gathered.whole()
    expect(Buffer.compare(joined, whole)).toBe(0)
    expect([joined.buffer.byteLength, joined.buffer.resizable]).toEqual([whole.length, false])
  })

  it('are copies: the memory of a chunk can be reused', () => {
    const gathered = gather()
    const chunk = new Uint8Array([1, 2, 3])
    gathered.add(chunk)
    chunk.fill(9)
    expect([...gathered.whole()]).toEqual([1, 2, 3])
  })

  it('can be empty', () => {
    expect([...gather(0).whole()]).toEqual([])
  })
})

it('a buffer frees the memory of each block as they are joined', () => {
  const gathered = createByteBuffer()
  for (const chunk of chunks) gathered.add(chunk)
  const smaller = vi.spyOn(ArrayBuffer.prototype, 'resize')
  gathered.join()
  const back = smaller.mock.calls.length
  smaller.mockRestore()
  // Up to a megabyte the blocks grow, then there is one for each.
  expect(back).toBe(Math.ceil((whole.length - 1_500_000) / 2 ** 20))
})

it('a sink returns the checksums and the size of the whole', () => {
  const sink = createBodySink(Number.NaN)
  for (const chunk of chunks) sink.add(chunk)
  const facts = (payload: Payload): unknown => ({
    ...payload,
    ...{ bytes: { ...('bytes' in payload ? payload.bytes : {}), content: 0 } },
  })
  expect(facts(sink.finish())).toEqual(facts({ kind: 'bytes', bytes: holdBytes(whole) }))
  expect(createBodySink(0).finish()).toMatchObject({
    kind: 'bytes',
    bytes: { size: 0, md5: 'd41d8cd98f00b204e9800998ecf8427e' },
  })
})

it.each(['md5 native', 'md5', 'sha256 native', 'sha256'])(
  '%s of bytes in chunks equals that of the whole',
  (name) => {
    const [algorithm, native] = name.split(' ') as ['md5' | 'sha256', string | undefined]
    const bytes = Uint8Array.from({ length: 10_000 }, (_, index) => (index * 7) % 256)
    const digest = createDigest(algorithm, { native: native !== undefined })
    for (const [start = 0, end] of [
      [0, 1],
      [1, 1],
      [1, 64],
      [64, 9999],
      [9999, 10_000],
    ])
      digest.update(bytes.subarray(start, end))
    expect(digest.hex()).toBe(createHash(algorithm).update(bytes).digest('hex'))
  },
)

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
  ])('of %i x %i is transparent in its middle on request', async (width, height) => {
    const { data, info } = await sharp(image(width, height, true))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(data[((height >> 1) * info.width + (width >> 1)) * 4 + 3]).toBe(0)
    if (width > 4) expect(data[3]).toBe(255)
  })

  it('has its own colour, the same in every run', () => {
    expect(image(4, 4)).toEqual(image(4, 4))
    expect(contentBytes({ image: { width: 4, height: 4 } }, 'b')).not.toEqual(image(4, 4))
  })
})
