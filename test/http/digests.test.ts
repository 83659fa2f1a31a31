import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDigest } from '../../src/http/held-bytes.ts'

describe.each(['md5', 'sha256'] as const)('%s', (algorithm) => {
  it.each([true, false])('of bytes in pieces is the sum of the whole (native: %s)', (native) => {
    const bytes = Uint8Array.from({ length: 10_000 }, (_, index) => (index * 7) % 256)
    const digest = createDigest(algorithm, { native })
    for (const [start, end] of [
      [0, 1],
      [1, 1],
      [1, 64],
      [64, 9999],
      [9999, 10_000],
    ] as const)
      digest.update(bytes.subarray(start, end))
    expect(digest.hex()).toBe(createHash(algorithm).update(bytes).digest('hex'))
  })
})
