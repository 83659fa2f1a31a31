/** A completion as one JSON body (contract 2.6, wire-formats 2.3). */
import { json, mediaMark, type Reply } from '../../protocol/reply.ts'
import { wireCall, type Choice, type Completion } from './completion.ts'

export function plainReply(completion: Completion): Reply {
  const media = completion.choices.flatMap(({ audio }) => (audio === undefined ? [] : [audio.media]))
  const body = {
    id: completion.id,
    object: 'chat.completion',
    created: completion.created,
    model: completion.model,
    choices: completion.choices.map((choice) => wireChoice(choice, completion.legacy)),
    usage: completion.usage,
    service_tier: completion.serviceTier,
    system_fingerprint: completion.fingerprint,
  }
  return media.length === 0 ? json(body) : json(body, { media })
}

function wireChoice({ index, output, callIds, annotations, logprobs, audio }: Choice, legacy: boolean): unknown {
  const { kind, text, calls } = output
  const message = {
    role: 'assistant',
    content: kind === 'text' && audio === undefined ? text : null,
    refusal: kind === 'refusal' ? text : null,
    ...(kind === 'calls' && !legacy ? { tool_calls: calls.map((call, at) => wireCall(callIds[at] as string, call)) } : {}),
    ...(kind === 'calls' && legacy ? { function_call: { name: calls[0]?.tool.name, arguments: calls[0]?.input } } : {}),
    ...(audio === undefined ? {} : { audio: { id: audio.id, expires_at: audio.expiresAt, data: mediaMark, transcript: text } }),
    annotations,
  }
  const list = logprobs === undefined ? null : { content: kind === 'text' ? logprobs : null, refusal: kind === 'refusal' ? logprobs : null }
  return { index, message, logprobs: list, finish_reason: output.finish }
}
