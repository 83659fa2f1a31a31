/** About how large a completion becomes, told before its details are made. */
import { mediaBytes } from '../../protocol/media.ts'
import type { SizeCause } from '../../protocol/reply-size.ts'
import type { ChatOutput } from './output.ts'
import type { ChatRequest } from './schema.ts'
import type { AudioAnswer } from './speech.ts'

/** Bytes of one log probability, and of what surrounds one piece of text in a stream. */
const perProbability = 60
const perEvent = 250

/** Bytes of the choices of a completion, on the wire. */
export function bytesOf(
  body: ChatRequest,
  choices: readonly { readonly output: ChatOutput; readonly speech: AudioAnswer | undefined }[],
): number {
  const perToken =
    (body.stream === true ? perEvent : 0) +
    (body.logprobs === true ? perProbability * (1 + (body.top_logprobs ?? 0)) : 0)
  return choices.reduce((sum, { output, speech }) => {
    const text = output.speech.text.length + output.tokens * perToken
    // In base64, three bytes are four.
    return sum + text + (speech === undefined ? 0 : Math.ceil((mediaBytes(speech.media) * 4) / 3))
  }, 0)
}

/** The parameters that make it so. */
export function causeOf({ n, logprobs, top_logprobs, modalities }: ChatRequest): SizeCause {
  const choices = n ?? 1
  const withSound = modalities?.includes('audio') === true
  const details = withSound
    ? ' with `audio`'
    : logprobs === true
      ? ` with \`logprobs\` (\`top_logprobs\`: ${top_logprobs ?? 0})`
      : ''
  return {
    param: choices > 1 ? 'n' : withSound ? 'audio' : 'logprobs',
    made: `${choices} ${choices === 1 ? 'choice' : 'choices'}${details}`,
    instead: 'fewer choices (n), shorter ones (max_completion_tokens), or less of each',
  }
}
