/** Bytes that come in chunks, as one block with its sums; and the bytes that scenario files write down. */
import { createHash } from 'node:crypto'
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
