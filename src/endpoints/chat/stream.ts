/**
 * A completion as server-sent events, byte for byte as wire-formats 2.4. The texts are put together from their constant
 * parts: a stream of a hundred chunks must not cost a hundred objects.
 */
import type { Tokens } from '../../behaviours/tokens.ts'
import type { PlannedPace } from '../../protocol/plan.ts'
import { events, mediaMark, type Media, type Reply, type StreamEvent } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { Choice, Completion } from './completion.ts'

/** One delta of one choice: the JSON texts of its parts. */
interface Delta {
  readonly delta: string
  readonly logprobs: string
  readonly finish: string
  readonly media?: Media
}

export function streamReply(completion: Completion, options: { readonly includeUsage: boolean; readonly pace: PlannedPace | undefined; readonly settings: Settings; readonly tokens: Tokens }): Reply {
  const { includeUsage, pace, settings } = options
  const firstAfter = pace?.firstAfter ?? settings.chat.firstTokenAfter
  const every = pace?.every ?? settings.chat.tokenEvery
  const head = `{"id":${JSON.stringify(completion.id)},"object":"chat.completion.chunk","created":${completion.created},"model":${JSON.stringify(completion.model)},"service_tier":${JSON.stringify(completion.serviceTier)},"system_fingerprint":${JSON.stringify(completion.fingerprint)},"choices":[`
  const tail = includeUsage ? '],"usage":null}' : ']}'
  const list: StreamEvent[] = []
  const say = (data: string, media?: Media): void => {
    const after = list.length === 0 ? firstAfter : every
    list.push(media === undefined ? { after, data } : { after, data, media })
  }

  for (const [index, { delta, logprobs, finish, media }] of interleaved(completion.choices.map((choice) => deltas(choice, completion.legacy, options.tokens)))) {
    say(`${head}{"index":${index},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}${tail}`, media)
  }
  if (includeUsage) list.push({ after: 0, data: `${head}],"usage":${JSON.stringify(completion.usage)}}` })
  list.push({ after: 0, data: '[DONE]' })
  return events(list)
}

/** The choices take turns, as they do when a service decodes them side by side. */
function* interleaved(choices: readonly (readonly Delta[])[]): Generator<readonly [number, Delta]> {
  const longest = Math.max(...choices.map((list) => list.length))
  for (let at = 0; at < longest; at++) {
    for (const [index, list] of choices.entries()) {
      const delta = list[at]
      if (delta !== undefined) yield [index, delta]
    }
  }
}

const plain = (delta: string): Delta => ({ delta, logprobs: 'null', finish: 'null' })

function deltas(choice: Choice, legacy: boolean, tokens: Tokens): Delta[] {
  const { output } = choice
  const list = output.kind === 'calls' ? (legacy ? legacyDeltas(choice, tokens) : callDeltas(choice, tokens)) : choice.audio === undefined ? textDeltas(choice) : audioDeltas(choice)
  if (choice.annotations.length > 0) list.push(plain(`{"annotations":${JSON.stringify(choice.annotations)}}`))
  list.push({ delta: '{}', logprobs: 'null', finish: JSON.stringify(output.finish) })
  return list
}

function textDeltas({ output, logprobs }: Choice): Delta[] {
  const field = output.kind === 'refusal' ? 'refusal' : 'content'
  const list = [plain(field === 'content' ? '{"role":"assistant","content":"","refusal":null}' : '{"role":"assistant","content":null,"refusal":""}')]
  for (const [at, piece] of output.pieces.entries()) {
    const entry = logprobs?.[at]
    const shown = entry === undefined ? 'null' : field === 'content' ? `{"content":[${JSON.stringify(entry)}],"refusal":null}` : `{"content":null,"refusal":[${JSON.stringify(entry)}]}`
    list.push({ delta: `{"${field}":${JSON.stringify(piece.text)}}`, logprobs: shown, finish: 'null' })
  }
  return list
}

function callDeltas({ output, callIds }: Choice, tokens: Tokens): Delta[] {
  const list: Delta[] = []
  for (const [at, call] of output.calls.entries()) {
    const { kind, name } = call.tool
    const [body, field] = kind === 'function' ? ['function', 'arguments'] : ['custom', 'input']
    const first = `{"index":${at},"id":${JSON.stringify(callIds[at])},"type":"${kind}","${body}":{"name":${JSON.stringify(name)},"${field}":""}}`
    list.push(plain(at === 0 ? `{"role":"assistant","content":null,"tool_calls":[${first}]}` : `{"tool_calls":[${first}]}`))
    for (const piece of tokens.pieces(call.input)) list.push(plain(`{"tool_calls":[{"index":${at},"${body}":{"${field}":${JSON.stringify(piece.text)}}}]}`))
  }
  return list
}

function legacyDeltas({ output }: Choice, tokens: Tokens): Delta[] {
  const [call] = output.calls
  if (call === undefined) return []
  const list = [plain(`{"role":"assistant","content":null,"function_call":{"name":${JSON.stringify(call.tool.name)},"arguments":""}}`)]
  for (const piece of tokens.pieces(call.input)) list.push(plain(`{"function_call":{"arguments":${JSON.stringify(piece.text)}}}`))
  return list
}

function audioDeltas({ output, audio }: Choice): Delta[] {
  if (audio === undefined) return []
  const list = [plain(`{"role":"assistant","content":null,"refusal":null}`), plain(`{"audio":{"id":${JSON.stringify(audio.id)},"transcript":""}}`)]
  for (const piece of output.pieces) list.push(plain(`{"audio":{"transcript":${JSON.stringify(piece.text)}}}`))
  list.push({ ...plain(`{"audio":{"data":"${mediaMark}"}}`), media: audio.media })
  list.push(plain(`{"audio":{"expires_at":${audio.expiresAt}}}`))
  return list
}
