/** `POST /v1/systemone`: evaluates questions about a state. */
import { decide } from '../../behaviours/decisions/decision.ts'
import { checkUsage, type TokenUsage, upstreamRejection } from '../../behaviours/rejections/upstream.ts'
import { type Tokens, tokensOf } from '../../behaviours/tokens/tokens.ts'
import { randomFrom, withoutSession } from '../../engine/random.ts'
import { checkModel, isListed } from '../../protocol/auth.ts'
import { canonicalJson } from '../../protocol/canonical.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import type { FieldError } from '../../protocol/field-errors.ts'
import type { PlannedUpstream } from '../../protocol/plan.ts'
import { json } from '../../protocol/response.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { clip } from '../../protocol/wording.ts'
import { type EvaluationRequest, evaluation, evaluationRequest } from './schema.ts'

interface Question {
  readonly id: string
  readonly question: EvaluationRequest['questions'][string]
  /** The relevant fields of the question as canonical JSON. */
  readonly text: string
}

function readQuestions({ questions }: EvaluationRequest): readonly Question[] {
  return Object.entries(questions).map(([id, question]) => {
    const { type, instructions = null, criteria = null } = question
    return { id, question, text: canonicalJson({ type, instructions, criteria }) }
  })
}

/** The maximum number of tokens in the state and all questions. */
const maxTokens = 65_536
/** The maximum number of tokens in the state and the longest question. */
const maxQuestionTokens = 32_768

/**
 * The input tokens of the state and of each question. Values other than strings count as canonical JSON,
 * independent of key order. Throws a 400 above the contract's limits.
 */
function countTokens(
  state: EvaluationRequest['state'],
  questions: readonly Question[],
  tokens: Tokens,
): number {
  // Counting stops early for a body of many megabytes.
  const counted = { characters: 0, tokens: 0 }
  const ofState = tokens.count(typeof state === 'string' ? state : canonicalJson(state), counted)
  const each = questions.map(({ text }) => tokens.count(text, counted))
  const longest = each.reduce((most, count) => Math.max(most, count), 0)
  const all = each.reduce((sum, count) => sum + count, ofState)
  const errors: FieldError[] = []
  const name = clip(questions[each.indexOf(longest)]?.id ?? '', 60)
  if (all > maxTokens)
    errors.push({
      field: 'questions',
      message:
        `and \`state\` have ${all} tokens in total (${ofState} in the state), expected at most ` +
        `${maxTokens}: shorten the state, or split the questions into several requests`,
    })
  if (ofState + longest > maxQuestionTokens)
    errors.push({
      field: 'state',
      message:
        `and the longest question (${JSON.stringify(name)}, ${longest} tokens) have ` +
        `${ofState + longest} tokens in total, expected at most ${maxQuestionTokens}: shorten one of them`,
    })
  if (errors.length > 0) throw invalid(errors, undefined)
  return all
}

/**
 * The amount for `include_cost`. The contract does not document its fields; they are ours. Prices are per
 * million tokens; output is free by default.
 */
function costOf(usage: TokenUsage, { price }: Settings['systemone']) {
  const input = (usage.input_tokens * price.input) / 1_000_000
  const output = (usage.output_tokens * price.output) / 1_000_000
  return {
    currency: 'USD',
    input: tidy(input),
    output: tidy(output),
    discount: 0,
    total: tidy(input + output),
  }
}

// Removes floating-point noise.
const tidy = (amount: number): number => Number(amount.toFixed(12))

export const evaluate = defineEndpoint({
  operation: 'systemone.evaluate',
  method: 'POST',
  path: '/v1/systemone',
  summary: 'Evaluate questions about a state',
  accepts: ['json'],
  upstream: true,
  body: evaluationRequest,
  response: evaluation,
  needs: () => ['tokens'],
  // The state may contain reserved values.
  promptOf: ({ state }) => (typeof state === 'string' ? state : JSON.stringify(state)),
  check: ({ body, key }, settings) => checkModel(body.model, key, 'systemone', settings),
  act({ body, plan }, context) {
    const { settings } = context
    const questions = readQuestions(body)
    const inputTokens = countTokens(body.state, questions, tokensOf(context))
    const outcome: PlannedUpstream = plan.upstream ?? { fields: {} }
    if ('status' in outcome) throw upstreamRejection(outcome.status)

    const { answers, outputTokens } = answersTo(body.state, questions, context)
    const counted = { input_tokens: inputTokens, output_tokens: outputTokens }
    let reported: typeof counted | undefined = counted
    if ('usage' in outcome)
      reported = outcome.usage === 'missing' ? undefined : { ...counted, input_tokens: -1 }
    const usage = checkUsage(reported)
    return json({
      ...('fields' in outcome ? outcome.fields : {}),
      model: upstreamModel(body.model, settings),
      answers,
      usage,
      ...(body.include_cost === true ? { cost: costOf(usage, settings.systemone) } : {}),
    })
  },
})

/** Of probabilities, confidences and scores. */
const decimals = 2

/**
 * The answers by question id, and their tokens. An answer depends only on the seed, the state and its
 * question, not on other questions, their order, the id or the model.
 */
function answersTo(
  state: EvaluationRequest['state'],
  questions: readonly Question[],
  { sandbox }: Context,
): { readonly answers: unknown; readonly outputTokens: number } {
  const { seed, tag } = sandbox
  const stateRandom = randomFrom(
    `content\n${seed}\nsystemone.evaluate\n${withoutSession(canonicalJson(state), tag)}`,
  )
  let outputTokens = 0
  const answers = questions.map(({ id, question, text }) => {
    const random = stateRandom.fork(withoutSession(text, tag))
    // The upstream reports about 17 to 21 tokens per question.
    outputTokens += random.fork('tokens').integer(17, 21)
    return [id, decide(question, random, decimals)] as const
  })
  return { answers: Object.fromEntries(answers), outputTokens }
}

/** The model name in responses: as configured, else the requested model id; the contract allows both. */
function upstreamModel(model: string, { systemone }: Settings): string {
  return (
    Object.entries(systemone.upstreamModels).find(([pattern]) => isListed(model, [pattern]))?.[1] ?? model
  )
}
