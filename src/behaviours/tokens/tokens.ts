/** The tokens of a text by a real tokenizer: how many, and the pieces in which a model streams it. */
import { copied } from '../../engine/truncate.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { createWordCounter } from './count-words.ts'
import {
  firstTokens,
  joinPieces,
  type Piece,
  piecesBefore,
  piecesFrom,
  type TokenRanks,
  tokenCount,
} from './pieces.ts'
import { maxRunLength, splitLongRuns } from './split-long-runs.ts'

/** The part of a byte-pair tokenizer that is used here. */
export interface RawTokenizer {
  /** The tokens of a text; text that looks like a special token is plain text. */
  encode(text: string): number[]
  readonly ranks: TokenRanks
  /** Splits a text into the words that the tokenizer encodes; without it, texts are encoded whole. */
  readonly words?: RegExp
  /** Sentences that recur, each of which is split once. */
  readonly sentences?: readonly string[]
}

/** Counts tokens. */
export interface TokenCount {
  count(text: string): number
}

export interface Tokens extends TokenCount {
  /**
   * A count for all texts of one call. Those beyond the first million characters together are estimated from
   * what came before: a body may have sixty million, and counting them would hold up every other client.
   */
  ofCall(): TokenCount
  /**
   * The text in pieces, none of which begins or ends inside a character. What comes after more than `enough`
   * tokens may be left out, so that the beginning of a long text is cheap.
   */
  pieces(text: string, enough?: number): readonly Piece[]
  /** As much of a text as fits into `limit` tokens. */
  say(text: string, limit: number): TokenizedText
}

/** A text that a model writes, whole or cut by a limit of tokens. */
export interface TokenizedText {
  readonly text: string
  readonly tokens: number
  /** True when the limit cut it. The tokens of a character left unfinished count, though it is held back. */
  readonly cut: boolean
  /** Split on first use: an answer in one body needs only the number of tokens. */
  readonly pieces: readonly Piece[]
}

/** The tokenizer that the platform has loaded. */
export function tokensOf(context: Context): Tokens {
  const { tokens } = context.facilities
  if (tokens === undefined)
    throw new Error('the tokenizer is not loaded: call simulator.preload() before handle(), or use fetch')
  return tokens as Tokens
}

export function createTokens(tokenizer: RawTokenizer): Tokens {
  return new CachedTokens(tokenizer)
}

interface Word {
  readonly pieces: readonly Piece[]
  readonly tokens: number
}

const maxCachedLength = 48
const maxCachedWords = 20_000
/** How many characters of one call are counted, not estimated. */
const maxCounted = 1_000_000
/** Stands for a recurring sentence that has not been split yet. */
const unsplit: Word = { pieces: [], tokens: 0 }

/** The pieces this near to the end of a text may change when more text follows. */
const lookahead = 4 * maxRunLength

class CachedTokens implements Tokens {
  readonly #tokenizer: RawTokenizer
  readonly #words = new Map<string, Word>()
  readonly #sentences: Map<string, Word>
  readonly #countWords: ReturnType<typeof createWordCounter>

  constructor(tokenizer: RawTokenizer) {
    this.#tokenizer = tokenizer
    this.#sentences = new Map((tokenizer.sentences ?? []).map((sentence) => [sentence, unsplit]))
    this.#countWords = createWordCounter((word) => this.#word(word).tokens)
  }

  count(text: string): number {
    if (text === '') return 0
    const { words } = this.#tokenizer
    if (words === undefined) return this.#word(text).tokens
    const counted = this.#countWords(text)
    let sum = counted.tokens
    // The tokenizer's own pattern goes on from where plain words end.
    if (counted.end < text.length)
      for (const word of text.slice(counted.end).match(words) ?? []) sum += this.#word(word).tokens
    return sum
  }

  ofCall(): TokenCount {
    return new CallCount(this)
  }

  pieces(text: string, enough = Number.POSITIVE_INFINITY): readonly Piece[] {
    for (let length = enough * 6 + 1024; length < text.length; length *= 4) {
      const pieces = piecesBefore(this.#allPieces(text.slice(0, length)), length - lookahead)
      if (tokenCount(pieces) > enough) return pieces
    }
    return this.#allPieces(text)
  }

  say(text: string, limit: number): TokenizedText {
    // A text this much longer than its limit is not counted to its end: it may have millions of characters.
    if (text.length <= limit * 6 + 1024) {
      let tokens = 0
      if (this.#sentences.size === 0) tokens = this.count(text)
      else
        for (const sentence of sentencesIn(text)) {
          const known = this.#sentences.get(sentence)
          if (known === undefined) tokens += this.count(sentence)
          else tokens += (known === unsplit ? this.#sentence(sentence) : known).tokens
        }
      if (tokens <= limit) return new WholeText(text, tokens, (whole) => this.#allPieces(whole))
    }
    const pieces = firstTokens(this.pieces(text, 2 * limit), limit)
    const shortened = joinPieces(pieces)
    const isWhole = shortened.length === text.length
    return { text: shortened, tokens: isWhole ? tokenCount(pieces) : limit, cut: !isWhole, pieces }
  }

  #allPieces(text: string): readonly Piece[] {
    if (text === '') return []
    if (this.#tokenizer.words === undefined) return this.#word(text).pieces
    const pieces: Piece[] = []
    for (const sentence of sentencesIn(text))
      for (const piece of this.#sentence(sentence).pieces) pieces.push(piece)
    return pieces
  }

  // Caches only the sentences known from the start: caching those of prompts would keep requests in memory.
  #sentence(text: string): Word {
    const cached = this.#sentences.get(text)
    if (cached !== undefined && cached !== unsplit) return cached
    const pieces: Piece[] = []
    let tokens = 0
    for (const written of text.match(this.#tokenizer.words as RegExp) ?? []) {
      const word = this.#word(written)
      tokens += word.tokens
      for (const piece of word.pieces) pieces.push(piece)
    }
    const sentence = { pieces, tokens }
    if (cached === unsplit) this.#sentences.set(text, sentence)
    return sentence
  }

  #word(found: string): Word {
    const cached = this.#words.get(found)
    if (cached !== undefined) return cached
    const text = found.length > maxCachedLength ? found : copied(found)
    const { encode, ranks } = this.#tokenizer
    const parts = splitLongRuns(text)
    const ids = parts.length === 1 ? encode(text) : parts.flatMap((part) => encode(part))
    const pieces = piecesFrom(text, ids, ranks)
    const word = { pieces, tokens: tokenCount(pieces) }
    if (text.length > maxCachedLength) return word
    if (this.#words.size >= maxCachedWords) this.#words.clear()
    this.#words.set(text, word)
    return word
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

// A class, because a getter in an object literal would cost every answer a closure.
class WholeText implements TokenizedText {
  readonly text: string
  readonly tokens: number
  readonly cut = false
  #pieces: readonly Piece[] | undefined
  readonly #split: (text: string) => readonly Piece[]

  constructor(text: string, tokens: number, split: (text: string) => readonly Piece[]) {
    this.text = text
    this.tokens = tokens
    this.#split = split
  }

  get pieces(): readonly Piece[] {
    return (this.#pieces ??= this.#split(this.text))
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
