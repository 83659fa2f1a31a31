/** Byte-pair encoding of one word. The table is searched as it lies in its file: nothing is built from it. */

/** The table's numbers have three digits, the lowest first. */
export const base = 59
/** The character for the digit 0; of those that follow, none means anything between backticks. */
export const firstDigit = 33
/** Nine digits for each token that is made of two. */
export const tableSize = 9 * 199_742
const offset = firstDigit * (1 + base + base * base)

/** Stands for the token of a pair that makes none. */
const none = 2 ** 30

/** The longest word that is encoded at once: the work is quadratic in it. */
export const maxWordLength = 128

/** How many pairs are remembered once searched; a colliding one replaces the one before. */
const remembered = 2 ** 14

/** How many bytes of UTF-8 each token of a word takes. A lone surrogate takes three, as U+FFFD does. */
export type EncodeWord = (word: string) => readonly number[]

/** A token is its byte, or a number from 256 up in the order in which pairs are to be merged. */
export function createWordEncoder(table: Uint8Array): EncodeWord {
  const tokenOf = rememberPairs(searchPairs(table))
  const encoder = new TextEncoder()
  const bytes = new Uint8Array(3 * maxWordLength)
  // By the offset of a part's first byte: its token, the offset of the part behind it, and the token that the
  // two make together.
  const tokens = new Int32Array(bytes.length)
  const nexts = new Int32Array(bytes.length)
  const merged = new Int32Array(bytes.length + 1)

  const merge = (length: number): void => {
    for (;;) {
      let best = none
      let at = 0
      let before = -1
      for (let part = 0, last = -1; part < length; last = part, part = nexts[part] as number) {
        if ((merged[part] as number) >= best) continue
        best = merged[part] as number
        at = part
        before = last
      }
      if (best === none) return
      tokens[at] = best
      const next = nexts[nexts[at] as number] as number
      nexts[at] = next
      merged[at] = next === length ? none : tokenOf(best, tokens[next] as number)
      if (before >= 0) merged[before] = tokenOf(tokens[before] as number, best)
    }
  }

  return (word) => {
    const { written: length } = encoder.encodeInto(word, bytes)
    for (let at = 0; at < length; at++) {
      tokens[at] = bytes[at] as number
      nexts[at] = at + 1
      merged[at] = at + 1 === length ? none : tokenOf(bytes[at] as number, bytes[at + 1] as number)
    }
    merge(length)
    const sizes: number[] = []
    for (let at = 0; at < length; at = nexts[at] as number) sizes.push((nexts[at] as number) - at)
    return sizes
  }
}

/** The token that two make together, or `none`. */
type TokenOfPair = (left: number, right: number) => number

/**
 * The table has nine columns: the digits of each pair's left token, its right one, and the token that they
 * make. The right tokens ascend, and the left tokens of each right one.
 */
function searchPairs(table: Uint8Array): TokenOfPair {
  const count = table.length / 9
  const numberAt = (at: number): number =>
    (table[at] as number) +
    base * (table[at + count] as number) +
    base * base * (table[at + 2 * count] as number) -
    offset

  return (left, right) => {
    let low = 0
    let high = count - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const order = numberAt(middle + 3 * count) - right || numberAt(middle) - left
      if (order === 0) return numberAt(middle + 6 * count)
      if (order < 0) low = middle + 1
      else high = middle - 1
    }
    return none
  }
}

function rememberPairs(search: TokenOfPair): TokenOfPair {
  const lefts = new Int32Array(remembered)
  const rights = new Int32Array(remembered)
  const made = new Int32Array(remembered)
  return (left, right) => {
    const slot = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> 18
    if (made[slot] !== 0 && lefts[slot] === left && rights[slot] === right) return made[slot] as number
    const token = search(left, right)
    lefts[slot] = left
    rights[slot] = right
    made[slot] = token
    return token
  }
}
