/**
 * systemone.evaluate: what it rejects, what it answers. Nothing about it unfolds with time: it answers at
 * once.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionTag } from '../../../src/engine/random.ts'
import type { ScenarioInput } from '../../../src/index.ts'
import { invalid, rejection } from '../_openai-family.ts'
import { asking, evaluations, good } from './_evaluations.ts'

const options = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`o${at}`, null]))
const levels = (count: number) => Array.from({ length: count }, (_, at) => `level ${at}`)
/** The option of a rule that says what the upstream does. */
const ruled = (upstream: object): { scenarios: [ScenarioInput] } => ({
  scenarios: [
    { title: 'upstream', rules: [{ when: { operation: 'systemone.evaluate' }, then: { upstream } }] },
  ],
})
const number = expect.any(Number)

describe('systemone.evaluate rejects', () => {
  it.each([
    [
      'an empty map of questions',
      { ...good, questions: {} },
      'questions',
      'expected at least one question, got 0',
    ],
    [
      'a choice of no options',
      asking({ type: 'choice', criteria: {} }),
      'questions.q.criteria',
      'expected 1 to 255 options, got 0',
    ],
  ])('%s', async (_, question, field, sentence) => {
    const { status, body } = await evaluations().evaluate(question)
    expect([status, body]).toEqual([400, invalid(field, sentence)])
  })
})

describe('systemone.evaluate counts tokens', () => {
  // One token each: the words of a plain list, and the blank before them.
  const words = (count: number): string => ' a'.repeat(count)
  const question = { type: 'noul', instructions: words(100) }
  const usageOf = async (body: unknown): Promise<number> =>
    (await evaluations().evaluate(body)).body.usage.input_tokens

  const about = (count: number, questions: object = { a: question }) => ({
    model: 'm',
    state: words(count),
    questions,
  })

  it('of the state and of every question, whatever the ids are', async () => {
    const state = await usageOf(about(1000))
    expect(await usageOf(about(1001))).toBe(state + 1)
    const one = state - 1000
    expect(one).toBeGreaterThan(100)
    expect(await usageOf(about(1000, { a: question, another_long_id: question }))).toBe(1000 + 2 * one)
  })

  it('at most 32K for the state and the longest question, and not one token more', async () => {
    const { evaluate } = evaluations()
    const asked = (count: number) => about(count, { short: { type: 'noul' }, long: question })
    const one = (await usageOf(about(1))) - 1
    expect((await evaluate(asked(32_768 - one))).status).toBe(200)
    const sentence =
      `and the longest question ("long", ${one} tokens) have 32769 tokens in total, expected at most ` +
      '32768: shorten one of them'
    expect((await evaluate(asked(32_769 - one))).body).toEqual(invalid('state', sentence))
  })

  it('at most 64K in all, and says by how much it is more', async () => {
    const filled = (last: number) => {
      const texts = [16_000, 16_000, 16_000, last].map((count, at) => [
        `q${at}`,
        { type: 'noul', instructions: words(count) },
      ])
      return about(1000, Object.fromEntries(texts))
    }
    const { evaluate } = evaluations()
    const spare = 65_536 - (await usageOf(filled(1)))
    const { status, body } = await evaluate(filled(1 + spare))
    expect([status, body.usage?.input_tokens]).toEqual([200, 65_536])
    const sentence =
      'and `state` have 65537 tokens in total (1000 in the state), expected at most 65536: ' +
      'shorten the state, or split the questions into several requests'
    expect((await evaluate(filled(2 + spare))).body).toEqual(invalid('questions', sentence))
  })
})

