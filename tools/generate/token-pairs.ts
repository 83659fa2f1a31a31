/**
 * The table of the tokenizer: the two tokens that form each token. The build writes it; it is not versioned.
 */
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { base, firstDigit, tableSize } from '../../src/behaviours/tokens/word-encoder.ts'

/**
 * The text of each file, by its path. The columns are sorted by pair for binary search, by the right token
 * first: gzip then saves 3 KB more. They take 0.8 MB after gzip; the texts of the tokens would take 1 MB.
 */
export function tokenPairs(): Readonly<Record<string, string>> {
  const merges = mergesOf(ranks.map((token) => Buffer.from(token as string)))
  merges.sort((one, other) => one.right - other.right || one.left - other.left)
  const columns = (['left', 'right', 'token'] as const).flatMap((side) =>
    [1, base, base * base].map((weight) =>
      merges
        .map((merge) => String.fromCharCode(firstDigit + (Math.floor(merge[side] / weight) % base)))
        .join(''),
    ),
  )
  const written = columns.join('')
  if (written.length !== tableSize) throw new Error(`build: the table has ${written.length} digits`)
  const comment = '/** The two parts of each token of o200k_base: see tools/generate/token-pairs.ts. */'
  // `String.raw` keeps the compiler from inferring a literal type.
  const code = `export const pairs = String.raw\`${written}\``
  return { 'src/generated/token-pairs.ts': `${comment}\n${code}\n` }
}

interface Merge {
  readonly left: number
  readonly right: number
  readonly token: number
}

/** The two parts of each token, except the first 256, which are single bytes. */
function mergesOf(tokens: readonly Buffer[]): Merge[] {
  const merges: Merge[] = []
  const merged = new Map<number, number>()
  const key = (left: number, right: number): number => left * 2 ** 20 + right
  for (const [id, bytes] of tokens.entries()) {
    if (id < 256) continue
    const parts = [...bytes]
    while (parts.length > 2) {
      let best = id
      let at = 0
      for (let part = 0; part + 1 < parts.length; part++) {
        const made = merged.get(key(parts[part] as number, parts[part + 1] as number)) ?? id
        if (made >= best) continue
        best = made
        at = part
      }
      if (best === id) throw new Error(`build: token ${id} is not made of two others`)
      parts.splice(at, 2, best)
    }
    const [left, right] = parts as [number, number]
    merges.push({ left, right, token: id })
    merged.set(key(left, right), id)
  }
  return merges
}
