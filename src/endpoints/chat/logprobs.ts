/** Log probabilities for the pieces of an output: invented, ordered, and true to the text's bytes. */
import type { Piece } from '../../behaviours/tokens/pieces.ts'
import type { Random } from '../../engine/random.ts'
import type { ScriptedLogprob } from '../../protocol/script.ts'

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
 * probabilities add up to at most 1. What a script has `given` of a piece stands.
 */
export function logprobsOf(
  pieces: readonly Piece[],
  top: number,
  random: Random,
  given: readonly (ScriptedLogprob | undefined)[] = [],
): readonly OutputLogprob[] {
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
  const scripted = (one: ScriptedLogprob, piece: string): TokenLogprob => {
    const token = one.token ?? piece
    return { token, logprob: one.logprob, bytes: one.bytes ?? bytesOf(token) }
  }
  return pieces.map(({ text }, index) => {
    const own = random.fork(`logprob ${index}`)
    const likely = 1 - 0.45 * own.next() * own.next()
    const said = given[index]
    const probability = said === undefined ? likely : Math.exp(said.logprob)
    const written = said === undefined ? entry(text, probability) : scripted(said, text)
    if (said?.top_logprobs !== undefined)
      return { ...written, top_logprobs: said.top_logprobs.slice(0, top).map((one) => scripted(one, text)) }
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
    // A script may say something unlikely.
    if (said !== undefined) likeliest.sort((a, b) => b.logprob - a.logprob)
    return { ...written, top_logprobs: likeliest }
  })
}

// Six decimals, as on the wire. The minimum is -100, and there is no minus zero.
function logarithm(probability: number): number {
  return Math.round(Math.max(-100, Math.log(probability)) * 1e6) / 1e6 + 0
}
