/**
 * A scripted answer as server-sent events (wire-formats 2.4): the choices take turns; the waits and faults of
 * each script happen once.
 */
import { ScriptedEvents, type StreamPace } from '../../behaviours/answers/scripted-events.ts'
import type { TokenizedPart, WireItem } from '../../behaviours/answers/tokenized-script.ts'
import type { Piece } from '../../behaviours/tokens/pieces.ts'
import type { AudioMedia, Media } from '../../protocol/media.ts'
import { mediaMark, type Reply } from '../../protocol/reply.ts'
import type { OutputLogprob } from './logprobs.ts'
import type { ScriptedAnswer, ScriptedCall, ScriptedChoice } from './scripted-answer.ts'
import { soundBehind } from './speech.ts'
import { chunkOf } from './stream.ts'

/** The JSON texts of one delta. */
interface Delta {
  readonly kind: 'delta'
  readonly delta: string
  readonly logprobs: string
  readonly finish: string
  readonly media?: Media
}
type Step = Delta | WireItem | { readonly kind: 'usage' }

export function scriptedStreamReply(
  answer: ScriptedAnswer,
  { includeUsage, pace }: { readonly includeUsage: boolean; readonly pace: StreamPace },
): Reply {
  const { head, tail } = chunkOf(answer, includeUsage)
  const written = new ScriptedEvents(pace)
  const choices = answer.choices.map((choice) => [...stepsOf(choice)])
  const turns = Math.max(...choices.map(({ length }) => length))
  let speaking = choices.length
  for (let at = 0; at < turns; at++) {
    for (const [index, steps] of choices.entries()) {
      const step = steps[at]
      if (step === undefined) continue
      if (step.kind === 'usage') {
        // It counts all choices, so it follows the last of them.
        if (--speaking === 0 && includeUsage && !answer.hidesUsage)
          written.addEvent({ data: `${head}],"usage":${JSON.stringify(answer.usage)}}` }, 0)
      } else if (step.kind !== 'delta') {
        if (answer.choices[index]?.acts === true) written.addItem(step)
      } else {
        const { delta, logprobs, finish, media } = step
        const data =
          `${head}{"index":${index},"delta":${delta},"logprobs":${logprobs},` +
          `"finish_reason":${finish}}${tail}`
        written.addEvent(media === undefined ? { data } : { data, media })
      }
    }
  }
  written.addEvent({ data: '[DONE]' }, 0)
  return written.reply()
}

const plain = (delta: string): Delta => ({ kind: 'delta', delta, logprobs: 'null', finish: 'null' })

const soundOf = (media: AudioMedia): Step => ({ ...plain(`{"audio":{"data":"${mediaMark}"}}`), media })

type Words = Extract<TokenizedPart, { pieces: readonly Piece[] }>

const fields = { text: 'content', refusal: 'refusal', reasoning: 'reasoning_content' } as const
/** The first delta of a choice names the role, and what it is about to say. */
const openings = {
  text: '{"role":"assistant","content":"","refusal":null}',
  refusal: '{"role":"assistant","content":null,"refusal":""}',
  reasoning: '{"role":"assistant","content":null,"reasoning_content":""}',
  speech: '{"role":"assistant","content":null,"refusal":null}',
} as const

