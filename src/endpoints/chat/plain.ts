/** A completion as one JSON body (contract 2.6, wire-formats 2.3). */
import { joinPieces } from '../../behaviours/tokens/pieces.ts'
import type { Media } from '../../protocol/media.ts'
import { mediaMark, type Reply } from '../../protocol/reply.ts'
import type { Completion, CompletionChoice } from './completion.ts'
import type { OutputCall } from './output.ts'

export function plainReply(completion: Completion): Reply {
  const { id, created, model, choices, usage, serviceTier, fingerprint, legacy } = completion
  const bodies: unknown[] = []
  const media: Media[] = []
  for (const choice of choices) {
    bodies.push(choiceBody(choice, legacy))
    if (choice.speech !== undefined) media.push(choice.speech.media)
  }
  const value = {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: bodies,
    usage,
    service_tier: serviceTier,
    system_fingerprint: fingerprint,
  }
  return { status: 200, headers: {}, body: { kind: 'json', value, ...(media.length === 0 ? {} : { media }) } }
}

function choiceBody(
  { index, output, text, callIds, annotations, logprobs, speech }: CompletionChoice,
  legacy: boolean,
): unknown {
  const { kind, calls, finish } = output
  const isText = kind === 'text'
  const isRefusal = kind === 'refusal'
  const message: Record<string, unknown> = {
    role: 'assistant',
    content: isText && speech === undefined ? text : null,
    refusal: isRefusal ? text : null,
  }
  if (kind === 'calls' && legacy) message['function_call'] = functionBody(calls[0] as OutputCall)
  else if (kind === 'calls')
    message['tool_calls'] = calls.map((call, at) => callBody(callIds[at] as string, call))
  if (speech !== undefined)
    message['audio'] = {
      id: speech.id,
      expires_at: speech.expiresAt,
      data: mediaMark,
      transcript: text,
    }
  message['annotations'] = annotations
  return {
    index,
    message,
    logprobs:
      logprobs === undefined
        ? null
        : { content: isText ? logprobs : null, refusal: isRefusal ? logprobs : null },
    finish_reason: finish,
  }
}

function callBody(id: string, call: OutputCall): unknown {
  return call.tool.kind === 'function'
    ? { id, type: 'function', function: functionBody(call) }
    : { id, type: 'custom', custom: { name: call.tool.name, input: joinPieces(call.pieces) } }
}

const functionBody = ({ tool, pieces }: OutputCall): unknown => ({
  name: tool.name,
  arguments: joinPieces(pieces),
})
