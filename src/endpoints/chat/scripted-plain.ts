/** A scripted answer as one JSON body, without what only streams can show (raw frames, stream faults). */
import { json, mediaMark, type Reply } from '../../protocol/reply.ts'
import {
  inputOf,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedChoice,
  writtenText,
} from './scripted-answer.ts'

export function scriptedPlainReply(answer: ScriptedAnswer): Reply {
  const { id, created, model, choices, usage, serviceTier, fingerprint, waits } = answer
  const media = choices.flatMap(({ speech }) => (speech === undefined ? [] : [speech.media]))
  const body = {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: choices.map(wireChoice),
    usage,
    service_tier: serviceTier,
    system_fingerprint: fingerprint,
  }
  const reply = json(body, media.length === 0 ? {} : { media })
  return waits === 0 ? reply : { ...reply, delay: waits }
}

function wireChoice(choice: ScriptedChoice): unknown {
  const { index, spoken, calls, callIds, legacy, finish, logprobs, annotations, speech } = choice
  const text = writtenText(spoken, 'text')
  const refusal = writtenText(spoken, 'refusal')
  const reasoning = writtenText(spoken, 'reasoning')
  const nothing = text === undefined && refusal === undefined && reasoning === undefined && calls.length === 0
  const message = {
    role: 'assistant',
    content: speech === undefined ? (text ?? (nothing ? '' : null)) : null,
    refusal: refusal ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : legacy
        ? { function_call: wireFunction(calls[0] as ScriptedCall) }
        : { tool_calls: calls.map((call, at) => wireCall(callIds[at] as string, call)) }),
    ...(speech === undefined
      ? {}
      : { audio: { id: speech.id, expires_at: speech.expiresAt, data: mediaMark, transcript: text } }),
    annotations: [...annotations.values()].flat(),
  }
  const listed =
    logprobs === undefined || (text === undefined && refusal === undefined)
      ? null
      : {
          content: text === undefined ? null : logprobs.text,
          refusal: refusal === undefined ? null : logprobs.refusal,
        }
  return { index, message, logprobs: listed, finish_reason: finish }
}

function wireCall(id: string, call: ScriptedCall): unknown {
  return call.form === 'function'
    ? { id, type: 'function', function: wireFunction(call) }
    : { id, type: 'custom', custom: { name: call.name, input: inputOf(call) } }
}

const wireFunction = (call: ScriptedCall): unknown => ({ name: call.name, arguments: inputOf(call) })
