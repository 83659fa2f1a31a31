/**
 * Text as tokens of a real tokenizer: how many there are, and the pieces a model would say one after the
 * other.
 */
import type { Context } from '../../protocol/endpoint.ts'
import { createWordCounter } from './count-words.ts'
import { maxRunLength, withoutLongRuns } from './split-long-runs.ts'

/** The part of a byte-pair tokenizer that is used here. */
export interface RawTokenizer {
  /** The tokens of a text; text that looks like a special token is plain text. */
  encode(text: string): number[]
  /** What each token stands for: text, or bytes where it begins or ends inside a character. */
  readonly ranks: readonly (string | readonly number[])[]
  /** Splits a text into the words that the tokenizer encodes one by one; a text is taken whole without it. */
  readonly words?: RegExp
  /** Sentences that come again and again: each is taken apart once. */
  readonly sentences?: readonly string[]
}

/** Some tokens that make whole characters together. */
export interface Piece {
  readonly text: string
  /** The text as JSON, quotation marks included: streams say each piece in one event. */
  readonly quoted: string
  /** How many tokens: one, or more where a character is spread over several. */
  readonly tokens: number
}

export interface Tokens {
  count(text: string): number
  /**
   * The text in pieces; together they are the text, and none begins or ends inside a character. With
   * `enough`, what comes after more than so many tokens may be left out, so that the beginning of a long text
   * costs little.
   */
  pieces(text: string, enough?: number): readonly Piece[]
  /** As much of a text as fits into `limit` tokens. */
  say(text: string, limit: number): TokenizedText
}

/** A text that a model says, whole or cut by a limit of tokens. */
export interface TokenizedText {
  readonly text: string
  readonly tokens: number
  /**
   * True when the limit has cut it. A character that the limit leaves unfinished is held back, but its tokens
   * are used.
   */
  readonly cut: boolean
  /** The text in pieces. Worked out when asked for: an answer in one body needs their number alone. */
  readonly pieces: readonly Piece[]
}

/** The tokenizer the edge has loaded. */
export function tokensOf(context: Context): Tokens {
  const { tokens } = context.facilities
  if (tokens === undefined)
    throw new Error('the tokenizer is not loaded: await simulator.preload() before handle(), or use fetch')
  return tokens as Tokens
}

