/**
 * Text as tokens of a real tokenizer: how many there are, and the pieces a model would say one after the other. Knows
 * nothing of chat.
 */
import type { Context } from '../protocol/endpoint.ts'

/** The part of a byte-pair tokenizer that is used here. */
export interface RawTokenizer {
  /** The tokens of a text; text that looks like a special token is plain text. */
  encode(text: string): number[]
  /** What each token stands for: text, or bytes where it begins or ends inside a character. */
  readonly ranks: readonly (string | readonly number[])[]
  /** Splits a text into the words that the tokenizer encodes one by one; a text is taken whole without it. */
  readonly words?: RegExp
}

/** Some tokens that make whole characters together. */
export interface Piece {
  readonly text: string
  /** How many tokens: one, or more where a character is spread over several. */
  readonly tokens: number
}

export interface Tokens {
  count(text: string): number
  /**
   * The text in pieces; together they are the text, and none begins or ends inside a character. With `enough`, what
   * comes after more than so many tokens may be left out, so that the beginning of a long text costs little.
   */
  pieces(text: string, enough?: number): readonly Piece[]
}

/** The tokenizer the edge has loaded. */
export function tokensOf(context: Context): Tokens {
  const { tokens } = context.facilities
  if (tokens === undefined) throw new Error('the tokenizer is not loaded: await simulator.load() before handle(), or use fetch')
  return tokens as Tokens
}

/** How many characters in a row that the tokenizer takes together are encoded at once. */
export const longestRun = 96

// What it takes together: letters with marks, signs with marks, blanks and slashes. Byte-pair encoding is quadratic in the
// length of such a run: 32,000 times "a" takes over a second. Cutting first bounds the work, and changes a count by at
// most one at each cut; usual text has none.
const runs = new RegExp(['[\\p{L}\\p{M}]', '[^\\s\\p{L}\\p{N}]', '[\\s/]'].map((kind) => `${kind}{${longestRun}}(?=${kind})`).join('|'), 'gu')

/** Tokens over a raw tokenizer. */
export function createTokens({ encode, ranks, words }: RawTokenizer): Tokens {
  const known = new Map<string, Word>()

  const idsOf = (text: string): readonly number[] => {
    const parts = cut(text)
    return parts.length === 1 ? encode(text) : parts.flatMap((part) => encode(part))
  }

  // Words come again and again, whoever says them; what a word is made of is looked up once.
  const wordOf = (text: string): Word => {
    const before = known.get(text)
    if (before !== undefined) return before
    const pieces = encoded(text)
    const word = { pieces, tokens: sizeOf(pieces) }
    if (text.length > longestKnown) return word
    if (known.size >= mostKnown) known.clear()
    known.set(text, word)
    return word
  }

  const wordsIn = (text: string): readonly string[] => (words === undefined ? [text] : (text.match(words) ?? []))

  const piecesOf = (text: string): readonly Piece[] => {
    if (text === '') return []
    const pieces: Piece[] = []
    for (const word of wordsIn(text)) {
      const made = wordOf(word).pieces
      if (made.length === 1) pieces.push(made[0] as Piece)
      else for (const piece of made) pieces.push(piece)
    }
    return pieces
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
      pieces.push({ text: text.slice(start, end), tokens })
      start = end
      tokens = 0
    }
    return pieces
  }

  return {
    count(text) {
      let sum = 0
      if (text !== '') for (const word of wordsIn(text)) sum += wordOf(word).tokens
      return sum
    },
    pieces(text, enough = Number.POSITIVE_INFINITY) {
      for (let length = enough * 6 + 1024; length < text.length; length *= 4) {
        const pieces = withoutEnd(piecesOf(text.slice(0, length)), length - lookahead)
        if (sizeOf(pieces) > enough) return pieces
      }
      return piecesOf(text)
    },
  }
}

interface Word {
  readonly pieces: readonly Piece[]
  readonly tokens: number
}

const longestKnown = 48
const mostKnown = 20_000

// What stands this near to the end of a text may be cut in other places when more text follows.
const lookahead = 4 * longestRun

function withoutEnd(pieces: readonly Piece[], end: number): readonly Piece[] {
  let length = 0
  return pieces.slice(0, pieces.findIndex(({ text }) => (length += text.length) > end))
}

/** How many tokens pieces are together. */
export function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** The pieces from the first on that fit into so many tokens. */
export function within(pieces: readonly Piece[], limit: number): readonly Piece[] {
  let used = 0
  for (const [index, { tokens }] of pieces.entries()) {
    used += tokens
    if (used > limit) return pieces.slice(0, index)
  }
  return pieces
}

/** The text in parts without a run beyond `longestRun`. */
function cut(text: string): readonly string[] {
  if (!mayHaveLongRun(text)) return [text]
  const parts: string[] = []
  let from = 0
  for (const { 0: run, index } of text.matchAll(runs)) {
    parts.push(text.slice(from, index + run.length))
    from = index + run.length
  }
  parts.push(text.slice(from))
  return parts
}

// Whether a run may be too long. A plain loop is several times faster than the exact pattern, and usual text ends here.
function mayHaveLongRun(text: string): boolean {
  let solid = 0
  let loose = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    solid = code > 32 ? solid + 1 : 0
    // Beyond ASCII stand blanks too.
    loose = code <= 32 || code === 47 || code > 126 ? loose + 1 : 0
    if (solid > longestRun || loose > longestRun) return true
  }
  return false
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
