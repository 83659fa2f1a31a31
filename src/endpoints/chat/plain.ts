/**
 * A completion as one JSON body (contract 2.6, wire-formats 2.3). Its text is put together from constant
 * parts, as that of a stream is: writing the whole as an object first takes twice as long.
 */
import { joinPieces } from '../../behaviours/tokens/pieces.ts'
import { jsonText, mediaMark, type Reply } from '../../protocol/reply.ts'
import type { Completion, CompletionChoice, CompletionUsage } from './completion.ts'
import type { OutputCall } from './output.ts'

export function plainReply(completion: Completion): Reply {
  const { id, created, model, choices, usage, serviceTier, fingerprint, legacy } = completion
  let choicesJson = ''
  for (const choice of choices) choicesJson += `${choicesJson === '' ? '' : ','}${choiceText(choice, legacy)}`
  const text =
    `{"id":"${id}","object":"chat.completion","created":${created},"model":${JSON.stringify(model)},` +
    `"choices":[${choicesJson}],"usage":${usageText(usage)},"service_tier":"${serviceTier}",` +
    `"system_fingerprint":"${fingerprint}"}`
  if (choices.every(({ speech }) => speech === undefined)) return jsonText(text)
  return jsonText(text, {
    media: choices.flatMap(({ speech }) => (speech === undefined ? [] : [speech.media])),
  })
}

/** The usage as JSON. */
export function usageText({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: total,
  prompt_tokens_details: promptDetails,
  completion_tokens_details: completionDetails,
}: CompletionUsage): string {
  return (
    `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${total},` +
    `"prompt_tokens_details":{"audio_tokens":${promptDetails.audio_tokens},` +
    `"cached_tokens":${promptDetails.cached_tokens}},` +
    '"completion_tokens_details":{' +
    `"accepted_prediction_tokens":${completionDetails.accepted_prediction_tokens},` +
    `"audio_tokens":${completionDetails.audio_tokens},` +
    `"reasoning_tokens":${completionDetails.reasoning_tokens},` +
    `"rejected_prediction_tokens":${completionDetails.rejected_prediction_tokens}}}`
  )
}

// Plain text needs no escapes; looking for one is quicker than writing as if there were some.
const mayNeedEscapes = /[^ !#-[\]-~]/

function quoted(text: string): string {
  return mayNeedEscapes.test(text) ? JSON.stringify(text) : `"${text}"`
}

function choiceText(
  { index, output, text, callIds, annotations, logprobs, speech }: CompletionChoice,
  legacy: boolean,
): string {
  const { kind, calls, finish } = output
  const textJson = quoted(text)
  const contentJson = kind === 'text' && speech === undefined ? textJson : 'null'
  const callsJson =
    kind !== 'calls'
      ? ''
      : legacy
        ? `"function_call":${JSON.stringify(wireFunction(calls[0] as OutputCall))},`
        : `"tool_calls":${JSON.stringify(calls.map((call, at) => wireCall(callIds[at] as string, call)))},`
  const audioJson =
    speech === undefined
      ? ''
      : `"audio":{"id":"${speech.id}","expires_at":${speech.expiresAt},"data":"${mediaMark}",` +
        `"transcript":${textJson}},`
  const refusalJson = kind === 'refusal' ? textJson : 'null'
  const citationsJson = annotations.length === 0 ? '[]' : JSON.stringify(annotations)
  const message =
    `{"role":"assistant","content":${contentJson},` +
    `"refusal":${refusalJson},${callsJson}${audioJson}"annotations":${citationsJson}}`
  const logprobsJson =
    logprobs === undefined
      ? 'null'
      : JSON.stringify({
          content: kind === 'text' ? logprobs : null,
          refusal: kind === 'refusal' ? logprobs : null,
        })
  return `{"index":${index},"message":${message},"logprobs":${logprobsJson},"finish_reason":"${finish}"}`
}

function wireCall(id: string, call: OutputCall): unknown {
  return call.tool.kind === 'function'
    ? { id, type: 'function', function: wireFunction(call) }
    : { id, type: 'custom', custom: { name: call.tool.name, input: joinPieces(call.pieces) } }
}

const wireFunction = ({ tool, pieces }: OutputCall): unknown => ({
  name: tool.name,
  arguments: joinPieces(pieces),
})
