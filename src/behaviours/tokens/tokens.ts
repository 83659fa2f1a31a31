/**
 * The tokens of a text from a real tokenizer: their number, and the chunks in which a model streams the text.
 */
import { copied } from '../../engine/redact.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { createWordEncoder, type EncodeWord, maxWordLength } from './word-encoder.ts'

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
  /** The part of a text that fits into `limit` tokens. */
  say(text: string, limit: number): TokenizedText
}

/** A text of a model, complete or cut by a token limit. */
export interface TokenizedText {
  readonly text: string
  readonly tokens: number
  /** True if the limit cut it. The tokens of an incomplete character count, although it is not sent. */
  readonly cut: boolean
  readonly tokenTexts: readonly TokenText[]
}

/** The loaded tokenizer. */
export function tokensOf(context: Context): Tokens {
  const { tokens } = context.facilities
  if (tokens === undefined)
    throw new Error('the tokenizer is not loaded: call simulator.preload() before handle(), or use fetch')
  return tokens as Tokens
}

/** `table` is that of o200k_base. */
export function createTokens(table: Uint8Array): Tokens {
  return new CachedTokens(createWordEncoder(table))
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

/** A new word certainly begins at a blank between a full stop and a letter. */
const sentenceEnd = /(?<=\.)(?= [A-Za-z])/

/** A word or a sentence. */
interface Encoded {
  readonly tokenTexts: readonly TokenText[]
  readonly tokens: number
}

/** Words and sentences recur: those up to this length are encoded once, and kept until there are so many. */
const maxKeptLength = 200
const maxKept = 20_000
/** The number of characters per call that are counted exactly. */
const maxCounted = 1_000_000
/** The tokens this near to the end of a text may change if more text follows. */
const lookahead = 3 * maxWordLength

class CachedTokens implements Tokens {
  readonly #encode: EncodeWord
  readonly #kept = new Map<string, Encoded>()

  constructor(encode: EncodeWord) {
    this.#encode = encode
  }

  count(text: string): number {
    let sum = 0
    for (const sentence of text.split(sentenceEnd)) sum += this.#sentence(sentence).tokens
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

  say(text: string, limit: number): TokenizedText {
    const all = this.tokenTexts(text, 2 * limit)
    const tokens = tokenCount(all)
    if (tokens <= limit) return { text, tokens, cut: false, tokenTexts: all }
    const tokenTexts = firstTokens(all, limit)
    return { text: joinTokenTexts(tokenTexts), tokens: limit, cut: true, tokenTexts }
  }

  #allTokenTexts(text: string): readonly TokenText[] {
    const tokenTexts: TokenText[] = []
    for (const sentence of text.split(sentenceEnd))
      for (const tokenText of this.#sentence(sentence).tokenTexts) tokenTexts.push(tokenText)
    return tokenTexts
  }

  #sentence(text: string): Encoded {
    const known = this.#kept.get(text)
    if (known !== undefined) return known
    const tokenTexts: TokenText[] = []
    for (const word of text.match(words) ?? [])
      for (const tokenText of this.#word(word)) tokenTexts.push(tokenText)
    return this.#keep(text, { tokenTexts, tokens: tokenCount(tokenTexts) })
  }

  #word(found: string): readonly TokenText[] {
    const known = this.#kept.get(found)
    if (known !== undefined) return known.tokenTexts
    // A part of a long text would keep all of it in memory.
    const text = copied(found)
    const tokenTexts: TokenText[] = []
    for (let at = 0, end = 0; at < text.length; at = end) {
      end = at + maxWordLength
      // Never inside a character.
      if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end--
      const part = text.slice(at, end)
      for (const tokenText of tokenTextsFrom(part, this.#encode(part))) tokenTexts.push(tokenText)
    }
    return this.#keep(text, { tokenTexts, tokens: tokenCount(tokenTexts) }).tokenTexts
  }

  #keep(text: string, encoded: Encoded): Encoded {
    if (text.length > maxKeptLength) return encoded
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(copied(text), encoded)
    return encoded
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
