/** Pieces of text: one or more tokens that make whole characters together. */

export interface Piece {
  readonly text: string
  /** The text as JSON with quotation marks: streams send each piece in an event of its own. */
  readonly quoted: string
  /** One, or more where a character is spread over several tokens. */
  readonly tokens: number
}

/** What each token stands for: text, or bytes where it begins or ends inside a character. */
export type TokenRanks = readonly (string | readonly number[])[]

/** The encoded tokens of a text as pieces. */
export function piecesFrom(text: string, tokenIds: readonly number[], ranks: TokenRanks): readonly Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let tokens = 0
  // Bytes of tokens beyond the last whole character.
  let bytes = 0
  for (const id of tokenIds) {
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
    const piece = text.slice(start, end)
    pieces.push({ text: piece, quoted: JSON.stringify(piece), tokens })
    start = end
    tokens = 0
  }
  return pieces
}

export function tokenCount(pieces: readonly Piece[]): number {
  let sum = 0
  for (const { tokens } of pieces) sum += tokens
  return sum
}

export function joinPieces(pieces: readonly Piece[]): string {
  let text = ''
  for (const piece of pieces) text += piece.text
  return text
}

/** The first pieces, as many as fit into `limit` tokens. */
export function firstTokens(pieces: readonly Piece[], limit: number): readonly Piece[] {
  let used = 0
  for (let index = 0; index < pieces.length; index++) {
    used += (pieces[index] as Piece).tokens
    if (used > limit) return pieces.slice(0, index)
  }
  return pieces
}

/** The first pieces, as many as end before the position `end`. */
export function piecesBefore(pieces: readonly Piece[], end: number): readonly Piece[] {
  let length = 0
  return pieces.slice(
    0,
    pieces.findIndex(({ text }) => (length += text.length) > end),
  )
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