describe('systemone.evaluate answers', () => {
  it('each question by its type', async () => {
    const { evaluate } = evaluations()
    const { status, body, headers } = await evaluate({
      model: 'jev-latest',
      state: good.state,
      questions: {
        angry: { type: 'noul', instructions: 'Is the customer angry?' },
        intent: {
          type: 'choice',
          instructions: 'What does the customer want?',
          criteria: { refund: 'money back', exchange: null, praise: ['kind words'] },
        },
        mood: {
          type: 'score',
          instructions: 'How angry?',
          criteria: ['calm', { text: 'annoyed' }, ['angry', 'furious']],
        },
      },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      model: 'jev-latest',
      answers: {
        angry: { type: 'noul', noul: number },
        intent: {
          type: 'choice',
          choice: expect.stringMatching(/^(?:refund|exchange|praise)$/),
          probabilities: { refund: number, exchange: number, praise: number },
          confidence: number,
        },
        mood: {
          type: 'score',
          score: number,
          legend: { 0: 'calm', 1: { text: 'annoyed' }, 2: ['angry', 'furious'] },
          probabilities: { 0: number, 1: number, 2: number },
          confidence: number,
        },
      },
      usage: { input_tokens: number, output_tokens: number },
    })
    expect(headers.get('content-type')).toContain('application/json')
  })

  it.each([1, 255])('a choice of %i options', async (count) => {
    const question = { type: 'choice', instructions: 'Which?', criteria: options(count) }
    const answer = await evaluations().ask('Nothing of that', question)
    expect(Object.keys(answer.probabilities)).toEqual(Object.keys(options(count)))
    if (count === 1)
      expect(answer).toEqual({ type: 'choice', choice: 'o0', probabilities: { o0: 1 }, confidence: 1 })
  })

  it.each([2, 10])('a score of %i levels', async (count) => {
    const question = { type: 'score', instructions: 'How?', criteria: levels(count) }
    const { legend } = await evaluations().ask('Nothing of that', question)
    expect(Object.values(legend)).toEqual(levels(count))
  })

  it.each<[string, unknown]>([
    ['a text', 'Hello'],
    ['an empty text', ''],
    ['an object', { customer: { name: 'Ada', premium: true, orders: 3, note: null } }],
    ['a list', ['Hello', { a: 1 }]],
    ['the parts of a message, as Vercel sends them', [{ type: 'text', text: 'Hello' }]],
  ])('about %s', async (_, state) => {
    const question = { type: 'noul', instructions: 'Is it polite?' }
    expect(await evaluations().ask(state, question)).toEqual({ type: 'noul', noul: number })
  })

  it.each<[string, unknown]>([
    ['a text', 'angry'],
    ['an object', { mood: 'angry' }],
    ['a list', ['angry', { mood: 'furious' }]],
  ])('criteria that are described by %s', async (_, description) => {
    const ask = (type: string, criteria: unknown) => evaluations().ask(good.state, { type, criteria })
    expect((await ask('choice', { a: description, b: null })).choice).toMatch(/^[ab]$/)
    expect((await ask('score', ['calm', description])).legend).toEqual({ 0: 'calm', 1: description })
    expect(await ask('noul', { true: description, false: 'calm' })).toEqual({ type: 'noul', noul: number })
    expect(await ask('noul', { false: description })).toEqual({ type: 'noul', noul: number })
  })

  it('in one body, also when a stream is asked for', async () => {
    const { status, headers, body } = await evaluations().evaluate({ ...good, stream: true })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(Object.keys(body)).toEqual(['model', 'answers', 'usage'])
  })

  it('the same with fields it does not know, which are the upstream’s affair', async () => {
    const { evaluate } = evaluations()
    const questions = { angry: { ...good.questions.angry, weight: 3 } }
    const { status, body } = await evaluate({ ...good, trace: 'x', questions })
    expect([status, body]).toEqual([200, (await evaluate(good)).body])
  })

  it('17 to 21 output tokens per question', async () => {
    for (const count of [1, 2, 50]) {
      const asked = Array.from({ length: count }, (_, at) => [
        `q${at}`,
        { type: 'noul', instructions: `Is it ${at}?` },
      ])
      const { body } = await evaluations().evaluate({ ...good, questions: Object.fromEntries(asked) })
      expect(body.usage.output_tokens).toBeGreaterThanOrEqual(17 * count)
      expect(body.usage.output_tokens).toBeLessThanOrEqual(21 * count)
    }
  })

  it('with the request id under both names, on success and on rejection', async () => {
    const { evaluate } = evaluations()
    for (const body of [good, {}]) {
      const { headers } = await evaluate(body)
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]+$/)
      expect(headers.get('x-typesafe-request-id')).toBe(headers.get('x-request-id'))
    }
  })

  it('by the upstream’s model when the settings name one', async () => {
    const { evaluate } = evaluations({
      settings: { systemone: { upstreamModels: { 'jev-latest': 'jev-2026-09-01', 'jev-*': 'jev-1' } } },
    })
    const modelOf = async (model: string): Promise<string> => (await evaluate({ ...good, model })).body.model
    expect(await modelOf('jev-latest')).toBe('jev-2026-09-01')
    expect(await modelOf('jev-old')).toBe('jev-1')
    expect(await modelOf('other')).toBe('other')
  })

  it('with extra fields of the upstream, by a rule', async () => {
    const added = { region: 'eu', latency_ms: 12, cached: false }
    const rule = { when: { operation: 'systemone.evaluate' }, then: { patch: added } } as const
    const { evaluate } = evaluations({ scenarios: [{ title: 'upstream fields', rules: [rule] }] })
    expect((await evaluate(good)).body).toMatchObject({ ...added, model: 'jev-latest' })
  })
})

