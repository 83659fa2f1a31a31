/** A completion as one JSON body (contract 2.6, wire-formats 2.3). */
import { json, mediaMark, type Reply } from '../../protocol/reply.ts'
import type { Choice, Completion } from './completion.ts'
import { joined } from '../../behaviours/tokens.ts'
import type { SaidCall } from './output.ts'

export function plainReply(completion: Completion): Reply {
  const media = completion.choices.flatMap(({ speech }) => (speech === undefined ? [] : [speech.media]))
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

function wireChoice({ index, output, text, callIds, annotations, logprobs, speech }: Choice, legacy: boolean): unknown {
  const { kind, calls, finish } = output
  const content = kind === 'text' && speech === undefined ? text : null
  const refusal = kind === 'refusal' ? text : null
  const message: Record<string, unknown> = { role: 'assistant', content, refusal }
  if (kind === 'calls' && legacy) message['function_call'] = wireFunction(calls[0] as SaidCall)
  else if (kind === 'calls') message['tool_calls'] = calls.map((call, at) => wireCall(callIds[at] as string, call))
  if (speech !== undefined) message['audio'] = { id: speech.id, expires_at: speech.expiresAt, data: mediaMark, transcript: text }
  message['annotations'] = annotations
  const list = logprobs === undefined ? null : { content: kind === 'text' ? logprobs : null, refusal: kind === 'refusal' ? logprobs : null }
  return { index, message, logprobs: list, finish_reason: finish }
}

function wireCall(id: string, call: SaidCall): unknown {
  return call.tool.kind === 'function' ? { id, type: 'function', function: wireFunction(call) } : { id, type: 'custom', custom: { name: call.tool.name, input: joined(call.pieces) } }
}

const wireFunction = ({ tool, pieces }: SaidCall): unknown => ({ name: tool.name, arguments: joined(pieces) })
