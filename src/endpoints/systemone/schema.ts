/** The wire shapes of decision evaluation. */

import * as z from 'zod'
import {
  contractSays,
  describedIn,
  relied,
  required,
  stated,
  unnamed,
  untyped,
} from '../../protocol/contract-reading.ts'

/** Limits of the options of a choice and the levels of a score. */
const maxOptions = 255
const levels = { min: 2, max: 10 } as const

const kinds = () => [z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())] as const
const entry = () => z.union(kinds())
const description = () => z.union([...kinds(), z.null()])

/** A map with names that clients choose: at least one, at most `most`. */
const mapOf = <Value extends z.ZodType>(value: Value, most: number, what: string) =>
  z.record(z.string(), value).refine(
    (map) => {
      const { length } = Object.keys(map)
      return length > 0 && length <= most
    },
    { error: ({ input }) => `expected ${what}, got ${Object.keys(input as object).length}` },
  )

// Optional in the contract; the official client sends null by default.
const instructions = () => entry().nullish().describe('The question. It may refer to fields in `state`.')

const choice = () =>
  z.looseObject({
    type: z.literal('choice'),
    instructions: instructions(),
    criteria: mapOf(description(), maxOptions, `1 to ${maxOptions} options`).meta({
      maxProperties: maxOptions,
      description: `A map from 1 to ${maxOptions} options to their descriptions, which may be null.`,
    }),
  })

const score = () =>
  z.looseObject({
    type: z.literal('score'),
    instructions: instructions(),
    criteria: z.array(entry()).min(levels.min).max(levels.max).describe('The levels, lowest first.'),
  })

const noul = () =>
  z.looseObject({
    type: z.literal('noul'),
    instructions: instructions(),
    criteria: z
      .strictObject({ true: entry().optional(), false: entry().optional() })
      .nullish()
      .describe('The meanings of true and false.'),
  })

/** The request. Unknown fields are allowed, because the gateway passes them to the upstream. */
export const evaluationRequest = () =>
  z.looseObject({
    model: z.string().min(1).max(512).describe('The model id.'),
    state: entry().describe('The data that all questions refer to: a string, an object or an array.'),
    questions: mapOf(
      z.discriminatedUnion('type', [choice(), score(), noul()]),
      Number.POSITIVE_INFINITY,
      'at least one question',
    ).describe('A map from question ids to questions. At least one question is required.'),
    include_cost: z.boolean().nullish().describe('Whether the response includes costs.'),
  })

export type EvaluationRequest = z.output<ReturnType<typeof evaluationRequest>>

const probability = () => z.number().min(0).max(1)
const probabilities = () => z.record(z.string(), probability())

/** An answer; `type` is its kind (absent in the contract, but clients need it). */
const answerSchema = () =>
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('noul'),
      noul: probability().describe('The probability that the answer is true.'),
    }),
    z.strictObject({
      type: z.literal('choice'),
      choice: z.string(),
      probabilities: probabilities().describe('The probability of each option. The sum is 1.'),
      confidence: probability(),
    }),
    z.strictObject({
      type: z.literal('score'),
      score: z
        .number()
        .min(0)
        .max(levels.max - 1)
        .describe('The average level index (from 0), weighted by probability. May be fractional.'),
      legend: z
        .record(z.string(), entry())
        .describe('A map from level indices (from 0) to the levels in the request.'),
      probabilities: probabilities().describe('The probability of each level index. The sum is 1.'),
      confidence: probability(),
    }),
  ])

// The kinds of the contract; each has a field that the others lack.
const anyAnswer = () => {
  const weighed = {
    probabilities: untyped(probabilities().clone()),
    confidence: untyped(probability().clone()),
  }
  return z.union([
    z.strictObject({ type: unnamed(z.literal('noul')), noul: required(stated(probability().clone())) }),
    z.strictObject({ type: unnamed(z.literal('choice')), choice: required(z.string()), ...weighed }),
    z.strictObject({
      type: unnamed(z.literal('score')),
      score: required(z.number()),
      legend: untyped(z.record(z.string(), entry())),
      ...weighed,
    }),
  ])
}

/** The response. Extra fields of the upstream are passed through. */
export const evaluation = () =>
  describedIn(
    'contract 2.9',
    z.looseObject({
      model: z.string().describe('The upstream model or version.'),
      answers: relied(z.record(z.string(), contractSays(answerSchema(), anyAnswer))).describe(
        'A map from question ids to answers.',
      ),
      // A response without it would be billed as zero.
      usage: required(
        z.strictObject({
          input_tokens: required(stated(z.int().min(0))),
          output_tokens: required(stated(z.int().min(0))),
        }),
      ),
      cost: unnamed(
        z.strictObject({
          currency: z.string(),
          input: z.number().min(0).describe('The cost of input tokens before the discount.'),
          output: z.number().min(0).describe('The cost of output tokens before the discount.'),
          discount: z.number().min(0).max(1).describe('The discount, from 0 to 1.'),
          total: z.number().min(0).describe('The amount billed, after the discount.'),
        }),
      )
        .optional()
        .describe('The costs in `currency`. Present only with `include_cost: true`.'),
    }),
  )
