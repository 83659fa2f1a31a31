/**
 * Text as tokens of a real tokenizer: how many there are, and the pieces a model would say one after the other. Knows
 * nothing of chat.
 */
import type { Context } from '../protocol/endpoint.ts'

/** The part of a byte-pair tokenizer that is used here. Special-token text must be encoded as plain text. */
export interface RawTokenizer {
  encode(text: string): number[]
  decode(ids: number[]): string
}

/** Some tokens that make whole characters together. */
export interface Piece {
  readonly text: string
  /** How many tokens: one, or more where a character is spread over several. */
  readonly tokens: number
}

export interface Tokens {
  count(text: string): number
  /** The text in pieces; together they are the text, and none begins or ends inside a character. */
  pieces(text: string): Piece[]
}

/** The tokenizer the edge has loaded. */
export function tokensOf(context: Context): Tokens {
  const { tokens } = context.facilities
  if (tokens === undefined) throw new Error('the tokenizer is not loaded: await simulator.load() before handle(), or use fetch')
  return tokens as Tokens
}

// Byte-pair encoding is quadratic in the length of a run without a break: 32,000 times "a" takes over a second. Cutting
// such runs first changes a count by one at each cut and bounds the work.
const longestRun = 96
const longRun = new RegExp(`\\S{${longestRun + 1}}|\\s{${longestRun + 1}}`)
const segments = new RegExp(`\\S{1,${longestRun}}|\\s{1,${longestRun}}`, 'gu')

/** Tokens over a raw tokenizer. */
export function createTokens(raw: RawTokenizer): Tokens {
  const texts = new Map<number, string>()

  const encode = (text: string): number[] => {
    if (!longRun.test(text)) return raw.encode(text)
    const ids: number[] = []
    for (const part of bundles(text)) for (const id of raw.encode(part)) ids.push(id)
    return ids
  }

  const textOf = (id: number): string => {
    let text = texts.get(id)
    if (text === undefined) {
      text = raw.decode([id])
      texts.set(id, text)
    }
    return text
  }

  return {
    count: (text) => (text === '' ? 0 : encode(text).length),
    pieces(text) {
      const pieces: Piece[] = []
      let at = 0
      let open: number[] = []
      for (const id of encode(text)) {
        open.push(id)
        const said = open.length === 1 ? textOf(id) : raw.decode(open)
        if (said === '' || !text.startsWith(said, at)) continue
        pieces.push({ text: said, tokens: open.length })
        at += said.length
        open = []
      }
      // Text that does not survive the way through UTF-8 (a lone surrogate) comes whole at the end.
      if (at < text.length) pieces.push({ text: text.slice(at), tokens: Math.max(1, open.length) })
      return pieces
    },
  }
}

// Short runs stay together, so that usual text is encoded as usual; only what is too long is cut.
function* bundles(text: string): Generator<string> {
  let bundle = ''
  for (const [segment] of text.matchAll(segments)) {
    if (segment.length < longestRun) {
      bundle += segment
      if (bundle.length < 4096) continue
      yield bundle
      bundle = ''
    } else {
      if (bundle !== '') yield bundle
      yield segment
      bundle = ''
    }
  }
  if (bundle !== '') yield bundle
}
