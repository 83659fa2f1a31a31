import Anthropic from '@anthropic-ai/sdk'
import { noul, TypeSafeClient } from '@typesafe-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { ask as askMessages } from './_anthropic.ts'
import { clientIntegrations, rejectionOf } from './_integrations.ts'
import { ask, only, openaiVia } from './_openai.ts'
import { begun, playing, playingByTheClock, statuses } from './_scenarios.ts'

const baseURL = 'http://gateway.test/v1'
const question = { model: 'gpt-4o', messages: ask('Are you there?') }

describe('overloaded-then-success', () => {
  it('@anthropic-ai/sdk tries twice again, and the third call is answered', async () => {
    const { sim, fetch, pass } = await playingByTheClock('overloaded-then-success')
    const answer = begun(
      new Anthropic({ apiKey: 'sk-test', baseURL: 'http://gateway.test', fetch }).messages.create(
        askMessages('Hello'),
      ),
    )
    // Its naps are 0.5 and 1 second, less up to a quarter by its own chance.
    await pass(500)
    await pass(1_000)
    expect((await answer).content).toMatchObject([{ type: 'text', text: 'Sorry for the wait.' }])
    expect(statuses(sim)).toEqual([529, 529, 200])
  })
})

describe.each(clientIntegrations)('quota-exhausted, through $name', (integration) => {
  it('openai obeys `x-should-retry: false` and does not try again', async () => {
    const sim = playing('quota-exhausted', { clock: 'manual' })
    const client = await openaiVia(integration, sim, { maxRetries: 2 })
    const error = await rejectionOf(client.chat.completions.create(question))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error).toMatchObject({ type: 'insufficient_quota' })
    expect(statuses(sim)).toEqual([429])
    sim.clock.advance('24h')
    expect(only(await client.chat.completions.create(question)).finish_reason).toBe('stop')
    expect(statuses(sim)).toEqual([429, 200])
  })
})

describe('connection-reset-then-success', () => {
  it.each(clientIntegrations)(
    'who tries only once sees an APIConnectionError, and its video exists, through $name',
    async (integration) => {
      const client = await openaiVia(integration, playing('connection-reset-then-success'))
      expect(await rejectionOf(client.videos.create({ prompt: 'a river' }))).toBeInstanceOf(
        OpenAI.APIConnectionError,
      )
      expect((await client.videos.list()).data).toMatchObject([{ status: 'pending' }])
    },
  )
})

interface Job {
  readonly id: string
  readonly status: number
}

describe.each(clientIntegrations)('request-hangs, through $name', (integration) => {
  it('openai gives up by its own time-out, and finds its video in the list', async () => {
    const client = await openaiVia(integration, playing('request-hangs'), { timeout: 50 })
    expect(await rejectionOf(client.videos.create({ prompt: 'a comet' }))).toBeInstanceOf(
      OpenAI.APIConnectionTimeoutError,
    )
    expect((await client.withOptions({ timeout: 10_000 }).videos.list()).data).toMatchObject([
      { status: 'pending' },
    ])
  })
})

describe.each(clientIntegrations)('proxy-error-page, through $name', (integration) => {
  it('openai has the status where there is no envelope, and throws a SyntaxError for half a body', async () => {
    const client = await openaiVia(integration, playing('proxy-error-page'))
    const error = await rejectionOf(client.chat.completions.create(question))
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ status: 502, error: undefined, message: expect.stringMatching(/^502 /) })
    expect(await rejectionOf(client.chat.completions.create(question))).toBeInstanceOf(SyntaxError)
    expect(only(await client.chat.completions.create(question)).finish_reason).toBe('stop')
  })
})

describe('image-job-ambiguous-submit', () => {
  it('500: openai tries again, and there are two jobs', async () => {
    const { sim, fetch, pass } = await playingByTheClock('image-job-ambiguous-submit-500')
    // Only the key that submitted the source may edit it.
    const client = new OpenAI({ apiKey: 'sk-scenario', baseURL, fetch })
    const answer = begun(client.post<Job>('/tob/variation', { body: { jobId: 'fox', imageNo: 2, type: 1 } }))
    await pass(500)
    const second = await answer
    expect(statuses(sim)).toEqual([500, 200])
    const [first] =
      /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(sim.journal()[0]?.response?.body?.text ?? '') ?? []
    expect(first).not.toBe(second.id)
    expect([
      await client.get<Job>(`/tob/job/${first}`),
      await client.get<Job>(`/tob/job/${second.id}`),
    ]).toMatchObject([{ status: 1 }, { status: 1 }])
  })
})

describe('decision evaluation', () => {
  const evaluation = { state: 'It rains.', questions: { wet: noul('Is the street wet?') } }

  it('@typesafe-ai/sdk asks again where the usage was missing', async () => {
    const { sim, fetch, pass } = await playingByTheClock('decision-without-usage')
    const client = new TypeSafeClient({
      apiKey: 'sk-test',
      baseURL: 'http://gateway.test',
      fetch: fetch as (input: string, init?: RequestInit) => Promise<Response>,
    })
    const answer = begun(client.systemOne(evaluation))
    await pass(1_000)
    expect((await answer).answers.wet.type).toBe('noul')
    expect(statuses(sim)).toEqual([502, 200])
  })
})
