/** Keyed randomness instead of a sequence, and generated ids. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { Hasher, type HashWords } from './hash.ts'

/** Eight hexadecimal digits that identify a session inside every id it mints. */
export type SessionTag = string

/** The tag of a session name; `attempt` > 0 gives another one, for when the tag is already taken. */
export function sessionTag(name: string, attempt = 0): SessionTag {
  return digest(attempt === 0 ? `session:${name}` : `session:${name}#${attempt}`).slice(0, 8)
}

/** The tag of the default session. */
export const defaultTag = sessionTag('default')

/**
 * A text with the session's tag replaced by that of the default session. Keys of chance are made from such
 * texts, so that two sessions with the same calls get the same answers.
 */
export function withoutSession(text: string, tag: SessionTag): string {
  return tag === defaultTag || !text.includes(tag) ? text : text.replaceAll(tag, defaultTag)
}

/** An id such as `video_` + tag + further hexadecimal digits; `length` counts tag and digits. */
export function mintId(prefix: string, tag: SessionTag, random: Random, length = 32): string {
  return prefix + tag + random.fork(`id:${prefix}`).hex(length - tag.length)
}

/** An id in UUID form (version 4 bits set); its first group is the session tag. */
export function mintUuid(tag: SessionTag, random: Random): string {
  const hex = random.fork('uuid').hex(24)
  const variant = '89ab'[Number.parseInt(hex[7] ?? '0', 16) % 4]
  const groups = [tag, hex.slice(0, 4), `4${hex.slice(4, 7)}`, variant + hex.slice(8, 11), hex.slice(11, 23)]
  return groups.join('-')
}

/** The session tag in an id made by `mintId` or `mintUuid`; undefined for any other id. */
export function tagIn(id: string): SessionTag | undefined {
  return /^(?:[A-Za-z]+[-_])?([0-9a-f]{8})(?=[0-9a-f-])/.exec(id)?.[1]
}

/** The SHA-256 of a text (UTF-8) in hexadecimal: for hashes that are shown or must resist forgery. */
export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/** A source for a key of any length; `before` is the hash of a key above it. */
export function randomFrom(key: string, before?: HashWords): Random {
  const [a, b, c, d] = new Hasher(before).text(key).words()
  return new Random(a, b, c, d)
}

// Every id is made of these; a lookup is many times faster than `toString(16)`.
const byteDigits: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/**
 * A source of draws for one key. Two sources of the same key give the same draws. sfc32: small, fast, passes
 * the common statistical test batteries; the four words are the whole state.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #d: number
  readonly #a0: number
  readonly #b0: number
  readonly #c0: number
  readonly #d0: number

  constructor(a: number, b: number, c: number, d: number) {
    this.#a = this.#a0 = a | 0
    this.#b = this.#b0 = b | 0
    this.#c = this.#c0 = c | 0
    this.#d = this.#d0 = d | 0
  }

  #word(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0
    return t >>> 0
  }

  /**
   * A source for a key below this one, whatever was drawn from this one before: it starts from the words of
   * the key. The label is mixed into two of them as MurmurHash3 does, over its UTF-16 code units.
   */
  fork(label: string): Random {
    const { length } = label
    let x = 0x9e3779b9 | 0
    let y = 0x85ebca6b | 0
    for (let i = 0; i < length; i++) {
      const unit = label.charCodeAt(i)
      x = Math.imul(x ^ unit, 0xcc9e2d51)
      x = (x << 15) | (x >>> 17)
      y = Math.imul(y ^ unit, 0x1b873593)
      y = (y << 13) | (y >>> 19)
    }
    x ^= length
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
    y = Math.imul(y ^ (y >>> 13), 0xc2b2ae35)
    x ^= x >>> 13
    y ^= y >>> 16
    const child = new Random(this.#a0 ^ x, this.#b0 ^ y, this.#c0 + x, this.#d0 ^ (y >>> 1) ^ length)
    for (let i = 0; i < 8; i++) child.#word()
    return child
  }

  /** A number in [0, 1). */
  next(): number {
    return this.#word() / 4294967296
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor((this.#word() / 4294967296) * (max - min + 1))
  }

  /** One item of a non-empty list. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('random.pick: the list is empty')
    return items[Math.floor((this.#word() / 4294967296) * items.length)] as T
  }

  /** True in `of` cases out of `outOf`, on average. */
  chance(of: number, outOf: number): boolean {
    return this.#word() < (of / outOf) * 4294967296
  }

  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string {
    // Joined: a text that was put together stays in chunks, three times as large, as long as it is kept.
    const parts: string[] = []
    for (let remaining = length; remaining > 0; remaining -= 8) {
      const drawn = this.#word()
      const digits =
        `${byteDigits[drawn >>> 24]}${byteDigits[(drawn >>> 16) & 255]}` +
        `${byteDigits[(drawn >>> 8) & 255]}${byteDigits[drawn & 255]}`
      parts.push(remaining >= 8 ? digits : digits.slice(0, remaining))
    }
    return parts.join('')
  }
}
