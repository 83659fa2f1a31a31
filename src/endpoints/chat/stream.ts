/**
 * A completion as server-sent events, byte for byte as in wire-formats 2.4. Texts are concatenated from
 * constant parts: a stream of a hundred chunks must not cost a hundred objects.
 */
import type { StreamPace } from '../../behaviours/answers/scripted-events.ts'
import type { AudioMedia, Media } from '../../protocol/media.ts'
import type { PlannedPace } from '../../protocol/plan.ts'
import { events, mediaMark, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { Completion, CompletionChoice, CompletionHead } from './completion.ts'
import { type AudioAnswer, soundBehind } from './speech.ts'

/** One delta of one choice: the JSON texts of its parts. */
interface Delta {
  readonly delta: string
  readonly logprobs: string
  readonly finish: string
  readonly media?: Media
}

export function streamReply(
  completion: Completion,
  options: {
    readonly includeUsage: boolean
    readonly pace: PlannedPace | undefined
    readonly settings: Settings
  },
): Reply {
  const { includeUsage, pace, settings } = options
  const { firstAfter, every } = paceOf(pace, settings)
  const { head, tail } = chunkOf(completion, includeUsage)
  const list: StreamEvent[] = []
  const say = (data: string, media?: Media): void => {
    const after = list.length === 0 ? firstAfter : every
    list.push(media === undefined ? { after, data } : { after, data, media })
  }

  for (const [index, { delta, logprobs, finish, media }] of interleaved(
    completion.choices.map((choice) => deltas(choice, completion.legacy)),
  )) {
    say(
      `${head}{"index":${index},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}${tail}`,
      media,
    )
  }
  if (includeUsage) list.push({ after: 0, data: `${head}],"usage":${JSON.stringify(completion.usage)}}` })
  list.push({ after: 0, data: '[DONE]' })
  return events(list)
}

/** How a stream is paced: as planned, as the settings say otherwise. */
export function paceOf(planned: PlannedPace | undefined, { chat }: Settings): StreamPace {
  return { firstAfter: planned?.firstAfter ?? chat.firstTokenAfter, every: planned?.every ?? chat.tokenEvery }
}

/** What stands before and behind the choices of every chunk but the one with the usage. */
export function chunkOf(
  { id, created, model, serviceTier, fingerprint }: CompletionHead,
  includeUsage: boolean,
): { readonly head: string; readonly tail: string } {
  return {
    head:
      `{"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},` +
      `"model":${JSON.stringify(model)},"service_tier":${JSON.stringify(serviceTier)},` +
      `"system_fingerprint":${JSON.stringify(fingerprint)},"choices":[`,
    tail: includeUsage ? '],"usage":null}' : ']}',
  }
}

/** The choices take turns, as they do when a service decodes them side by side. */
function* interleaved(choices: readonly (readonly Delta[])[]): Generator<readonly [number, Delta]> {
  const maxPieces = Math.max(...choices.map((list) => list.length))
  for (let at = 0; at < maxPieces; at++) {
    for (const [index, list] of choices.entries()) {
      const delta = list[at]
      if (delta !== undefined) yield [index, delta]
    }
  }
}

const plain = (delta: string): Delta => ({ delta, logprobs: 'null', finish: 'null' })

function deltas(choice: CompletionChoice, legacy: boolean): readonly Delta[] {
  const { output, annotations, speech } = choice
  const written =
    output.kind === 'calls'
      ? legacy
        ? legacyDeltas(choice)
        : callDeltas(choice)
      : speech === undefined
        ? textDeltas(choice)
        : speechDeltas(choice, speech)
  const cited = annotations.length === 0 ? [] : [plain(`{"annotations":${JSON.stringify(annotations)}}`)]
  return [...written, ...cited, { delta: '{}', logprobs: 'null', finish: JSON.stringify(output.finish) }]
}

function textDeltas({ output, logprobs }: CompletionChoice): readonly Delta[] {
  const refuses = output.kind === 'refusal'
  const list = [
    plain(
      refuses
        ? '{"role":"assistant","content":null,"refusal":""}'
        : '{"role":"assistant","content":"","refusal":null}',
    ),
  ]
  for (const [at, { quoted }] of output.speech.pieces.entries()) {
    const entry = logprobs === undefined ? undefined : JSON.stringify(logprobs[at])
    const shown =
      entry === undefined
        ? 'null'
        : refuses
          ? `{"content":null,"refusal":[${entry}]}`
          : `{"content":[${entry}],"refusal":null}`
    list.push({ delta: `{"${refuses ? 'refusal' : 'content'}":${quoted}}`, logprobs: shown, finish: 'null' })
  }
  return list
}

function callDeltas({ output, callIds }: CompletionChoice): readonly Delta[] {
  return output.calls.flatMap(({ tool: { kind, name }, pieces }, at) => {
    const field = kind === 'function' ? 'arguments' : 'input'
    const first =
      `{"index":${at},"id":${JSON.stringify(callIds[at])},"type":"${kind}",` +
      `"${kind}":{"name":${JSON.stringify(name)},"${field}":""}}`
    return [
      plain(
        at === 0
          ? `{"role":"assistant","content":null,"tool_calls":[${first}]}`
          : `{"tool_calls":[${first}]}`,
      ),
      ...pieces.map(({ quoted }) =>
        plain(`{"tool_calls":[{"index":${at},"${kind}":{"${field}":${quoted}}}]}`),
      ),
    ]
  })
}

function legacyDeltas({ output }: CompletionChoice): readonly Delta[] {
  return output.calls
    .slice(0, 1)
    .flatMap(({ tool, pieces }) => [
      plain(
        `{"role":"assistant","content":null,"function_call":{"name":${JSON.stringify(tool.name)},` +
          '"arguments":""}}',
      ),
      ...pieces.map(({ quoted }) => plain(`{"function_call":{"arguments":${quoted}}}`)),
    ])
}

function soundOf(media: AudioMedia): Delta {
  return { ...plain(`{"audio":{"data":"${mediaMark}"}}`), media }
}

function speechDeltas({ output }: CompletionChoice, speech: AudioAnswer): readonly Delta[] {
  const { id, expiresAt, media } = speech
  const { pieces } = output.speech
  return [
    plain('{"role":"assistant","content":null,"refusal":null}'),
    plain(`{"audio":{"id":${JSON.stringify(id)},"transcript":""}}`),
    ...pieces.flatMap(({ quoted }, index) => {
      const transcriptDelta = plain(`{"audio":{"transcript":${quoted}}}`)
      const sound = soundBehind(index, pieces.length, speech)
      return sound === undefined ? [transcriptDelta] : [transcriptDelta, soundOf(sound)]
    }),
    ...(pieces.length === 0 ? [soundOf(media)] : []),
    plain(`{"audio":{"expires_at":${expiresAt}}}`),
  ]
}
