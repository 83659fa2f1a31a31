/**
 * A fast 128-bit hash of text, for random keys and for telling requests apart; signatures use SHA-256. Mixes
 * like MurmurHash3 (x86, 128 bits) over UTF-16 code units, eight to a block, from start values of its own.
 */

/** Four signed 32-bit words, which V8 keeps without allocating. */
export type HashWords = readonly [number, number, number, number]

const c1 = 0x239b961b
const c2 = 0xab0e9789
const c3 = 0x38b34ae5
const c4 = 0xa1e38b93

/** An incremental hash of texts; where one ends and the next begins counts. */
export class Hasher {
  #h1: number
  #h2: number
  #h3: number
  #h4: number

  /** Continues from `before`, the hash of what came before. */
  constructor(before?: HashWords) {
    this.#h1 = before === undefined ? 0x6a09e667 : before[0]
    this.#h2 = before === undefined ? 0xbb67ae85 | 0 : before[1]
    this.#h3 = before === undefined ? 0x3c6ef372 : before[2]
    this.#h4 = before === undefined ? 0xa54ff53a | 0 : before[3]
  }

  /** Adds punctuation, a number, or a literal such as `true`. */
  mark(sign: string): this {
    if (sign.length > 1) return this.text(sign, 0x5bd1e995)
    this.#h1 = Math.imul(this.#h1 ^ sign.charCodeAt(0), c2)
    this.#h1 = (((this.#h1 << 13) | (this.#h1 >>> 19)) + this.#h2) | 0
    return this
  }

  /** The hash of everything added so far. */
  words(): HashWords {
    let h1 = (this.#h1 + this.#h2 + this.#h3 + this.#h4) | 0
    let h2 = avalanche((this.#h2 + h1) | 0)
    let h3 = avalanche((this.#h3 + h1) | 0)
    let h4 = avalanche((this.#h4 + h1) | 0)
    h1 = (avalanche(h1) + h2 + h3 + h4) | 0
    h2 = (h2 + h1) | 0
    h3 = (h3 + h1) | 0
    h4 = (h4 + h1) | 0
    return [h1, h2, h3, h4]
  }

  /** Adds a text of any length. `kind` keeps texts and signs apart. */
  text(text: string, kind = 0x27d4eb2f): this {
    let h1 = this.#h1
    let h2 = this.#h2
    let h3 = this.#h3
    let h4 = this.#h4
    const { length } = text
    // Blocks of eight code units; the last is padded with zeros, and the length tells texts of equal padding
    // apart. Nothing is read beyond the end: a `charCodeAt` that has once returned NaN stays slow.
    for (let at = 0; at < length; at += 8) {
      let k1: number
      let k2 = 0
      let k3 = 0
      let k4 = 0
      if (at + 8 <= length) {
        k1 = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
        k2 = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16)
        k3 = text.charCodeAt(at + 4) | (text.charCodeAt(at + 5) << 16)
        k4 = text.charCodeAt(at + 6) | (text.charCodeAt(at + 7) << 16)
      } else {
        k1 = 0
        for (let i = at; i < length; i++) {
          const unit = text.charCodeAt(i) << ((i & 1) << 4)
          const pair = (i - at) >> 1
          if (pair === 0) k1 |= unit
          else if (pair === 1) k2 |= unit
          else if (pair === 2) k3 |= unit
          else k4 |= unit
        }
      }
      k1 = Math.imul(k1, c1)
      k1 = (k1 << 15) | (k1 >>> 17)
      h1 ^= Math.imul(k1, c2)
      h1 = (((h1 << 19) | (h1 >>> 13)) + h2) | 0
      h1 = (Math.imul(h1, 5) + 0x561ccd1b) | 0

      k2 = Math.imul(k2, c2)
      k2 = (k2 << 16) | (k2 >>> 16)
      h2 ^= Math.imul(k2, c3)
      h2 = (((h2 << 17) | (h2 >>> 15)) + h3) | 0
      h2 = (Math.imul(h2, 5) + 0x0bcaa747) | 0

      k3 = Math.imul(k3, c3)
      k3 = (k3 << 17) | (k3 >>> 15)
      h3 ^= Math.imul(k3, c4)
      h3 = (((h3 << 15) | (h3 >>> 17)) + h4) | 0
      h3 = (Math.imul(h3, 5) + 0x96cd1c35) | 0

      k4 = Math.imul(k4, c4)
      k4 = (k4 << 18) | (k4 >>> 14)
      h4 ^= Math.imul(k4, c1)
      h4 = (((h4 << 13) | (h4 >>> 19)) + h1) | 0
      h4 = (Math.imul(h4, 5) + 0x32ac3b17) | 0
    }
    const end = Math.imul(length + 1, kind)
    this.#h1 = (h1 ^ end) | 0
    this.#h2 = (h2 + ((end << 15) | (end >>> 17))) | 0
    this.#h3 = h3
    this.#h4 = h4
    return this
  }
}

function avalanche(word: number): number {
  let h = word
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}
