/**
 * Counts the tokens of plain English text, the common case, word by word and without a regular expression or
 * a string per word. Stops where anything else begins.
 */

/** The number of tokens of a word, which may begin with a blank. */
export type CountTokens = (word: string) => number

/** The tokens up to `end`, where something begins that is not plain text; else the length of the text. */
export interface WordCount {
  readonly tokens: number
  readonly end: number
}

interface CachedWord {
  readonly text: string
  readonly tokens: number
}

/** The size of the hash table of words; a colliding word replaces the one before. */
const slots = 8192
/** Longer words are not plain text. */
const maxWordLength = 32

const isLower = (code: number): boolean => code >= 97 && code <= 122
const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isDigit = (code: number): boolean => code >= 48 && code <= 57
// Reading beyond the end would give NaN, and a `charCodeAt` that has once returned NaN stays slow.
const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : 0)
const ends = (text: string, at: number): boolean => at >= text.length || text.charCodeAt(at) === 32

/**
 * A counter that splits as the o200k tokenizer does: capitals with the lower-case letters behind them, with
 * or without a blank in front; a punctuation mark before a blank; a blank before digits, which go by threes.
 */
export function createWordCounter(tokensOf: CountTokens): (text: string) => WordCount {
  const cache: (CachedWord | undefined)[] = Array.from({ length: slots })

  const count = (text: string, start: number, end: number, hash: number): number => {
    const slot = (hash ^ (hash >>> 13)) & (slots - 1)
    const cached = cache[slot]
    if (cached !== undefined && cached.text.length === end - start && text.startsWith(cached.text, start))
      return cached.tokens
    const word = text.slice(start, end)
    const tokens = tokensOf(word)
    cache[slot] = { text: word, tokens }
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
        if (code === 39 || code > 126 || at - start > maxWordLength) return { tokens, end: start }
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
