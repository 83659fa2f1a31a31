/** Optional parts of an answer: annotations of citations, log probabilities of chunks, and audio. */
import type { TokenText } from '../../behaviours/tokens/tokens.ts'
import type { Random } from '../../engine/random.ts'
import type { AudioMedia } from '../../protocol/media.ts'
import type { ScriptedCitation } from '../../protocol/script.ts'
import type { ChatRequest } from './schema.ts'

export interface Annotation {
  readonly type: 'url_citation'
  /** The indices count UTF-16 units, so that `content.slice(start_index, end_index)` is the citation. */
  readonly url_citation: {
    readonly start_index: number
    readonly end_index: number
    readonly url: string
    readonly title: string
  }
}

/**
 * A citation of a script for its text from `start` to `end`. Citations in the format of this API are
 * unchanged; formats of other APIs without a URL are omitted.
 */
export function annotationsAt(
  citations: readonly ScriptedCitation[],
  start: number,
  end: number,
): readonly Annotation[] {
  return citations.flatMap((written) => {
    if (written['type'] === 'url_citation') return [written as unknown as Annotation]
    const { url, title } = written
    if (typeof url !== 'string') return []
    return [
      {
        type: 'url_citation',
        url_citation: {
          start_index: start,
          end_index: end,
          url,
          title: typeof title === 'string' ? title : url,
        },
      },
    ]
  })
}

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  /** The UTF-8 bytes of the token. */
  readonly bytes: readonly number[]
}

/** A token of the answer with its most likely alternatives. */
export interface OutputLogprob extends TokenLogprob {
  readonly top_logprobs: readonly TokenLogprob[]
}

// Alternatives for every token.
const words =
  ' the| a| and|,|.| to| of| in| is| that| for| it| with| as| on| this| be| are| or| an|\n| but| not| you'
const others = words.split('|')

/**
 * One entry per token text, with its `top` (0 to 20) most likely alternatives, the text itself first. Their
 * probabilities sum to at most 1. Values `given` by a script are kept.
 */
export function logprobsOf(
  tokenTexts: readonly TokenText[],
  top: number,
  random: Random,
  given: readonly (number | undefined)[] = [],
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
  return tokenTexts.map(({ text }, index) => {
    const own = random.fork(`logprob ${index}`)
    const likely = 1 - 0.45 * own.next() * own.next()
    const logprob = given[index]
    const probability = logprob === undefined ? likely : Math.exp(logprob)
    const written =
      logprob === undefined ? entry(text, probability) : { token: text, logprob, bytes: bytesOf(text) }
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
    if (logprob !== undefined) likeliest.sort((a, b) => b.logprob - a.logprob)
    return { ...written, top_logprobs: likeliest }
  })
}

// Six decimals, as on the wire. The minimum is -100; -0 becomes 0.
function logarithm(probability: number): number {
  return Math.round(Math.max(-100, Math.log(probability)) * 1e6) / 1e6 + 0
}

export interface AudioAnswer {
  readonly id: string
  /** Unix seconds. */
  readonly expiresAt: number
  readonly media: AudioMedia
}

/** The maximum duration in milliseconds: ten minutes are 38 MB of base64. */
const maxDuration = 600_000

/** A transcript as speech: about a quarter of a second per token. */
export const speechOf = (
  { format }: NonNullable<ChatRequest['audio']>,
  tokens: number,
  random: Random,
): AudioMedia => ({
  kind: 'audio',
  format,
  milliseconds: Math.min(maxDuration, Math.max(250, tokens * 250)),
  seed: random.fork('voice').hex(16),
})