/** Tokens over a raw tokenizer. */
export function createTokens({ encode, ranks, words, sentences = [] }: RawTokenizer): Tokens {
  const known = new Map<string, Word>()
  const fixed = new Map<string, Word>(sentences.map((sentence) => [sentence, unread]))

  const idsOf = (text: string): readonly number[] => {
    const parts = withoutLongRuns(text)
    return parts.length === 1 ? encode(text) : parts.flatMap((part) => encode(part))
  }

  // Words come again and again, whoever says them; what a word is made of is looked up once.
  const wordOf = (text: string): Word => {
    const before = known.get(text)
    if (before !== undefined) return before
    const pieces = encoded(text)
    const word = { pieces, tokens: tokenCount(pieces) }
    if (text.length > longestKnown) return word
    if (known.size >= maxKnown) known.clear()
    known.set(text, word)
    return word
  }

  const countWords = createWordCounter((word) => wordOf(word).tokens)

  const wordsTogether = (text: string): Word => {
    const pieces: Piece[] = []
    let tokens = 0
    for (const found of text.match(words as RegExp) ?? []) {
      const word = wordOf(found)
      tokens += word.tokens
      for (const piece of word.pieces) pieces.push(piece)
    }
    return { pieces, tokens }
  }

  // Only sentences that are known from the start: remembering those of prompts would remember requests.
  const sentenceOf = (text: string): Word => {
    const before = fixed.get(text)
    if (before === undefined) return wordsTogether(text)
    if (before !== unread) return before
    const sentence = wordsTogether(text)
    fixed.set(text, sentence)
    return sentence
  }

  const piecesOf = (text: string): readonly Piece[] => {
    if (text === '') return []
    if (words === undefined) return wordOf(text).pieces
    const pieces: Piece[] = []
    for (const sentence of sentencesIn(text))
      for (const piece of sentenceOf(sentence).pieces) pieces.push(piece)
    return pieces
  }

  const count = (text: string): number =>
    text === '' ? 0 : words === undefined ? wordOf(text).tokens : countIn(text)

  // Of what a model says, whole sentences are known.
  const countSaid = (text: string): number => {
    if (sentences.length === 0) return count(text)
    let sum = 0
    for (const sentence of sentencesIn(text)) {
      const known = fixed.get(sentence)
      sum +=
        known === undefined ? count(sentence) : known === unread ? sentenceOf(sentence).tokens : known.tokens
    }
    return sum
  }

  // From where plain words end, the tokenizer's own pattern goes on.
  const countIn = (sentence: string): number => {
    const { tokens, end } = countWords(sentence)
    let sum = tokens
    if (end < sentence.length)
      for (const word of sentence.slice(end).match(words as RegExp) ?? []) sum += wordOf(word).tokens
    return sum
  }

  const piecesUpTo = (text: string, enough: number): readonly Piece[] => {
    for (let length = enough * 6 + 1024; length < text.length; length *= 4) {
      const pieces = withoutEnd(piecesOf(text.slice(0, length)), length - lookahead)
      if (tokenCount(pieces) > enough) return pieces
    }
    return piecesOf(text)
  }

  const encoded = (text: string): readonly Piece[] => {
    const pieces: Piece[] = []
    let start = 0
    let tokens = 0
    // Bytes that tokens have brought beyond the last whole character.
    let bytes = 0
    for (const id of idsOf(text)) {
      const token = ranks[id] as string | readonly number[]
      tokens++
      let end = start
      if (bytes === 0 && typeof token === 'string') {
        end += token.length
      } else {
        bytes += typeof token === 'string' ? utf8Length(token) : token.length
        for (let size = charBytes(text, end); bytes > 0 && bytes >= size; size = charBytes(text, end)) {
          bytes -= size
          end += size === 4 ? 2 : 1
        }
      }
      if (end === start) continue
      pieces.push(pieceOf(text.slice(start, end), tokens))
      start = end
      tokens = 0
    }
    return pieces
  }

  return {
    count,
    pieces: (text, enough = Number.POSITIVE_INFINITY) => piecesUpTo(text, enough),
    say(text, limit) {
      // A text this much longer than its limit is not counted to its end: it may hold millions of characters.
      const tokens = text.length > limit * 6 + 1024 ? undefined : countSaid(text)
      if (tokens !== undefined && tokens <= limit) return new WholeSpeech(text, tokens, piecesOf)
      const pieces = firstTokens(piecesUpTo(text, 2 * limit), limit)
      const said = joinPieces(pieces)
      const whole = said.length === text.length
      return { text: said, tokens: whole ? tokenCount(pieces) : limit, cut: !whole, pieces }
    },
  }
}

// A class, since a getter in a literal would cost every answer a closure.
class WholeSpeech implements TokenizedText {
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

function pieceOf(text: string, tokens: number): Piece {
  return { text, quoted: JSON.stringify(text), tokens }
}

/**
 * The sentences of a text, where the tokenizer certainly begins a new word: at a blank between a full stop
 * and a letter. Every other boundary (more blanks, marks, other scripts) stays inside.
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

interface Word {
  readonly pieces: readonly Piece[]
  readonly tokens: number
}

const longestKnown = 48
const maxKnown = 20_000
const unread: Word = { pieces: [], tokens: 0 }

// What stands this near to the end of a text may be cut in other places when more text follows.
const lookahead = 4 * maxRunLength

function withoutEnd(pieces: readonly Piece[], end: number): readonly Piece[] {
  let length = 0
  return pieces.slice(
    0,
    pieces.findIndex(({ text }) => (length += text.length) > end),
  )
}

/** How many tokens pieces are together. */
export function tokenCount(pieces: readonly Piece[]): number {
  let sum = 0
  for (const { tokens } of pieces) sum += tokens
  return sum
}

/** Pieces as one text. */
export function joinPieces(pieces: readonly Piece[]): string {
  let text = ''
  for (const piece of pieces) text += piece.text
  return text
}

/** The pieces from the first on that fit into so many tokens. */
export function firstTokens(pieces: readonly Piece[], limit: number): readonly Piece[] {
  let used = 0
  for (let index = 0; index < pieces.length; index++) {
    used += (pieces[index] as Piece).tokens
    if (used > limit) return pieces.slice(0, index)
  }
  return pieces
}

/** How many bytes of UTF-8 the character at `at` takes; a lone surrogate takes the three of U+FFFD. */
function charBytes(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

function utf8Length(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; ) {
    const size = charBytes(text, at)
    bytes += size
    at += size === 4 ? 2 : 1
  }
  return bytes
}
