/** What the tests of decision evaluation share: a session to call, and random questions. */
import fc from 'fast-check'
import type { SimulatorOptions } from '../../../src/index.ts'
import { post, simulator } from '../../_setup.ts'

export interface Evaluated {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** A simulator and one function that evaluates. */
export function evaluations(options: SimulatorOptions = {}) {
  const sim = simulator(options)
  const evaluate = async (body: unknown, headers: Record<string, string> = {}): Promise<Evaluated> => {
    const response = await post(sim, '/v1/systemone', body, headers)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    sim,
    evaluate,
    /** Asks one question and hands back its answer. */
    async ask(state: unknown, question: unknown): Promise<any> {
      const { status, body } = await evaluate({ model: 'jev-latest', state, questions: { it: question } })
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body.answers.it
    },
  }
}

/** A request that is answered. */
export const good = {
  model: 'jev-latest',
  state: 'The customer is angry and wants a refund',
  questions: { angry: { type: 'noul', instructions: 'Is the customer angry?' } },
}

/** A request with one question of the given shape. */
export const asking = (question: unknown): unknown => ({ ...good, questions: { q: question } })

const text = fc.oneof(
  fc.constantFrom('refund', 'not angry', 'very urgent', 'The customer is happy', 'other', '退款', '', ' '),
  fc.string({ maxLength: 30, unit: 'binary' }),
)
const entry = fc.oneof(
  text,
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.integer()), { maxKeys: 3, noNullPrototype: true }),
)

export const choices = fc.record({
  type: fc.constant('choice' as const),
  instructions: fc.option(entry),
  criteria: fc.dictionary(text, fc.option(entry), { minKeys: 1, maxKeys: 12, noNullPrototype: true }),
})
export const wideChoices = fc.integer({ min: 13, max: 255 }).map((size) => ({
  type: 'choice' as const,
  instructions: 'Which?',
  criteria: Object.fromEntries(Array.from({ length: size }, (_, at) => [`option ${at}`, null])),
}))
export const scores = fc.record({
  type: fc.constant('score' as const),
  instructions: fc.option(entry),
  criteria: fc.array(entry, { minLength: 2, maxLength: 10 }),
})
export const nouls = fc.record({
  type: fc.constant('noul' as const),
  instructions: fc.option(entry),
  criteria: fc.option(fc.record({ true: entry, false: entry }, { requiredKeys: [] })),
})
export const states = fc.oneof(fc.constant(good.state), entry)
