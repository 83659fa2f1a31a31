/** Settings of decision evaluation. */
import * as z from 'zod'
import { count, kibibyte } from './values.ts'

const upstream = z
  .strictObject({
    status: z
      .number()
      .int()
      .min(400)
      .max(599)
      .optional()
      .describe(
        'The status with which the upstream refuses every evaluation: 422 becomes 400, 429 stays, 5xx ' +
          'becomes 503. If left out, it refuses none.',
      ),
    usage: z
      .enum(['missing', 'invalid'])
      .optional()
      .describe(
        'What is wrong with the usage that the upstream reports (becomes 502); if left out, nothing.',
      ),
  })
  .prefault({})

const price = z
  .strictObject({
    currency: z.string().min(1).default('USD').describe('The currency of amounts.'),
    input: z.number().min(0).default(1).describe('Per million input tokens.'),
    output: z.number().min(0).default(0).describe('Per million output tokens.'),
  })
  .prefault({})

export const systemone = z
  .strictObject({
    maxTokens: count(
      64 * kibibyte,
      'The maximum number of tokens of the state and all questions together (400 beyond; contract ' +
        'section 8: 64K).',
      1,
    ),
    maxQuestionTokens: count(
      32 * kibibyte,
      'The maximum number of tokens of the state and the longest question together (400 beyond; contract ' +
        'section 8: 32K).',
      1,
    ),
    decimals: z
      .number()
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe('The number of decimals to which probabilities, confidences and scores are rounded.'),
    upstreamModels: z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe(
        'Per model id (`*` matches any ending): the upstream model or version in replies; for others, the ' +
          'model id itself.',
      ),
    upstreamFields: z
      .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]))
      .default({})
      .describe('Extra fields of the upstream that every reply passes through.'),
    upstream,
    price,
    discount: z.number().min(0).max(1).default(0).describe('The discount on the price, 0 to 1.'),
  })
  .prefault({})