describe('systemone.evaluate names the amount', () => {
  it('only with include_cost', async () => {
    const { evaluate } = evaluations()
    for (const include_cost of [undefined, null, false])
      expect((await evaluate({ ...good, include_cost })).body).not.toHaveProperty('cost')
    const { body } = await evaluate({ ...good, include_cost: true })
    const input = body.usage.input_tokens / 1e6
    expect(body.cost).toEqual({ currency: 'USD', input, output: 0, discount: 0, total: input })
  })

  it('at the configured price', async () => {
    const { evaluate } = evaluations({ settings: { systemone: { price: { input: 2, output: 10 } } } })
    const { cost, usage } = (await evaluate({ ...good, include_cost: true })).body
    expect(cost.input).toBeCloseTo((usage.input_tokens * 2) / 1e6, 12)
    expect(cost.output).toBeCloseTo((usage.output_tokens * 10) / 1e6, 12)
    expect(cost.total).toBeCloseTo(cost.input + cost.output, 11)
  })
})

describe('systemone.evaluate answers each question by itself', () => {
  const questions: Record<string, unknown> = {
    angry: { type: 'noul', instructions: 'Is the sky green?' },
    intent: { type: 'choice', instructions: 'Which?', criteria: { x: null, y: null, z: null } },
    mood: { type: 'score', instructions: 'How?', criteria: ['p', 'q', 'r'] },
    tone: { type: 'noul', instructions: 'Is the sea deep?' },
  }

  it('whatever else is asked, in whatever order and under whatever id', async () => {
    const { evaluate } = evaluations()
    const all = (await evaluate({ ...good, questions })).body
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(Object.keys(questions), { minLength: 1 }),
        fc.string({ maxLength: 5 }),
        async (ids, prefix) => {
          const { body } = await evaluate({
            ...good,
            questions: Object.fromEntries(ids.map((id) => [`_${prefix}${id}`, questions[id]])),
          })
          for (const id of ids) expect(body.answers[`_${prefix}${id}`]).toEqual(all.answers[id])
          if (ids.length === Object.keys(questions).length) expect(body.usage).toEqual(all.usage)
        },
      ),
      { numRuns: 30, seed: 1 },
    )
  })
})

it('systemone.evaluate answers by seed, state and question alone', async () => {
  const questions = { which: { type: 'choice', criteria: options(50) } }
  const answersTo = async (seed: string, more: object = {}, headers = {}): Promise<unknown> =>
    (await evaluations({ seed }).evaluate({ ...good, questions, ...more }, headers)).body.answers
  const first = await answersTo('a')
  const elsewhere = { authorization: 'Bearer sk-other', 'x-sim-session': 'other' }
  expect(await answersTo('a', { model: 'other' }, elsewhere)).toEqual(first)
  const about = (session: string): object => ({ state: `The job ${sessionTag(session)}0000 is late.` })
  expect(await answersTo('a', about('other'), elsewhere)).toEqual(await answersTo('a', about('default')))
  expect(await answersTo('b')).not.toEqual(first)
  expect(await answersTo('a', { state: 'two' })).not.toEqual(first)
})

describe('systemone.evaluate maps what the upstream does', () => {
  const unusable = 'upstream_response_error'
  it.each<[string, object, number, string, RegExp]>([
    ['upstream-422', { status: 422 }, 400, 'invalid_request_error', /rejected .+ \(upstream status 422\)/],
    ['upstream-429', { status: 429 }, 429, 'rate_limit_error', /upstream status 429\): retry after 1 s/],
    ['upstream-5xx', { status: 500 }, 503, 'provider_unavailable', /unavailable \(upstream status 500\)/],
    [
      'missing-usage',
      { usage: 'missing' },
      502,
      unusable,
      /no valid `usage`, which billing requires: the field is missing/,
    ],
    [
      'invalid-usage',
      { usage: 'invalid' },
      502,
      unusable,
      /`usage.input_tokens` is -1, expected a whole number of tokens/,
    ],
  ])('%s as the model, in the state, and by rule', async (word, upstream, status, type, message) => {
    const { evaluate } = evaluations()
    const configured = evaluations(ruled(upstream))
    for (const answer of [
      await evaluate({ ...good, model: `sim-${word}` }),
      await evaluate({ ...good, state: { text: `Hello [sim:${word}]` } }),
      await configured.evaluate(good),
    ]) {
      expect(answer.status).toBe(status)
      expect(answer.body).toEqual(rejection(type, status, expect.stringMatching(message)))
      expect(answer.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
    }
  })

  it.each([
    [400, 400],
    [413, 400],
    [401, 502],
    [404, 502],
    [503, 503],
    [529, 503],
    [599, 503],
  ])('upstream status %i as %i', async (upstream, status) => {
    const { evaluate } = evaluations(ruled({ status: upstream }))
    expect((await evaluate(good)).status).toBe(status)
  })
})
