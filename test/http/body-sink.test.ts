import { describe, expect, it } from 'vitest'
import { createBodySink, holdBytes } from '../../src/http/held-bytes.ts'
import type { Payload } from '../../src/protocol/call.ts'

const bytesOf = (payload: Payload): Uint8Array =>
  payload.kind === 'bytes' ? (payload.bytes.content as Uint8Array) : new Uint8Array(0)
const factsOf = (payload: Payload): unknown => ({
  ...(payload.kind === 'bytes' ? payload.bytes : {}),
  content: undefined,
})
const pieces = Array.from({ length: 9 }, (_, index) => new Uint8Array(index * 11_111).fill(index))
const whole = Buffer.concat(pieces)

describe('an intake', () => {
  it.each([
    ['as long as it said', whole.length],
    ['of unknown length', Number.NaN],
    ['longer than it said', 10],
    ['shorter than it said', whole.length * 2],
    ['of nonsense', -1.5],
  ])('of a body %s holds it once and exactly', (_, expected) => {
    const intake = createBodySink(expected)
    for (const piece of pieces) intake.add(piece)
    const held = intake.finish()
    expect(Buffer.from(bytesOf(held)).equals(whole)).toBe(true)
    expect(bytesOf(held).buffer.byteLength).toBe(whole.length)
    expect(factsOf(held)).toEqual(factsOf({ kind: 'bytes', bytes: holdBytes(whole) }))
  })

  it('takes a copy: the memory of a piece may be used again', () => {
    const intake = createBodySink(3)
    const piece = new Uint8Array([1, 2, 3])
    intake.add(piece)
    piece.fill(9)
    expect([...bytesOf(intake.finish())]).toEqual([1, 2, 3])
  })

  it('of nothing holds nothing', () => {
    expect(createBodySink(0).finish()).toMatchObject({
      kind: 'bytes',
      bytes: { size: 0, md5: 'd41d8cd98f00b204e9800998ecf8427e' },
    })
  })
})
