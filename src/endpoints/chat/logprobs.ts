/** Log probabilities for the pieces of an output: invented, ordered, and true to the text's bytes. Knows nothing of choices. */
import type { Piece } from '../../behaviours/tokens.ts'
import type { Random } from '../../engine/random.ts'

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  /** The UTF-8 bytes of the token. */
  readonly bytes: readonly number[]
}

const others = [' the', ' a', ' and', ',', '.', ' to', ' of', ' in', ' is', ' that', ' for', ' it', ' with', ' as', ' on', ' this', ' be', ' are', ' or', ' an', '\n', ' but', ' not', ' you']

/** One entry per piece, with its `top` likeliest alternatives, the piece itself first. */
export function logprobsOf(pieces: readonly Piece[], top: number, random: Random): readonly (TokenLogprob & { readonly top_logprobs: readonly TokenLogprob[] })[] {
  const encoder = new TextEncoder()
  const entry = (token: string, logprob: number): TokenLogprob => ({ token, logprob, bytes: Array.from(encoder.encode(token)) })
  return pieces.map((piece, index) => {
    const own = random.fork(`logprob ${index}`)
    const first = rounded(-own.next() * own.next() * 0.8)
    const chosen = entry(piece.text, first)
    if (top === 0) return { ...chosen, top_logprobs: [] }
    const alternatives = [chosen]
    const start = own.integer(0, others.length - 1)
    let logprob = Math.min(first, -0.9)
    for (let step = 0; alternatives.length < top; step++) {
      const token = others[(start + step) % others.length] as string
      if (token === piece.text) continue
      logprob = rounded(logprob - 0.2 - own.next() * 1.5)
      alternatives.push(entry(token, logprob))
    }
    return { ...chosen, top_logprobs: alternatives }
  })
}

// Six decimals, as the wire shows; never minus zero.
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0
}
