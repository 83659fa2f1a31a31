/** The bytes that scenario files write down. */
import { decode } from 'fast-png'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { contentBytes, holdContent } from '../../src/http/held-bytes.ts'

const picture = (width: number, height: number, transparent?: boolean) =>
  contentBytes({ picture: { width, height, transparent } }, 'a')

describe('written content', () => {
  it.each([
    ['a text, in UTF-8', { text: 'é\n' }, [0xc3, 0xa9, 0x0a]],
    ['base64', { base64: 'AP+A' }, [0, 255, 128]],
    ['nothing, in base64', { base64: '' }, []],
    ['the bytes of a file', { bytes: Uint8Array.of(1, 2) }, [1, 2]],
  ])('is %s', (_, content, expected) => {
    expect([...contentBytes(content, 'a')]).toEqual(expected)
  })

  it('is refused when it says nothing', () => {
    expect(() => contentBytes({}, 'a')).toThrow('expected one of `text`, `base64`, `picture` and `bytes`')
  })

  it('is held with its sums, and with what it is when it is a picture', () => {
    expect(holdContent({ text: 'abc' }, 'a')).toMatchObject({
      size: 3,
      md5: '900150983cd24fb0d6963f7d28e17f72',
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    })
    expect(holdContent({ text: 'abc' }, 'a')).not.toHaveProperty('image')
    expect(holdContent({ picture: { width: 30, height: 20 } }, 'a').image).toEqual({
      format: 'png',
      width: 30,
      height: 20,
      hasTransparency: false,
    })
    expect(holdContent({ picture: { width: 30, height: 20, transparent: true } }, 'a').image).toEqual({
      format: 'png',
      width: 30,
      height: 20,
      hasTransparency: true,
    })
  })
})

describe('a picture that is only named', () => {
  it.each([
    [1, 1],
    [8, 1],
    [9, 3],
    [1, 9],
    [1000, 777],
    [4096, 4096],
  ])('of %i x %i can be read', async (width, height) => {
    const bytes = picture(width, height)
    expect(decode(bytes, { checkCrc: true })).toMatchObject({ width, height })
    const { channels, isOpaque } = await sharp(bytes).ensureAlpha().stats()
    expect(isOpaque).toBe(true)
    expect(channels.slice(0, 3).map(({ min, max }) => max - min)).toEqual([0, 0, 0])
  })

  it.each([
    [1, 1],
    [9, 3],
    [640, 480],
  ])('of %i x %i is clear in its middle when it is to show through', async (width, height) => {
    const { data, info } = await sharp(picture(width, height, true))
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(data[((height >> 1) * info.width + (width >> 1)) * 4 + 3]).toBe(0)
    if (width > 4) expect(data[3]).toBe(255)
  })

  it('has a colour of its own, the same in every run', () => {
    expect(picture(4, 4)).toEqual(picture(4, 4))
    expect(contentBytes({ picture: { width: 4, height: 4 } }, 'b')).not.toEqual(picture(4, 4))
  })
})
