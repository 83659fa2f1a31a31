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
  let written = ''
  for (const choice of choices) written += `${written === '' ? '' : ','}${choiceText(choice, legacy)}`
  const text = `{"id":"${id}","object":"chat.completion","created":${created},"model":${JSON.stringify(model)},"choices":[${written}],"usage":${usageText(usage)},"service_tier":"${serviceTier}","system_fingerprint":"${fingerprint}"}`
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
  prompt_tokens_details: asked,
  completion_tokens_details: said,
}: CompletionUsage): string {
  return `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${total},"prompt_tokens_details":{"audio_tokens":${asked.audio_tokens},"cached_tokens":${asked.cached_tokens}},"completion_tokens_details":{"accepted_prediction_tokens":${said.accepted_prediction_tokens},"audio_tokens":${said.audio_tokens},"reasoning_tokens":${said.reasoning_tokens},"rejected_prediction_tokens":${said.rejected_prediction_tokens}}}`
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
  const said = quoted(text)
  const content = kind === 'text' && speech === undefined ? said : 'null'
  const called =
    kind !== 'calls'
      ? ''
      : legacy
        ? `"function_call":${JSON.stringify(wireFunction(calls[0] as OutputCall))},`
        : `"tool_calls":${JSON.stringify(calls.map((call, at) => wireCall(callIds[at] as string, call)))},`
  const spoken =
    speech === undefined
      ? ''
      : `"audio":{"id":"${speech.id}","expires_at":${speech.expiresAt},"data":"${mediaMark}","transcript":${said}},`
  const message = `{"role":"assistant","content":${content},"refusal":${kind === 'refusal' ? said : 'null'},${called}${spoken}"annotations":${annotations.length === 0 ? '[]' : JSON.stringify(annotations)}}`
  const list =
    logprobs === undefined
      ? 'null'
      : JSON.stringify({
          content: kind === 'text' ? logprobs : null,
          refusal: kind === 'refusal' ? logprobs : null,
        })
  return `{"index":${index},"message":${message},"logprobs":${list},"finish_reason":"${finish}"}`
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
