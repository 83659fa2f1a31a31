/** Bytes as text, with and without what node has for it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { base64, fromBase64 } from '../../src/engine/bytes.ts'

it.each([{ native: true }, { native: false }])(
  'base64 says the bytes, those of a part too (%o)',
  (options) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), fc.nat(5), (bytes, start) => {
        const part = bytes.subarray(start)
        expect(base64(part, options)).toBe(btoa(String.fromCharCode(...part)))
        expect(fromBase64(base64(part, options))).toEqual(Uint8Array.from(part))
      }),
    )
  },
)
