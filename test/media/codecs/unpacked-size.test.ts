/** How much packed bytes unpack to, within a bound, with and without node's zlib. */
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpackedSize } from '../../../src/media/codecs/unpacked-size.ts'

describe.each([{ native: true }, { native: false }])('bytes that are packed (%o)', (options) => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251)
  const packed = deflateSync(bytes)

  it('are counted up to the limit', async () => {
    const sizeOf = async (input: Uint8Array, limit: number): Promise<number | undefined> =>
      (await unpackedSize(input, limit, options))?.size
    expect(await sizeOf(packed, bytes.length)).toBe(bytes.length)
    expect(await sizeOf(packed, bytes.length - 1)).toBeGreaterThan(bytes.length - 1)
    const bomb = await sizeOf(deflateSync(new Uint8Array(50_000_000)), 10)
    expect(bomb).toBeGreaterThan(10)
    expect(bomb).toBeLessThan(1_000_000)
  })

  it('are undefined when they cannot be unpacked', async () => {
    expect(await unpackedSize(packed.subarray(0, 50), bytes.length, options)).toBeUndefined()
    expect(await unpackedSize(new Uint8Array(40).fill(7), 100, options)).toBeUndefined()
    expect(await unpackedSize(new Uint8Array(0), 100, options)).toBeUndefined()
  })
})
