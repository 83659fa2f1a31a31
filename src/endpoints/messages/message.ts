/** A message before it takes a wire form, plain or streamed: id, blocks, stop reason, usage. */
import { fakesOf, prepareAnswer } from '../../behaviours/answers/answer.ts'
import type { AnswerRequest, ModelAnswer } from '../../behaviours/answers/answer-request.ts'
import type { Schemas } from '../../behaviours/json-schema/schemas.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import { mintId } from '../../engine/ids.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { type Block, outputOf, type StopReason, type Thought } from './output.ts'
import { beginsJson, continued } from './prefill.ts'
import { asksForCaching, promptTokens } from './prompt-tokens.ts'
import { prefillOf, readChoice, readConversation, readFormat, readTools } from './read-question.ts'
import type { MessagesRequest } from './request.ts'
import { redactedOf, signatureOf, thinksFirst, thoughtOn } from './thinking.ts'
import type { Turn } from './turns.ts'

/** A block with the id of its call. */
export type NamedBlock =
  | Exclude<Block, { kind: 'call' }>
  | (Extract<Block, { kind: 'call' }> & { readonly id: string })

export interface Message {
  readonly id: string
  readonly model: string
  readonly blocks: readonly NamedBlock[]
  readonly stopReason: StopReason
  readonly stopSequence: string | null
  readonly usage: {
    readonly input_tokens: number
    readonly cache_creation_input_tokens?: number
    readonly cache_read_input_tokens?: number
    readonly output_tokens: number
  }
}

/** The message that answers a valid request. */
export function answerMessage(
  call: Call<MessagesRequest>,
  turns: readonly Turn[],
  schemas: Schemas,
  context: Context,
): Message {
  const { body, identity, plan } = call
  const { world } = context
  const tokens = tokensOf(context)
  const conversation = readConversation(body.system, turns)
  const prefill = prefillOf(turns)
  const format = readFormat(body)
  const choice = readChoice(body)
  const question: AnswerRequest = {
    conversation,
    tools: readTools(body),
    // A prefilled answer is continued.
    choice: prefill !== '' && choice.mode === 'auto' ? { mode: 'none' } : choice,
    parallel: readParallel(body),
    format: beginsJson(prefill) ? { kind: 'json' } : format,
    verbosity: 'medium',
    planned: plan.answer,
    schemas,
  }
  const answer = continuing(prefill, prepareAnswer(question, () => fakesOf(context))(call.content))
  const limits = {
    maxTokens: body.max_tokens,
    stopSequences: body.stop_sequences ?? [],
    cut: plan.answer?.finish,
  }
  const output = outputOf(answer, thoughtFor(call, conversation), limits, tokens)
  return {
    id: mintId('msg_', world.tag, identity),
    model: body.model,
    blocks: output.blocks.map((block, index) =>
      block.kind === 'call'
        ? { ...block, id: mintId('toolu_', world.tag, identity.fork(`block ${index}`), 24) }
        : block,
    ),
    stopReason: output.stopReason,
    stopSequence: output.stopSequence,
    usage: {
      input_tokens: promptTokens(body, tokens),
      ...(asksForCaching(body) ? { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 } : {}),
      output_tokens: output.tokens,
    },
  }
}

function readParallel({ tool_choice: choice }: MessagesRequest): boolean {
  return choice == null || choice.type === 'none' || choice.disable_parallel_tool_use !== true
}

function continuing(prefill: string, answer: ModelAnswer): ModelAnswer {
  if (prefill === '' || answer.kind !== 'text') return answer
  return { ...answer, text: continued(prefill, answer.text, answer.given) }
}

function thoughtFor(
  { body, content, plan }: Call<MessagesRequest>,
  conversation: Parameters<typeof thoughtOn>[0],
): Thought | undefined {
  const { thinking } = body
  if (!thinksFirst(body) || (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive')) return undefined
  const random = content.fork('thinking')
  const text = thoughtOn(conversation, random)
  return {
    text,
    budget: thinking.type === 'enabled' ? thinking.budget_tokens : Number.POSITIVE_INFINITY,
    shown: thinking.display !== 'omitted',
    signature: signatureOf(random),
    redacted: plan.answer?.redactedThinking === true ? redactedOf(random) : undefined,
  }
}