function* stepsOf(choice: ScriptedChoice): Generator<Step> {
  const { spoken, calls, legacy, finish, speech, callIds, logprobs } = choice
  let begun = false
  let speaking = false
  const words = spoken.parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.pieces.length : 0), 0)
  let spokenPieces = 0
  let called = 0
  const places = { text: 0, refusal: 0 }
  for (const part of spoken.parts) {
    switch (part.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        if (part.kind === 'text' && speech !== undefined) {
          if (!begun) yield plain(openings.speech)
          if (!speaking) yield plain(`{"audio":{"id":${JSON.stringify(speech.id)},"transcript":""}}`)
          speaking = true
          for (const { quoted } of part.pieces) {
            yield plain(`{"audio":{"transcript":${quoted}}}`)
            const sound = soundBehind(spokenPieces++, words, speech)
            if (sound !== undefined) yield soundOf(sound)
          }
        } else {
          if (!begun) yield plain(openings[part.kind])
          // An empty text is sent all the same: without a delta, clients could not tell it from none.
          else if (part.pieces.length === 0) yield plain(`{"${fields[part.kind]}":""}`)
          yield* wordDeltas(part, logprobs, places)
        }
        begun = true
        yield* citedBy(part, choice)
        break
      // This API does not show that there was some.
      case 'redacted':
        break
      case 'calls': {
        const own = calls.slice(called, called + part.calls.length)
        yield* callDeltas(own, called, { ids: callIds, legacy, begun })
        called += own.length
        begun = true
        break
      }
      case 'finish':
        if (!begun) yield plain(openings.text)
        if (speech !== undefined) {
          if (words === 0) yield soundOf(speech.media)
          yield plain(`{"audio":{"expires_at":${speech.expiresAt}}}`)
        }
        yield { ...plain('{}'), finish: JSON.stringify(finish) }
        break
      default:
        yield part
    }
  }
}

function* citedBy(part: TokenizedPart, { annotations }: ScriptedChoice): Generator<Delta> {
  const cited = annotations.get(part)
  if (cited !== undefined) yield plain(`{"annotations":${JSON.stringify(cited)}}`)
}

function* wordDeltas(
  { kind, pieces }: Words,
  logprobs: ScriptedChoice['logprobs'],
  places: { text: number; refusal: number },
): Generator<Delta> {
  for (const { quoted } of pieces) {
    const shown =
      logprobs === undefined || kind === 'reasoning'
        ? 'null'
        : shownLogprob(kind, logprobs[kind][places[kind]++] as OutputLogprob)
    yield { ...plain(`{"${fields[kind]}":${quoted}}`), logprobs: shown }
  }
}

function shownLogprob(kind: 'text' | 'refusal', entry: OutputLogprob): string {
  return JSON.stringify({
    content: kind === 'text' ? [entry] : null,
    refusal: kind === 'refusal' ? [entry] : null,
  })
}

/** The deltas of some calls that are made together take turns; `from` is the index of the first. */
function* callDeltas(
  calls: readonly ScriptedCall[],
  from: number,
  {
    ids,
    legacy,
    begun,
  }: { readonly ids: readonly string[]; readonly legacy: boolean; readonly begun: boolean },
): Generator<Delta> {
  const role = begun ? '' : '"role":"assistant","content":null,'
  const lists = calls.map((call, at) =>
    legacy
      ? legacyDeltas(call, role)
      : modernDeltas(call, from + at, ids[from + at] as string, at === 0 ? role : ''),
  )
  const maxPieces = Math.max(...lists.map((list) => list.length))
  for (let turn = 0; turn < maxPieces; turn++) {
    for (const list of lists) {
      const delta = list[turn]
      if (delta !== undefined) yield plain(delta)
    }
  }
}

function modernDeltas(
  { form, name, pieces }: ScriptedCall,
  index: number,
  id: string,
  role: string,
): readonly string[] {
  const field = form === 'function' ? 'arguments' : 'input'
  const argumentDelta = (piece: Piece): string =>
    `{"tool_calls":[{"index":${index},"${form}":{"${field}":${piece.quoted}}}]}`
  return [
    `{${role}"tool_calls":[{"index":${index},"id":${JSON.stringify(id)},"type":"${form}",` +
      `"${form}":{"name":${JSON.stringify(name)},"${field}":""}}]}`,
    ...pieces.map(argumentDelta),
  ]
}

function legacyDeltas({ name, pieces }: ScriptedCall, role: string): readonly string[] {
  return [
    `{${role}"function_call":{"name":${JSON.stringify(name)},"arguments":""}}`,
    ...pieces.map(({ quoted }) => `{"function_call":{"arguments":${quoted}}}`),
  ]
}
