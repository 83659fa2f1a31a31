/** Log probabilities for the pieces of an output: invented, ordered, and true to the text's bytes. */
import type { Piece } from '../../behaviours/tokens/pieces.ts'
import type { Random } from '../../engine/random.ts'

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  /** The UTF-8 bytes of the token. */
  readonly bytes: readonly number[]
}

/** A token of the answer with its likeliest alternatives. */
export interface OutputLogprob extends TokenLogprob {
  readonly top_logprobs: readonly TokenLogprob[]
}

const others = [
  ' the',
  ' a',
  ' and',
  ',',
  '.',
  ' to',
  ' of',
  ' in',
  ' is',
  ' that',
  ' for',
  ' it',
  ' with',
  ' as',
  ' on',
  ' this',
  ' be',
  ' are',
  ' or',
  ' an',
  '\n',
  ' but',
  ' not',
  ' you',
] as const

/**
 * One entry per piece, with its `top` (0 to 20) likeliest alternatives, the piece itself first. Their
 * probabilities add up to at most 1.
 */
export function logprobsOf(pieces: readonly Piece[], top: number, random: Random): readonly OutputLogprob[] {
  const encoder = new TextEncoder()
  const known = new Map<string, readonly number[]>()
  const bytesOf = (token: string): readonly number[] => {
    const bytes = known.get(token) ?? Array.from(encoder.encode(token))
    known.set(token, bytes)
    return bytes
  }
  const entry = (token: string, probability: number): TokenLogprob => ({
    token,
    logprob: logarithm(probability),
    bytes: bytesOf(token),
  })
  return pieces.map(({ text }, index) => {
    const own = random.fork(`logprob ${index}`)
    const probability = 1 - 0.45 * own.next() * own.next()
    const written = entry(text, probability)
    const likeliest = [written].slice(0, top)
    const start = own.integer(0, others.length - 1)
    let remaining = 1 - probability
    for (let step = 0; likeliest.length < top; step++) {
      const token = others[(start + step) % others.length] as string
      if (token === text) continue
      // At least half of the rest, so that each is at least as likely as the next.
      const share = remaining * (0.5 + 0.3 * own.next())
      likeliest.push(entry(token, share))
      remaining -= share
    }
    return { ...written, top_logprobs: likeliest }
  })
}

// Six decimals, as on the wire. The minimum is -100, and there is no minus zero.
function logarithm(probability: number): number {
  return Math.round(Math.max(-100, Math.log(probability)) * 1e6) / 1e6 + 0
}
