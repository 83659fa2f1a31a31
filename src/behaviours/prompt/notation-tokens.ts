/** The tokens of a noted shape, and a reader of them that can look ahead. */

/** Thrown where a text turns out to note no shape. */
export class NoNotation extends Error {}

export interface Token {
  readonly kind: 'mark' | 'text' | 'number' | 'word' | 'line' | 'note'
  readonly text: string
}

const token = new RegExp(
  [
    String.raw`(?<line>\s*\n\s*)|[^\S\n]+`,
    String.raw`(?<note>\/\/[^\n]*|\/\*[^]{0,2000}?\*\/|#[^\n]*)`,
    String.raw`"(?<double>(?:[^"\\\n]|\\.){0,2000})"|'(?<single>[^'\n]{0,300})'(?![\p{L}\p{N}])`,
    String.raw`(?<number>-?\d{1,15}(?:\.\d{1,15})?)(?![\p{L}\d])`,
    String.raw`(?<word>\.?[\p{L}_$][\p{L}\p{N}_$.’'-]{0,200})`,
    String.raw`(?<mark>\.{3}|…|[^\s\p{L}\p{N}])|.`,
  ].join('|'),
  'gu',
)
const maxTokens = 4000

/** The tokens of a text; undefined for too many. */
export function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = []
  for (const { groups } of text.matchAll(token)) {
    const { line, note, double, single, number, word, mark } = groups as Record<string, string | undefined>
    const quoted = double ?? single
    if (line !== undefined) tokens.push({ kind: 'line', text: '\n' })
    else if (note !== undefined)
      tokens.push({ kind: 'note', text: note.replace(/^(?:\/[/*]|#)\s*|\s*\*\/$/gu, '') })
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark })
    if (tokens.length > maxTokens) return undefined
  }
  return tokens
}

export class TokenReader {
  protected readonly tokens: readonly Token[]
  protected at = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  protected skipGroup(): string[] {
    const words: string[] = []
    let depth = 0
    do {
      const { text } = this.next()
      if (text === '(') depth++
      else if (text === ')') depth--
      else words.push(text)
    } while (depth > 0)
    return words
  }

  protected takesOr(): boolean {
    // A union may go on in the next line.
    const lines = this.peek()?.kind === 'line' && this.peek(1)?.text === '|' ? 1 : 0
    const next = this.peek(lines)
    if (next?.text !== '|' && !(next?.kind === 'word' && next.text === 'or')) return false
    this.at += lines + 1
    return true
  }

  protected skipSeparators(): void {
    for (let next = this.peek(); next !== undefined; next = this.peek()) {
      if (next.kind !== 'line' && next.kind !== 'note' && next.text !== ',' && next.text !== ';') return
      this.at++
    }
  }

  protected skip(...kinds: readonly Token['kind'][]): void {
    while (kinds.includes(this.peek()?.kind as Token['kind'])) this.at++
  }

  protected peek(ahead = 0): Token | undefined {
    return this.tokens[this.at + ahead]
  }

  protected next(): Token {
    const next = this.tokens[this.at++]
    if (next === undefined) throw new NoNotation()
    return next
  }

  protected is(mark: string): boolean {
    const next = this.peek()
    return next?.kind === 'mark' && next.text === mark
  }

  protected takes(mark: string): boolean {
    const is = this.is(mark)
    if (is) this.at++
    return is
  }
}
