/**
 * Chance that is keyed, not counted: every draw belongs to a key, so a new draw in one place never shifts a draw in
 * another. This file knows nothing of requests or sessions; it only turns keys into numbers.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { hash128 } from './hash.ts'

/** A source of draws that belongs to one key. Two sources made from the same key give the same draws. */
export interface Random {
  /** A source for a key below this one; it does not depend on what was drawn here before. */
  fork(label: string): Random
  /** A number in [0, 1). */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number
  /** One item of a non-empty list. */
  pick<T>(items: readonly T[]): T
  /** True in `of` cases out of `outOf`, on average. */
  chance(of: number, outOf: number): boolean
  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string
}

/** The SHA-256 of a text (UTF-8), as 64 hexadecimal digits: where a hash is shown or must resist. */
export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/** A source of draws for a key of any length. */
export function randomFrom(key: string): Random {
  const [a, b, c, d] = hash128(key)
  return source(a, b, c, d)
}

// Every id is made of these; a look-up is many times faster than writing a number to base 16.
const byteDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

// sfc32: small, fast, passes the usual statistical batteries; the four words are the whole state.
function source(a0: number, b0: number, c0: number, d0: number): Random {
  let a = a0 | 0
  let b = b0 | 0
  let c = c0 | 0
  let d = d0 | 0

  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + t) | 0
    return t >>> 0
  }

  const random: Random = {
    // A fork starts from the key's words, never from the running state: order of draws must not matter.
    fork(label) {
      const [x, y] = mix(label)
      const child = source(a0 ^ x, b0 ^ y, c0 + x, d0 ^ (y >>> 1) ^ label.length)
      for (let i = 0; i < 8; i++) child.next()
      return child
    },
    next: () => word() / 4294967296,
    integer: (min, max) => min + Math.floor((word() / 4294967296) * (max - min + 1)),
    pick: (items) => {
      if (items.length === 0) throw new Error('random.pick: the list is empty')
      return items[Math.floor((word() / 4294967296) * items.length)] as (typeof items)[number]
    },
    chance: (of, outOf) => word() < (of / outOf) * 4294967296,
    hex(length) {
      let text = ''
      for (let left = length; left > 0; left -= 8) {
        const drawn = word()
        const digits = `${byteDigits[drawn >>> 24]}${byteDigits[(drawn >>> 16) & 255]}${byteDigits[(drawn >>> 8) & 255]}${byteDigits[drawn & 255]}`
        text += left >= 8 ? digits : digits.slice(0, left)
      }
      return text
    },
  }
  return random
}

/** Two 32-bit words of a label (MurmurHash3-style mixing over UTF-16 code units). */
function mix(label: string): [number, number] {
  let x = 0x9e3779b9
  let y = 0x85ebca6b
  for (let i = 0; i < label.length; i++) {
    const unit = label.charCodeAt(i)
    x = Math.imul(x ^ unit, 0xcc9e2d51)
    x = (x << 15) | (x >>> 17)
    y = Math.imul(y ^ unit, 0x1b873593)
    y = (y << 13) | (y >>> 19)
  }
  x ^= label.length
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  y = Math.imul(y ^ (y >>> 13), 0xc2b2ae35)
  return [x ^ (x >>> 13), y ^ (y >>> 16)]
}
