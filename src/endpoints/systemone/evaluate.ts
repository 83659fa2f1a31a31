/** `POST /v1/systemone` (contract 4.9): decides questions about a state. */
import { decide } from '../../behaviours/decisions/decision.ts'
import { readState, textInside } from '../../behaviours/decisions/state-words.ts'
import { checkUsage, upstreamRefusal } from '../../behaviours/refusals/upstream.ts'
import { tokensOf } from '../../behaviours/tokens/tokens.ts'
import { randomFrom } from '../../engine/random.ts'
import { checkModel } from '../../protocol/auth.ts'
import { canonicalJson } from '../../protocol/canonical.ts'
import { type Context, defineEndpoint } from '../../protocol/endpoint.ts'
import type { PlannedUpstream } from '../../protocol/plan.ts'
import { json } from '../../protocol/reply.ts'
import type { Settings } from '../../protocol/settings.ts'
import { costOf } from './cost.ts'
import { countTokens } from './count-tokens.ts'
import { type EvaluationRequest, evaluation, evaluationRequest } from './schema.ts'
import { upstreamModel } from './upstream-model.ts'

export const evaluate = defineEndpoint({
  operation: 'systemone.evaluate',
  method: 'POST',
  path: '/v1/systemone',
  summary: 'Decide questions about a state: choose an option, score on a scale, tell true from false',
  accepts: ['json'],
  upstream: true,
  body: evaluationRequest,
  reply: evaluation,
  needs: () => ['tokens'],
  promptOf,
  act({ body, key, plan }, context) {
    const { settings } = context
    checkModel(body.model, key, 'systemone', settings)
    const inputTokens = countTokens(body, tokensOf(context), settings)
    // The plan of this call takes precedence over the setting for all calls.
    const outcome = plan.upstream ?? configured(settings)
    if ('status' in outcome) throw upstreamRefusal(outcome.status)

    const { answers, outputTokens } = answersTo(body, context)
    const counted = { input_tokens: inputTokens, output_tokens: outputTokens }
    const reported = !('usage' in outcome)
      ? counted
      : outcome.usage === 'missing'
        ? undefined
        : { ...counted, input_tokens: -1 }
    const usage = checkUsage(reported)
    return json({
      ...settings.systemone.upstreamFields,
      ...('fields' in outcome ? outcome.fields : {}),
      model: upstreamModel(body.model, settings),
      answers,
      usage,
      ...(body.include_cost === true ? { cost: costOf(usage, settings.systemone) } : {}),
    })
  },
})

function configured({ systemone: { upstream } }: Settings): PlannedUpstream {
  if (upstream.status !== undefined) return { status: upstream.status }
  return upstream.usage === undefined ? { fields: {} } : { usage: upstream.usage }
}

/**
 * The answers by question id, and their tokens. An answer depends on the seed, the state and its own question
 * alone: not on the other questions, their order, the id or the model (DESIGN, idea 3).
 */
function answersTo(
  { state, questions }: EvaluationRequest,
  { world, settings }: Context,
): { readonly answers: unknown; readonly outputTokens: number } {
  const stateWords = readState(state)
  const stateRandom = randomFrom(`content\n${world.seed}\nsystemone.evaluate\n${canonicalJson(state)}`)
  let outputTokens = 0
  const answers = Object.entries(questions).map(([id, question]) => {
    const random = stateRandom.fork(
      canonicalJson({
        type: question.type,
        instructions: question.instructions ?? null,
        criteria: question.criteria ?? null,
      }),
    )
    // The upstream reports about 17 to 21 tokens per question (wire-formats section 9).
    outputTokens += random.fork('tokens').integer(17, 21)
    return [id, decide(question, stateWords, random, settings.systemone.decimals)] as const
  })
  // Object.fromEntries, because a question id may be `__proto__`.
  return { answers: Object.fromEntries(answers), outputTokens }
}

/** The text of the state, which may contain reserved values. */
function promptOf({ state }: Readonly<Record<string, unknown>>): string | undefined {
  return textInside(state)
}
