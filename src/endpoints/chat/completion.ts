/** A whole completion before it takes a wire form: ids, choices, usage. The plain body and the stream both show this. */
import { answerTo, fakesOf, type ToolCall } from '../../behaviours/answer.ts'
import { tokensOf } from '../../behaviours/tokens.ts'
import { mintId } from '../../engine/ids.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Media } from '../../protocol/reply.ts'
import { matchesModel } from '../../protocol/settings.ts'
import { logprobsOf } from './logprobs.ts'
import { outputOf, type Output } from './output.ts'
import { promptTokens, readChoice, readConversation, readFormat, readTools } from './read-conversation.ts'
import type { ChatRequest } from './schema.ts'

export interface Annotation {
  readonly type: 'url_citation'
  readonly url_citation: { readonly start_index: number; readonly end_index: number; readonly url: string; readonly title: string }
}

export interface Spoken {
  readonly id: string
  /** Unix seconds. */
  readonly expiresAt: number
  readonly media: Media
}

export interface Choice {
  readonly index: number
  readonly output: Output
  readonly callIds: readonly string[]
  readonly annotations: readonly Annotation[]
  readonly logprobs: ReturnType<typeof logprobsOf> | undefined
  readonly audio: Spoken | undefined
}

export interface Completion {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly serviceTier: string
  readonly fingerprint: string
  /** True when tool calls take the legacy form. */
  readonly legacy: boolean
  readonly choices: readonly Choice[]
  readonly usage: Usage
}

export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly audio_tokens: number; readonly cached_tokens: number }
  readonly completion_tokens_details: { readonly accepted_prediction_tokens: number; readonly audio_tokens: number; readonly reasoning_tokens: number; readonly rejected_prediction_tokens: number }
}

/** The completion of a valid request. */
export function complete(call: Call<ChatRequest>, context: Context): Completion {
  const { body, identity } = call
  const { world, settings } = context
  const tokens = tokensOf(context)
  const tools = readTools(body)
  const legacy = body.functions != null
  const question = {
    conversation: readConversation(body.messages),
    tools,
    choice: readChoice(body),
    parallel: !legacy && body.parallel_tool_calls !== false,
    format: readFormat(body),
    planned: call.plan.answer,
    schemaPath: (tool: (typeof tools)[number] | undefined) => {
      if (tool === undefined) return 'response_format.json_schema.schema'
      const index = tools.indexOf(tool)
      if (legacy) return `functions[${index}].parameters`
      return tool.kind === 'function' ? `tools[${index}].function.parameters` : `tools[${index}].custom.format.grammar.definition`
    },
  }
  const reasons = settings.chat.reasoningModels.some((pattern) => matchesModel(pattern, body.model))
  const spoken = body.modalities?.includes('audio') === true && body.audio != null ? body.audio : undefined

  const choices = Array.from({ length: body.n ?? 1 }, (_, index): Choice => {
    const random = index === 0 ? call.content : call.content.fork(`choice ${index}`)
    let answer = answerTo(question, random, () => fakesOf(context))
    const citation = body.web_search_options != null && answer.kind === 'text' && question.format.kind === 'text' ? citationFor(random.fork('citation')) : undefined
    if (citation !== undefined && answer.kind === 'text') answer = { kind: 'text', text: `${answer.text} ${citation.text}` }
    const output = outputOf(answer, body, { reasons, finish: call.plan.answer?.finish, random, tokens })
    return {
      index,
      output,
      callIds: output.calls.map((_call, at) => mintId('call_', world.tag, identity.fork(`choice ${index} call ${at}`), 24)),
      annotations: citation === undefined ? [] : annotate(output.text, citation),
      logprobs: body.logprobs === true && output.kind !== 'calls' && spoken === undefined ? logprobsOf(output.pieces, body.top_logprobs ?? 0, random.fork('logprobs')) : undefined,
      audio: spoken === undefined || output.kind !== 'text' ? undefined : speak(output, index),
    }
  })

  function speak(output: Output, index: number): Spoken {
    const { format } = spoken as NonNullable<typeof spoken>
    return {
      id: mintId('audio_', world.tag, identity.fork(`audio ${index}`)),
      expiresAt: Math.floor(call.now / 1000) + 3600,
      // About the pace of speech: a token takes a quarter of a second.
      media: { kind: 'audio', format, milliseconds: Math.min(30_000, Math.max(250, output.pieces.length * 250)), seed: call.content.fork(`voice ${index}`).hex(16) },
    }
  }

  const cost = promptTokens(body, tokens, settings)
  const sum = (of: (output: Output) => number): number => choices.reduce((all, { output }) => all + of(output), 0)
  const said = sum((output) => output.tokens)
  return {
    id: mintId('chatcmpl-', world.tag, identity, 29),
    created: Math.floor(call.now / 1000),
    model: body.model,
    serviceTier: body.service_tier == null || body.service_tier === 'auto' ? 'default' : body.service_tier,
    fingerprint: world.fingerprint,
    legacy,
    choices,
    usage: {
      prompt_tokens: cost.all,
      completion_tokens: said,
      total_tokens: cost.all + said,
      prompt_tokens_details: { audio_tokens: cost.audio, cached_tokens: 0 },
      completion_tokens_details: {
        accepted_prediction_tokens: sum((output) => output.accepted),
        audio_tokens: spoken === undefined ? 0 : choices.reduce((all, { audio, output }) => all + (audio === undefined ? 0 : output.tokens - output.reasoning), 0),
        reasoning_tokens: sum((output) => output.reasoning),
        rejected_prediction_tokens: sum((output) => output.rejected),
      },
    },
  }
}

/** The wire form of a call, as the model's finished message holds it. */
export function wireCall(id: string, call: ToolCall): unknown {
  return call.tool.kind === 'function' ? { id, type: 'function', function: { name: call.tool.name, arguments: call.input } } : { id, type: 'custom', custom: { name: call.tool.name, input: call.input } }
}

interface Citation {
  readonly text: string
  readonly url: string
  readonly title: string
}

const sources = ['Encyclopedia', 'Daily Review', 'Open Atlas', 'Field Notes', 'The Almanac', 'City Gazette']

function citationFor(random: Call['content']): Citation {
  const title = random.pick(sources)
  const host = `${title.toLowerCase().replaceAll(' ', '-')}.example.com`
  const url = `https://${host}/articles/${random.hex(8)}`
  return { text: `([${host}](${url}))`, url, title }
}

// A limit may have cut the citation away; then there is nothing to point at.
function annotate(text: string, citation: Citation): readonly Annotation[] {
  const at = text.lastIndexOf(citation.text)
  if (at < 0) return []
  return [{ type: 'url_citation', url_citation: { start_index: at, end_index: at + citation.text.length, url: citation.url, title: citation.title } }]
}
