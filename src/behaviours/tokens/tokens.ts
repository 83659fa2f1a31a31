/**
 * The tokens of a text from a real tokenizer: their number, and the chunks in which a model streams the text.
 */
import { Hasher, hashKey } from '../../engine/hash.ts'
import { copied } from '../../engine/redact.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { createWordEncoder, type EncodeWord, maxWordLength } from './word-encoder.ts'

interface CachedWord {
  readonly text: string
  readonly word: Word
}

/** The size of the hash table of words; a colliding word replaces the one before. */
const slots = 8192
/** Longer words are not plain text. */
const maxPlainLength = 32

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

/** Reads plain text: how many tokens there are before `end`, and `into` a list, if given, their words. */
type ReadWords = (text: string, into?: Word[]) => { readonly tokens: number; readonly end: number }

/**
 * Reads up to where something begins that is not plain text, split as the o200k tokenizer does: capitals with
 * the lower-case letters behind them, with or without a blank in front; a punctuation mark before a blank; a
 * blank before digits, which go by threes. No text is made of what is known.
 */
function createWordReader(wordOf: (word: string) => Word): ReadWords {
  const cache = new Array<CachedWord | undefined>(slots).fill(undefined)

  const find = (text: string, start: number, end: number, hash: number): Word => {
    const slot = (hash ^ (hash >>> 13)) & (slots - 1)
    const cached = cache[slot]
    if (cached !== undefined && cached.text.length === end - start && text.startsWith(cached.text, start))
      return cached.word
    const written = copied(text.slice(start, end))
    const word = wordOf(written)
    cache[slot] = { text: written, word }
    return word
  }

  return (text, into) => {
    const { length } = text
    let tokens = 0
    let at = 0
    // Never reads beyond the end: a `charCodeAt` that has returned NaN stays slow.
    while (at < length) {
      const start = at
      let code = text.charCodeAt(at)
      let hash = 0
      if (code === blank) {
        hash = blank
        code = ++at < length ? text.charCodeAt(at) : 0
      }
      let kind = code < 128 ? kinds[code] : other
      if (kind === mark && at === start) {
        if (++at < length && text.charCodeAt(at) !== blank) return { tokens, end: start }
        hash = code
      } else if (kind === other || kind === mark) return { tokens, end: start }
      else if (kind === digit && at === start) {
        while (kind === digit && at < start + 3) {
          hash = Math.imul(hash, 31) + code
          code = ++at < length ? text.charCodeAt(at) : 0
          kind = code < 128 ? kinds[code] : other
        }
        if (code > 126) return { tokens, end: start }
      } else if (kind !== digit) {
        for (const letters of letterKinds)
          while (kind === letters) {
            hash = Math.imul(hash, 31) + code
            code = ++at < length ? text.charCodeAt(at) : 0
            kind = code < 128 ? kinds[code] : other
          }
        // An apostrophe or a letter beyond ASCII may belong to the word.
        if (code === 39 || code > 126 || at - start > maxPlainLength) return { tokens, end: start }
      }
      const word = find(text, start, at, hash)
      tokens += word.tokens
      into?.push(word)
    }
    return { tokens, end: at }
  }
}

/** Counts tokens. */
export interface TokenCount {
  count(text: string): number
}

export interface Tokens extends TokenCount {
  /**
   * A count for all texts of one call. Beyond the first million characters in total, it extrapolates: a body
   * may have sixty million, and counting them would block all other clients.
   */
  ofCall(): TokenCount
  /**
   * The texts of the tokens. Those after more than `enough` tokens may be missing, which makes the start of a
   * long text cheap.
   */
  tokenTexts(text: string, enough?: number): readonly TokenText[]
  /** The part of a text that fits into `limit` tokens. `isStreamed`: each token text becomes an event. */
  say(text: string, limit: number, isStreamed?: boolean): TokenizedText
}

/** A text of a model, complete or cut by a token limit. */
export interface TokenizedText {
  readonly text: string
  readonly tokens: number
  /** True if the limit cut it. The tokens of an incomplete character count, although it is not sent. */
  readonly cut: boolean
  /** Split on first use: an answer in one body needs only the number of tokens. */
  readonly tokenTexts: readonly TokenText[]
}

/** The loaded tokenizer. */
export function tokensOf(context: Context): Tokens {
  const { tokens } = context.facilities
  if (tokens === undefined)
    throw new Error('the tokenizer is not loaded: call simulator.preload() before handle(), or use fetch')
  return tokens as Tokens
}

/** `table` is that of o200k_base. Each of the `sentences`, which recur, is split once. */
export function createTokens(table: Uint8Array, sentences: readonly string[] = []): Tokens {
  return new CachedTokens(createWordEncoder(table), sentences)
}

const contraction = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?"

