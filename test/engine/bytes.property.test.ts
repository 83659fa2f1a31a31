/** Bytes as text, with and without what node has for it. */
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { base64, fromBase64 } from '../../src/engine/bytes.ts'

afterEach(() => vi.unstubAllGlobals())

it.each(['with Buffer', 'without Buffer'])('base64 says the bytes, those of a part too, %s', (how) => {
  if (how === 'without Buffer') vi.stubGlobal('Buffer', undefined)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), fc.nat(5), (bytes, start) => {
      const part = bytes.subarray(start)
      const text = base64(part)
      if (text !== btoa(String.fromCharCode(...part))) throw new Error(`${text} is not the base64 of ${part}`)
      if (`${fromBase64(text)}` !== `${part}`) throw new Error(`${text} does not say ${part}`)
    }),
  )
  vi.unstubAllGlobals()
  expect(base64(Uint8Array.of(255, 254, 0))).toBe('//4A')
})
