/** The @typesafe-ai/sdk package as it is, told nothing but an address or a `fetch`. */
import {
  type APIError,
  AuthenticationError,
  BadRequestError,
  choice,
  InternalServerError,
  noul,
  RateLimitError,
  score,
  TypeSafeClient,
  type TypeSafeClientConfig,
} from '@typesafe-ai/sdk'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, rejectionOf } from './_integrations.ts'

/**
 * Opens an integration and makes clients behind it. They do not retry unless the test says so: a rejection must
 * be seen, not slept over.
 */
async function clientsVia(
  integration: Integration,
  sim: Simulator,
): Promise<(config?: TypeSafeClientConfig) => TypeSafeClient> {
  const { fetch, url } = await integration.open(sim)
  // Over HTTP and under msw the client keeps the fetch that it would use anyway.
  const own =
    integration.name === 'fetch'
      ? { fetch: fetch as (input: string, init?: RequestInit) => Promise<Response> }
      : {}
  return (config = {}) =>
    new TypeSafeClient({ apiKey: 'sk-test', baseURL: url, retry: { maxRetries: 0 }, ...own, ...config })
}

const state = { document: 'A billing problem: I was charged twice. This is urgent.' }
const questions = {
  category: choice('What is this ticket about?', { billing: null, technical: null, other: null }),
  urgency: score('How urgent is this?', ['low', 'medium', 'high']),
  billing: noul('Is this about billing?'),
  bare: noul(),
}

describe.each([...clientIntegrations, mswIntegration])('@typesafe-ai/sdk through $name', (integration) => {
  it('gets answers of the types of its questions', async () => {
    const client = (await clientsVia(integration, simulator()))()
    const { model, answers, usage } = await client.systemOne({ state, questions })
    expect(model).toBe('jev-latest')
    expectTypeOf(answers.category.choice).toEqualTypeOf<'billing' | 'technical' | 'other'>()
    expect(answers.category).toMatchObject({ type: 'choice', choice: 'billing' })
    expect(answers.urgency).toMatchObject({ type: 'score', legend: { 0: 'low', 1: 'medium', 2: 'high' } })
    expect(answers.urgency.score).toBeGreaterThan(1)
    expect(answers.billing.noul).toBeGreaterThan(0.5)
    expect(answers.bare.type).toBe('noul')
    expect(usage.input_tokens).toBeGreaterThan(20)
    expect(usage.output_tokens).toBeGreaterThanOrEqual(4 * 17)
  })

  it('lists the models of the catalogue', async () => {
    const client = (
      await clientsVia(
        integration,
        simulator({ settings: { models: { systemone: ['jev-latest', 'jev-2'] } } }),
      )
    )()
    expect(await client.models.list()).toEqual(
      ['jev-latest', 'jev-2'].map((name) => ({
        name,
        description: expect.any(String),
        release_date: '2025-01-01',
      })),
    )
  })

  it.each([
    ['upstream-422', BadRequestError, 400, /^400 The upstream rejected the request parameters/],
    ['upstream-429', RateLimitError, 429, /^429 The upstream rate limit was reached/],
    ['upstream-5xx', InternalServerError, 503, /^503 The provider is unavailable/],
    ['missing-usage', InternalServerError, 502, /^502 The upstream returned no valid `usage`/],
    ['invalid-usage', InternalServerError, 502, /^502 The upstream returned no valid `usage`/],
  ])('reads the rejection of %s', async (word, kind, status, message) => {
    const client = (await clientsVia(integration, simulator()))()
    const error = await rejectionOf(client.systemOne({ model: `sim-${word}`, state, questions }))
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({
      status,
      message: expect.stringMatching(message),
      requestId: expect.stringMatching(/^req_/),
    })
    if (error instanceof RateLimitError) expect(error.retryAfterMs).toBe(1000)
  })

  it('reads a rejection of its parameters, and of its key', async () => {
    const sim = simulator()
    const connect = await clientsVia(integration, sim)
    const wrong = await rejectionOf(connect().systemOne({ state: null, questions }))
    expect(wrong).toBeInstanceOf(BadRequestError)
    expect((wrong as APIError).message).toBe(
      '400 `state`: expected a string, an object or an array, got null.',
    )
    const stranger = await rejectionOf(connect({ apiKey: 'sk-invalid' }).systemOne({ state, questions }))
    expect(stranger).toBeInstanceOf(AuthenticationError)
    expect((stranger as APIError).message).toMatch(/^401 Incorrect API key provided/)
  })
})