/** Splits a text into the words that are encoded one by one: the pattern of o200k_base. */
const words = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${contraction}`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${contraction}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
)

/** The words from where plain ones end. */
function wordsBehind(text: string, end: number): readonly string[] {
  return end < text.length ? (text.slice(end).match(words) ?? []) : []
}

interface Word {
  readonly tokenTexts: readonly TokenText[]
  readonly tokens: number
}

const maxCachedLength = 48
const maxCachedWords = 20_000
/** The minimum length of a text for the cache of counts, and the size of the cache. */
const minRepeated = 200
const maxCounts = 2000
/** The number of characters per call that are counted exactly. */
const maxCounted = 1_000_000
/** Stands for a recurring sentence that has not been split yet. */
const unsplit: Word = { tokenTexts: [], tokens: 0 }

/** The tokens this near to the end of a text may change if more text follows. */
const lookahead = 3 * maxWordLength

class CachedTokens implements Tokens {
  readonly #encode: EncodeWord
  readonly #words = new Map<string, Word>()
  readonly #sentences: Map<string, Word>
  readonly #readWords: ReadWords
  /** The tokens of long texts, by the hash of the text. */
  readonly #counts = new Map<number, number>()

  constructor(encode: EncodeWord, sentences: readonly string[]) {
    this.#encode = encode
    this.#sentences = new Map(sentences.map((sentence) => [sentence, unsplit]))
    this.#readWords = createWordReader((word) => this.#word(word))
  }

  count(text: string): number {
    if (text === '') return 0
    // Schemas, tools and system prompts recur in every request. The cache keys are hashes, which keep no
    // request in memory.
    const recurs = text.length >= minRepeated || text.startsWith('{"')
    const key = recurs ? hashKey(new Hasher().text(text).words()) : undefined
    const known = key === undefined ? undefined : this.#counts.get(key)
    if (known !== undefined) return known
    const { tokens, end } = this.#readWords(text)
    let sum = tokens
    for (const word of wordsBehind(text, end)) sum += this.#word(word).tokens
    if (key === undefined) return sum
    if (this.#counts.size >= maxCounts) this.#counts.clear()
    this.#counts.set(key, sum)
    return sum
  }

  ofCall(): TokenCount {
    return new CallCount(this)
  }

  tokenTexts(text: string, enough = Number.POSITIVE_INFINITY): readonly TokenText[] {
    for (let length = enough * 6 + 1024; length < text.length; length *= 4) {
      const tokenTexts = tokenTextsBefore(this.#allTokenTexts(text.slice(0, length)), length - lookahead)
      if (tokenCount(tokenTexts) > enough) return tokenTexts
    }
    return this.#allTokenTexts(text)
  }

  say(text: string, limit: number, isStreamed = false): TokenizedText {
    // Counting stops early for a text that is this much longer than its limit: it may have millions of
    // characters.
    if (text.length <= limit * 6 + 1024) {
      const tokenTexts = isStreamed ? this.#allTokenTexts(text) : undefined
      const tokens = tokenTexts === undefined ? this.#countKnown(text) : tokenCount(tokenTexts)
      if (tokens <= limit)
        return tokenTexts === undefined
          ? new WholeText(text, tokens, (whole) => this.#allTokenTexts(whole))
          : { text, tokens, cut: false, tokenTexts }
    }
    const tokenTexts = firstTokens(this.tokenTexts(text, 2 * limit), limit)
    const shortened = joinTokenTexts(tokenTexts)
    const isWhole = shortened.length === text.length
    return { text: shortened, tokens: isWhole ? tokenCount(tokenTexts) : limit, cut: !isWhole, tokenTexts }
  }

  /** The tokens of a text in which recurring sentences may stand. */
  #countKnown(text: string): number {
    if (this.#sentences.size === 0) return this.count(text)
    let tokens = 0
    for (const sentence of sentencesIn(text)) {
      const known = this.#sentences.get(sentence)
      if (known === undefined) tokens += this.count(sentence)
      else tokens += (known === unsplit ? this.#sentence(sentence) : known).tokens
    }
    return tokens
  }

  #allTokenTexts(text: string): readonly TokenText[] {
    if (text === '') return []
    const tokenTexts: TokenText[] = []
    for (const sentence of sentencesIn(text))
      for (const tokenText of this.#sentence(sentence).tokenTexts) tokenTexts.push(tokenText)
    return tokenTexts
  }

  // Caches only predefined sentences: caching sentences of prompts would keep requests in memory.
  #sentence(text: string): Word {
    const cached = this.#sentences.get(text)
    if (cached !== undefined && cached !== unsplit) return cached
    const found: Word[] = []
    const { end } = this.#readWords(text, found)
    for (const word of wordsBehind(text, end)) found.push(this.#word(word))
    const tokenTexts: TokenText[] = []
    let tokens = 0
    for (const word of found) {
      tokens += word.tokens
      for (const tokenText of word.tokenTexts) tokenTexts.push(tokenText)
    }
    const sentence = { tokenTexts, tokens }
    if (cached === unsplit) this.#sentences.set(text, sentence)
    return sentence
  }

  #word(found: string): Word {
    const cached = this.#words.get(found)
    if (cached !== undefined) return cached
    if (found.length > maxCachedLength) return this.#longWord(found)
    const text = copied(found)
    const word = wordFrom(tokenTextsFrom(text, this.#encode(text)))
    if (this.#words.size >= maxCachedWords) this.#words.clear()
    this.#words.set(text, word)
    return word
  }

  #longWord(text: string): Word {
    const tokenTexts: TokenText[] = []
    for (let at = 0, end = 0; at < text.length; at = end) {
      end = at + maxWordLength
      // Never inside a character.
      if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end--
      const part = text.slice(at, end)
      for (const tokenText of tokenTextsFrom(part, this.#encode(part))) tokenTexts.push(tokenText)
    }
    return wordFrom(tokenTexts)
  }
}

class CallCount implements TokenCount {
  readonly #tokens: TokenCount
  #characters = 0
  #counted = 0

  constructor(tokens: TokenCount) {
    this.#tokens = tokens
  }

  count(text: string): number {
    const left = maxCounted - this.#characters
    const read = text.length <= left ? text : text.slice(0, left)
    const tokens = this.#tokens.count(read)
    this.#characters += read.length
    this.#counted += tokens
    const rest = text.length - read.length
    return rest === 0 ? tokens : tokens + Math.ceil((rest * this.#counted) / this.#characters)
  }
}

// A class, because a getter in an object literal needs a closure per answer.
class WholeText implements TokenizedText {
  readonly text: string
  readonly tokens: number
  readonly cut = false
  #tokenTexts: readonly TokenText[] | undefined
  readonly #split: (text: string) => readonly TokenText[]

  constructor(text: string, tokens: number, split: (text: string) => readonly TokenText[]) {
    this.text = text
    this.tokens = tokens
    this.#split = split
  }

  get tokenTexts(): readonly TokenText[] {
    return (this.#tokenTexts ??= this.#split(this.text))
  }
}

/**
 * The sentences of a text, split where the tokenizer certainly begins a new word: at a blank between a full
 * stop and a letter. Other boundaries (more blanks, punctuation, other scripts) stay inside a sentence.
 */
function sentencesIn(text: string): readonly string[] {
  let at = text.indexOf('. ')
  if (at < 0) return [text]
  const sentences: string[] = []
  let from = 0
  for (; at >= 0; at = text.indexOf('. ', at + 1)) {
    const next = text.charCodeAt(at + 2) | 32
    if (next < 97 || next > 122) continue
    sentences.push(text.slice(from, at + 1))
    from = at + 1
  }
  sentences.push(text.slice(from))
  return sentences
}

/** The text of one token, or of the tokens that form one character together. */
export interface TokenText {
  readonly text: string
  /** The text as a JSON string: streams send each token text in a separate event. */
  readonly quoted: string
  /** More than one if the character has several tokens. */
  readonly tokens: number
}

/** The token texts of a text. `sizes` are the bytes of each token. */
function tokenTextsFrom(text: string, sizes: readonly number[]): readonly TokenText[] {
  const tokenTexts: TokenText[] = []
  let start = 0
  let tokens = 0
  // Bytes of tokens beyond the last whole character.
  let bytes = 0
  for (const tokenBytes of sizes) {
    tokens++
    bytes += tokenBytes
    let end = start
    for (let size = charBytes(text, end); bytes > 0 && bytes >= size; size = charBytes(text, end)) {
      bytes -= size
      end += size === 4 ? 2 : 1
    }
    if (end === start) continue
    const part = text.slice(start, end)
    tokenTexts.push({ text: part, quoted: JSON.stringify(part), tokens })
    start = end
    tokens = 0
  }
  return tokenTexts
}

function wordFrom(tokenTexts: readonly TokenText[]): Word {
  return { tokenTexts, tokens: tokenCount(tokenTexts) }
}

export function tokenCount(tokenTexts: readonly TokenText[]): number {
  let sum = 0
  for (const { tokens } of tokenTexts) sum += tokens
  return sum
}

export function joinTokenTexts(tokenTexts: readonly TokenText[]): string {
  let text = ''
  for (const tokenText of tokenTexts) text += tokenText.text
  return text
}

/** As many token texts from the start as fit into `limit` tokens. */
export function firstTokens(tokenTexts: readonly TokenText[], limit: number): readonly TokenText[] {
  let used = 0
  for (let index = 0; index < tokenTexts.length; index++) {
    used += (tokenTexts[index] as TokenText).tokens
    if (used > limit) return tokenTexts.slice(0, index)
  }
  return tokenTexts
}

/** The token texts that end before the position `end`. */
function tokenTextsBefore(tokenTexts: readonly TokenText[], end: number): readonly TokenText[] {
  let length = 0
  return tokenTexts.slice(
    0,
    tokenTexts.findIndex(({ text }) => (length += text.length) > end),
  )
}

/** How many bytes of UTF-8 the character at `at` takes; a lone surrogate takes the three of U+FFFD. */
function charBytes(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0
  return 1 + Number(code > 0x7f) + Number(code > 0x7ff) + Number(code > 0xffff)
}
