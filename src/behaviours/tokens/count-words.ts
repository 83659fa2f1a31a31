/**
 * Counts the tokens of plain English text, the common case, word by word and without a regular expression or
 * a string per word. Stops where anything else begins.
 */

import { copied } from '../../engine/truncate.ts'

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

/** What a character of ASCII is; any other is `other`. */
const other = 0
const lower = 1
const upper = 2
const digit = 3
const mark = 4
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return lower
  if (/[A-Z]/.test(character)) return upper
  if (/[0-9]/.test(character)) return digit
  return /[.,:;!?]/.test(character) ? mark : other
})
const blank = 32
/** Capitals, with the lower-case letters behind them. */
const letterKinds = [upper, lower] as const

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
    const word = copied(text.slice(start, end))
    const tokens = tokensOf(word)
    cache[slot] = { text: word, tokens }
    return tokens
  }

  return (text) => {
    const { length } = text
    let tokens = 0
    let at = 0
    // Nothing is read beyond the end: a `charCodeAt` that has returned NaN stays slow.
    while (at < length) {
      const start = at
      let code = text.charCodeAt(at)
      let hash = 0
      if (code === blank) {
        hash = blank
        code = ++at < length ? text.charCodeAt(at) : 0
      }
      let kind = code < 128 ? kinds[code] : other
      if (kind === digit && at > start) {
        tokens += count(text, start, at, hash)
        continue
      }
      if (kind === mark && at === start) {
        if (++at < length && text.charCodeAt(at) !== blank) return { tokens, end: start }
        tokens += count(text, start, at, code)
        continue
      }
      if (kind === other || kind === mark) return { tokens, end: start }
      if (kind === digit) {
        while (kind === digit && at < start + 3) {
          hash = Math.imul(hash, 31) + code
          code = ++at < length ? text.charCodeAt(at) : 0
          kind = code < 128 ? kinds[code] : other
        }
        if (code > 126) return { tokens, end: start }
      } else {
        for (const letters of letterKinds)
          while (kind === letters) {
            hash = Math.imul(hash, 31) + code
            code = ++at < length ? text.charCodeAt(at) : 0
            kind = code < 128 ? kinds[code] : other
          }
        // An apostrophe or a letter beyond ASCII may belong to the word.
        if (code === 39 || code > 126 || at - start > maxWordLength) return { tokens, end: start }
      }
      tokens += count(text, start, at, hash)
    }
    return { tokens, end: at }
  }
}
