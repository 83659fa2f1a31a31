/** The content of one choice: a script, or a default answer within the limits of the request. */
import { prepareAnswer } from '../../behaviours/answers/answer.ts'
import { noSchemas, schemasOf } from '../../behaviours/answers/loaded-schemas.ts'
import type { Schemas } from '../../behaviours/json-schema/schemas.ts'
import { scriptOf, type TokenizedScript, tokenizeScript } from '../../behaviours/scripts/tokenize-script.ts'
import { type Tokens, type TokenText, tokenCount, tokensOf } from '../../behaviours/tokens/tokens.ts'
import type { Random } from '../../engine/random.ts'
import { isListed } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { Script } from '../../protocol/script.ts'
import { citationFrom, voiceOf } from './details.ts'
import { type AnswerOptions, readAnswerOptions, readConversation } from './read-request.ts'
import type { ChatRequest } from './schema.ts'

export interface Spoken {
  readonly script: TokenizedScript
  /** The number of hidden reasoning tokens. */
  readonly hidden: number
  /** The accepted and rejected tokens of the prediction. */
  readonly accepted: number
  readonly rejected: number
}

/**
 * Prepares the content of the choices by index. Throws a 400 for an unsupported schema, even if this request
 * does not use it.
 */
export function speakerFor(call: Call<ChatRequest>, context: Context): (index: number) => Spoken {
  const options = readAnswerOptions(call.body)
  const { format, tools } = options
  const hasNone = tools.length === 0 && format.kind === 'text'
  const schemas = hasNone ? noSchemas : schemasOf(context)
  for (const { parameters, path } of tools) if (parameters !== undefined) schemas.check(parameters, path)
  if (format.kind === 'schema') schemas.check(format.schema, format.path)
  const { script } = call.plan
  return script === undefined
    ? byDefault(call, options, schemas, context)
    : byScript(call, script, tokensOf(context))
}

function byDefault(
  call: Call<ChatRequest>,
  { format, callable, choice }: AnswerOptions,
  schemas: Schemas,
  context: Context,
): (index: number) => Spoken {
  const { body, plan } = call
  const answer = prepareAnswer({
    conversation: readConversation(body.messages),
    tools: callable,
    choice,
    parallel: body.functions == null && body.parallel_tool_calls !== false,
    format,
    verbosity: body.verbosity ?? 'medium',
    planned: plan.answer,
    rule: plan.rule,
    schemas,
  })
  const tokens = tokensOf(context)
  const reasons = isListed(body.model, context.settings.chat.reasoningModels)
  const predicted =
    body.prediction == null ? undefined : tokens.encode(predictionIn(body.prediction)).tokenTexts
  const cites = body.web_search_options != null && voiceOf(body) === undefined && format.kind === 'text'
  const choices = body.n ?? 1
  // The maximum number of tokens per choice.
  const limit = Math.min(
    body.max_completion_tokens ?? body.max_tokens ?? maxChoiceLength,
    maxChoiceLength,
    Math.floor(maxAnswerLength / choices),
    Math.floor(maxAlternatives / (choices * (1 + (body.top_logprobs ?? 0)))),
  )
  const stop = body.stop == null ? [] : stopsOf(body)
  return (index) => {
    const random = call.content.fork(`choice ${index}`)
    const said = answer(random)
    const hidden = reasons ? Math.min(limit, thoughtTokens(body, random)) : 0
    const limits = { tokens: limit - hidden, stop, end: plan.answer?.finish }
    // An exact response has no citations.
    const script: Script =
      cites && said.kind === 'text' && !said.given
        ? [...scriptOf({ ...said, text: `${said.text} ` }), citationFrom(random.fork('citation'))]
        : scriptOf(said)
    const spoken = tokenizeScript(script, tokens, limits)
    if (predicted === undefined) return { script: spoken, hidden, accepted: 0, rejected: 0 }
    return { script: spoken, hidden, ...compare(predicted, spoken) }
  }
}

// Models end long answers themselves. Without a limit, a request for many long choices with all logprobs
// would exhaust the memory of the process.
const maxChoiceLength = 16_384
const maxAnswerLength = 8 * maxChoiceLength
// Each alternative is a line of JSON and counts too.
const maxAlternatives = 600_000

/** The minimum and maximum of reasoning tokens. */
const thinking: Readonly<Record<NonNullable<ChatRequest['reasoning_effort']>, readonly [number, number]>> = {
  none: [0, 0],
  minimal: [0, 16],
  low: [32, 128],
  medium: [128, 384],
  high: [384, 1024],
  xhigh: [1024, 2048],
  max: [1024, 4096],
}

const thoughtTokens = ({ reasoning_effort: effort }: ChatRequest, random: Random): number =>
  random.fork('reasoning').integer(...thinking[effort ?? 'medium'])

/** The stop sequences of a request. */
function stopsOf({ stop }: ChatRequest): readonly string[] {
  return stop == null ? [] : (typeof stop === 'string' ? [stop] : stop).map((one) => one.toWellFormed())
}

const predictionIn = ({ content }: NonNullable<ChatRequest['prediction']>): string =>
  typeof content === 'string' ? content : content.map((part) => part.text).join('')

/** The number of prediction tokens that the answer starts with, and of those that it does not use. */
function compare(
  predicted: readonly TokenText[],
  { parts }: TokenizedScript,
): { accepted: number; rejected: number } {
  const output = parts.flatMap((part) => ('said' in part ? part.said.tokenTexts : []))
  const differs = predicted.findIndex(({ text }, index) => text !== output[index]?.text)
  const accepted = tokenCount(differs < 0 ? predicted : predicted.slice(0, differs))
  return { accepted, rejected: tokenCount(predicted) - accepted }
}

/** Scripts within the limits of the request, unless they violate the contract on purpose. */
function byScript(
  { body, plan }: Call<ChatRequest>,
  script: Script,
  tokens: Tokens,
): (index: number) => Spoken {
  const most = body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY
  const limits = plan.offContract === true ? undefined : { tokens: most, stop: stopsOf(body) }
  const scripts = (plan.choices ?? [script])
    .slice(0, body.n ?? 1)
    .map((one) => tokenizeScript(one, tokens, limits))
  return (index) => ({
    script: scripts[Math.min(index, scripts.length - 1)] as TokenizedScript,
    hidden: 0,
    accepted: 0,
    rejected: 0,
  })
}
