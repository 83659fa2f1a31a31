/**
 * The tokens of a text from a real tokenizer: their number, and the chunks in which a model streams the text.
 */
import type { Context } from '../../protocol/endpoint.ts'
import type { Words } from '../../protocol/script.ts'
import { createWordEncoder, type EncodeWord, maxWordLength } from './word-encoder.ts'

/** The texts of one call that were counted so far, and their tokens. */
export interface CountedTexts {
  characters: number
  tokens: number
}

/** The number of tokens of a text. */
export type CountTokens = (text: string) => number

export interface Tokens {
  /**
   * The number of tokens. With the texts of a call that came before, only the first million characters of all
   * are counted, and the rest is extrapolated: a body may have sixty million, and counting them would block
   * all other clients.
   */
  count(text: string, before?: CountedTexts): number
  /** All tokens of a text. */
  encode(text: string): Encoded
  /** The part of a text that fits into `limit` tokens. */
  say(words: Words, limit: number): TokenizedText
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

/** A text in tokens. */
export interface Encoded {
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

  count(text: string, before?: CountedTexts): number {
    const left = before === undefined ? text.length : maxCounted - before.characters
    const read = text.length <= left ? text : text.slice(0, left)
    let tokens = 0
    for (const sentence of read.split(sentenceEnd)) tokens += this.encode(sentence).tokens
    if (before === undefined) return tokens
    before.characters += read.length
    before.tokens += tokens
    const rest = text.length - read.length
    return rest === 0 ? tokens : tokens + Math.ceil((rest * before.tokens) / before.characters)
  }

  /** A text is encoded sentence by sentence, a sentence word by word. */
  encode(found: string): Encoded {
    const known = this.#kept.get(found)
    if (known !== undefined) return known
    const isKept = found.length <= maxKeptLength
    // A copy: a part of a long text would keep all of it in memory.
    const text = isKept ? ` ${found}`.slice(1) : found
    const sentences = text.split(sentenceEnd)
    const parts = sentences.length > 1 ? sentences : (text.match(words) ?? [])
    const tokenTexts: TokenText[] = []
    let tokens = 0
    for (const part of parts) {
      const encoded = parts.length > 1 ? this.encode(part) : this.#encodeWord(part)
      for (const tokenText of encoded.tokenTexts) tokenTexts.push(tokenText)
      tokens += encoded.tokens
    }
    const encoded = { tokenTexts, tokens }
    if (!isKept) return encoded
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(text, encoded)
    return encoded
  }

  say({ text, chunks }: Words, limit: number): TokenizedText {
    if (chunks !== undefined) return this.#sayChunks(chunks, limit)
    // Of a long text, only as much is encoded as is said.
    for (let length = limit * 12 + 1024; length < text.length; length *= 4) {
      const start = this.encode(text.slice(0, length)).tokenTexts
      const tokenTexts = tokenTextsBefore(start, length - lookahead)
      if (tokenCount(tokenTexts) > limit) return cutAt(tokenTexts, limit)
    }
    const { tokenTexts, tokens } = this.encode(text)
    return tokens > limit ? cutAt(tokenTexts, limit) : { text, tokens, cut: false, tokenTexts }
  }

  // Given chunks are unchanged, even if they split a character: JSON can encode each half. A chunk may have
  // many tokens, so the chunk at the limit is split.
  #sayChunks(chunks: readonly string[], limit: number): TokenizedText {
    const tokenTexts: TokenText[] = []
    let used = 0
    for (const chunk of chunks) {
      const tokens = this.count(chunk)
      if (used + tokens > limit) {
        const { text } = this.say({ text: chunk }, limit - used)
        if (text !== '') tokenTexts.push({ text, quoted: JSON.stringify(text), tokens: this.count(text) })
        return { text: joinTokenTexts(tokenTexts), tokens: limit, cut: true, tokenTexts }
      }
      tokenTexts.push({ text: chunk, quoted: JSON.stringify(chunk), tokens })
      used += tokens
    }
    return { text: joinTokenTexts(tokenTexts), tokens: used, cut: false, tokenTexts }
  }

  #encodeWord(word: string): Encoded {
    const tokenTexts: TokenText[] = []
    for (let at = 0, end = 0; at < word.length; at = end) {
      end = at + maxWordLength
      // Never inside a character.
      if ((word.codePointAt(end - 1) ?? 0) > 0xffff) end--
      const part = word.slice(at, end)
      tokenTexts.push(...tokenTextsFrom(part, this.#encode(part)))
    }
    return { tokenTexts, tokens: tokenCount(tokenTexts) }
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

function tokenCount(tokenTexts: readonly TokenText[]): number {
  let sum = 0
  for (const { tokens } of tokenTexts) sum += tokens
  return sum
}

function joinTokenTexts(tokenTexts: readonly TokenText[]): string {
  let text = ''
  for (const tokenText of tokenTexts) text += tokenText.text
  return text
}

/** The first tokens of a text that has more than `limit`. */
function cutAt(all: readonly TokenText[], limit: number): TokenizedText {
  let used = 0
  const end = all.findIndex(({ tokens }) => (used += tokens) > limit)
  const tokenTexts = all.slice(0, end)
  return { text: joinTokenTexts(tokenTexts), tokens: limit, cut: true, tokenTexts }
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
