/**
 * The tokens of a text from a real tokenizer: their number, and the chunks in which a model streams the text.
 */
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { Context } from '../../protocol/endpoint.ts'

/** A tokenizer. */
export interface Encoder {
  /** The tokens of each word. */
  encode(text: string): Iterable<readonly number[]>
  /** How many bytes of UTF-8 a token takes. */
  sizeOf(token: number): number
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

/** The text of one token, or of the tokens that form one character together. */
export interface TokenText {
  readonly text: string
  /** The text as a JSON string: streams send each token text in a separate event. */
  readonly quoted: string
  /** More than one if the character has several tokens. */
  readonly tokens: number
}

/** The loaded tokenizer. */
export function tokensOf(context: Context): Tokens {
  const { tokens } = context.facilities
  if (tokens === undefined)
    throw new Error('the tokenizer is not loaded: call simulator.preload() before handle(), or use fetch')
  return tokens as Tokens
}

export function createTokens(encoder: Encoder): Tokens {
  return new CachedTokens(encoder)
}

/** For dry runs, which need no real counts: every word is a token. The real tokenizer loads slowly. */
export function roughTokens(): Tokens {
  return createTokens({
    // Each word stands for itself: its token is its size.
    encode: (text) => (text.match(/\s*\S+\s*/g) ?? []).map((word) => [utf8Length(word)]),
    sizeOf: (token) => token,
  })
}

/** The number of characters per call that are counted exactly. */
const maxCounted = 1_000_000
/** How many counts are kept, and of how many characters: schemas, tools and prompts recur. */
const maxCached = { count: 2000, size: 4_000_000 } as const

class CachedTokens implements Tokens {
  readonly #encoder: Encoder
  readonly #counts = new BoundedMap<number>(maxCached)

  constructor(encoder: Encoder) {
    this.#encoder = encoder
  }

  count(text: string): number {
    const known = this.#counts.get(text)
    if (known !== undefined) return known
    let tokens = 0
    for (const part of withoutLongRuns(text))
      for (const word of this.#encoder.encode(part)) tokens += word.length
    this.#counts.set(text, tokens, text.length)
    return tokens
  }

  ofCall(): TokenCount {
    return new CallCount(this)
  }

  tokenTexts(text: string, enough = Number.POSITIVE_INFINITY): readonly TokenText[] {
    const tokenTexts: TokenText[] = []
    const { encode, sizeOf } = this.#encoder
    let start = 0
    let tokens = 0
    let all = 0
    // Bytes of tokens beyond the last whole character.
    let bytes = 0
    for (const part of withoutLongRuns(text))
      for (const word of encode(part)) {
        for (const token of word) {
          tokens++
          bytes += sizeOf(token)
          let end = start
          for (
            let size = charBytes(text, end);
            end < text.length && bytes >= size;
            size = charBytes(text, end)
          ) {
            bytes -= size
            end += size === 4 ? 2 : 1
          }
          if (end === start) continue
          const shown = text.slice(start, end)
          tokenTexts.push({ text: shown, quoted: JSON.stringify(shown), tokens })
          start = end
          all += tokens
          tokens = 0
        }
        if (all > enough) return tokenTexts
      }
    return tokenTexts
  }

  say(text: string, limit: number, isStreamed = false): TokenizedText {
    // A text that is this much longer than its limit is not counted to its end: it may have millions of
    // characters.
    if (!isStreamed && text.length <= limit * 6 + 1024) {
      const tokens = this.count(text)
      if (tokens <= limit) return new WholeText(text, tokens, this)
    }
    const tokenTexts = this.tokenTexts(text, limit)
    const tokens = tokenCount(tokenTexts)
    if (tokens <= limit) return { text, tokens, cut: false, tokenTexts }
    const first = firstTokens(tokenTexts, limit)
    return { text: joinTokenTexts(first), tokens: limit, cut: true, tokenTexts: first }
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
  readonly #tokenizer: Tokens

  constructor(text: string, tokens: number, tokenizer: Tokens) {
    this.text = text
    this.tokens = tokens
    this.#tokenizer = tokenizer
  }

  get tokenTexts(): readonly TokenText[] {
    return (this.#tokenTexts ??= this.#tokenizer.tokenTexts(this.text))
  }
}

/** The longest run of letters, signs or blanks that is encoded at once: the work is quadratic in it. */
export const maxRunLength = 128

const mayBeLong = /\S{129}|\s{129}|[\r\n/]{129}/
/** Runs that the pattern of the tokenizer takes for one word. */
const longRun = /[\p{L}\p{M}]{129,}|[^\s\p{L}\p{N}]{129,}|\s{129,}|[\r\n/]{129,}/gu

/** The text, cut within runs that are too long; never inside a character. */
function withoutLongRuns(text: string): readonly string[] {
  if (text.length <= maxRunLength || !mayBeLong.test(text)) return [text]
  const parts: string[] = []
  let start = 0
  for (const { 0: run, index } of text.matchAll(longRun)) {
    for (let end = index + maxRunLength; end < index + run.length; end += maxRunLength) {
      const cut = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end
      parts.push(text.slice(start, cut))
      start = cut
    }
  }
  parts.push(text.slice(start))
  return parts
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

/** How many bytes of UTF-8 a text takes. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const size = charBytes(text, at)
    bytes += size
    if (size === 4) at++
  }
  return bytes
}

/** How many bytes of UTF-8 the character at `at` takes; a lone surrogate takes the three of U+FFFD. */
function charBytes(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}
