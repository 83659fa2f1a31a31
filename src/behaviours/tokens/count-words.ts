/**
 * Counts the tokens of plain English text word by word, without a pattern and without a text for each word:
 * most of what is counted is such text. Stops where anything else comes. Knows the tokenizer only by the
 * words it is told.
 */

/** How many tokens a word has: a blank may stand in front of it. */
export type CountTokens = (word: string) => number

/**
 * The tokens up to `end`, where something stands that must be looked at more closely; `end` is the text's
 * length when nothing does.
 */
export interface WordCount {
  readonly tokens: number
  readonly end: number
}

interface Known {
  readonly text: string
  readonly tokens: number
}

/** How many words are remembered; the slot of another one is taken then. */
const slots = 8192
/** Longer words are looked at more closely. */
const longest = 32

const isLower = (code: number): boolean => code >= 97 && code <= 122
const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isDigit = (code: number): boolean => code >= 48 && code <= 57
// Beyond the end stands no sign. Reading there would give NaN, and a `charCodeAt` that has met it stays slow.
const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : 0)
const ends = (text: string, at: number): boolean => at >= text.length || text.charCodeAt(at) === 32

/**
 * A counter that splits as the tokenizer of o200k does: capitals with the small letters behind them, a blank
 * in front or none; a mark of the sentence alone before a blank; a blank alone before digits, which go by
 * threes.
 */
export function createWordCounter(tokensOf: CountTokens): (text: string) => WordCount {
  const known: (Known | undefined)[] = Array.from({ length: slots })

  const count = (text: string, start: number, end: number, hash: number): number => {
    const slot = (hash ^ (hash >>> 13)) & (slots - 1)
    const before = known[slot]
    if (before !== undefined && before.text.length === end - start && text.startsWith(before.text, start))
      return before.tokens
    const word = text.slice(start, end)
    const tokens = tokensOf(word)
    known[slot] = { text: word, tokens }
    return tokens
  }

  return (text) => {
    let tokens = 0
    let at = 0
    while (at < text.length) {
      const start = at
      let code = text.charCodeAt(at)
      let hash = 0
      if (code === 32) {
        hash = 32
        code = codeAt(text, ++at)
        if (isDigit(code)) {
          tokens += count(text, start, at, hash)
          continue
        }
      }
      if (isUpper(code) || isLower(code)) {
        while (isUpper(code)) {
          hash = Math.imul(hash, 31) + code
          code = codeAt(text, ++at)
        }
        while (isLower(code)) {
          hash = Math.imul(hash, 31) + code
          code = codeAt(text, ++at)
        }
        // An apostrophe or a letter beyond ASCII may belong to the word.
        if (code === 39 || code > 126 || at - start > longest) return { tokens, end: start }
        tokens += count(text, start, at, hash)
      } else if (isDigit(code)) {
        while (at < start + 3 && isDigit(code)) {
          hash = Math.imul(hash, 31) + code
          code = codeAt(text, ++at)
        }
        if (code > 126) return { tokens, end: start }
        tokens += count(text, start, at, hash)
      } else if (
        at === start &&
        (code === 46 || code === 44 || code === 58 || code === 59 || code === 33 || code === 63) &&
        ends(text, at + 1)
      ) {
        tokens += count(text, start, ++at, code)
      } else return { tokens, end: start }
    }
    return { tokens, end: at }
  }
}
