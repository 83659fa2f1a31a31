/** Bytes that come in pieces, as one block. */
import { describe, expect, it, vi } from 'vitest'
import { createByteBuffer } from '../../src/http/held-bytes.ts'

const pieces = Array.from({ length: 50 }, (_, index) => new Uint8Array(index * 3_333).fill(index))
const whole = Buffer.concat(pieces)

describe('bytes that are gathered', () => {
  it.each([
    ['of a length that was not said', undefined],
    ['as many as expected', whole.length],
    ['more than expected', 100_000],
    ['fewer than expected', whole.length * 2],
    ['expected to be nonsense', -1.5],
  ])('are one block of exactly their size: %s', (_, expected) => {
    const gathered = createByteBuffer(expected)
    for (const piece of pieces) gathered.add(piece)
    expect(gathered.size).toBe(whole.length)
    const joined = gathered.join() as Uint8Array<ArrayBuffer>
    expect(Buffer.compare(joined, whole)).toBe(0)
    expect([joined.buffer.byteLength, joined.buffer.resizable]).toEqual([whole.length, false])
  })

  it('are copies: the memory of a piece may be used again', () => {
    const gathered = createByteBuffer()
    const piece = new Uint8Array([1, 2, 3])
    gathered.add(piece)
    piece.fill(9)
    expect([...gathered.join()]).toEqual([1, 2, 3])
  })

  it('may be none', () => {
    expect(createByteBuffer().join()).toEqual(new Uint8Array(0))
  })

  it('give the memory of each block back while they are joined', () => {
    const gathered = createByteBuffer()
    for (const piece of pieces) gathered.add(piece)
    const smaller = vi.spyOn(ArrayBuffer.prototype, 'resize')
    gathered.join()
    const back = smaller.mock.calls.length
    smaller.mockRestore()
    // Up to a megabyte the blocks grow, then there is one for each.
    expect(back).toBe(Math.ceil((whole.length - 1_500_000) / 2 ** 20))
  })
})
