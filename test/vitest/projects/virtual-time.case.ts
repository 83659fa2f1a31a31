/** Tests whose client and gateway share one virtual time; all of them pass, without waiting. */
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { describe, vi } from 'vitest'
import { expect, type TestSession, test } from '../../../src/vitest.ts'

test.override({ clientTime: 'virtual' })

const messages = [{ role: 'user' as const, content: 'Hello' }]
const hang = (when: { readonly operation: string; readonly nth?: number }) => ({
  title: 'the gateway hangs',
  rules: [{ when: when as { operation: 'chat.create' }, then: { fault: 'hang' as const } }],
})

/** The seconds between the requests of a test. */
async function pauses(sim: TestSession): Promise<number[]> {
  const times = (await sim.journal()).map(({ at }) => Date.parse(at))
  return times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1000)
}

describe('an SDK that waits ten minutes', () => {
  test.scenario(hang({ operation: 'chat.create' }))('openai gives up', async ({ sim }) => {
    const startedAt = Date.now()
    const client = new OpenAI({ ...sim.sdk.openai(), maxRetries: 0 })
    await expect(client.chat.completions.create({ model: 'gpt-4o', messages })).rejects.toThrow('timed out')
    expect(Date.now() - startedAt).toBe(600_000)
  })

  test.scenario(hang({ operation: 'messages.create', nth: 1 }))('anthropic tries again', async ({ sim }) => {
    const client = new Anthropic(sim.sdk.anthropic())
    const message = await client.messages.create({ model: 'claude-sonnet-4-5', max_tokens: 10, messages })
    expect(message.type).toBe('message')
    const [pause = 0] = await pauses(sim)
    expect(pause).toBeGreaterThanOrEqual(600)
    expect(pause).toBeLessThan(602)
  })
})

test.scenario({
  title: 'two requests are too many',
  rules: [
    {
      when: { operation: 'chat.create', nth: [1, 2] },
      then: { fault: { kind: 'rate-limit', retryAfter: '30s' } },
    },
  ],
})('ai waits as long as `retry-after` says', async ({ sim }) => {
  const openai = createOpenAI(sim.sdk.openai() as object)
  const { text } = await generateText({ model: openai.chat('gpt-4o'), prompt: 'Hello' })
  expect(text).not.toBe('')
  expect(await pauses(sim)).toEqual([30, 30])
})

test('a job ends while its client polls', async ({ sim }) => {
  const { videos } = new OpenAI(sim.sdk.openai())
  let video = await videos.create({ model: 'sora-2', prompt: 'a sunset' })
  while (!['completed', 'failed'].includes(video.status)) {
    await new Promise((resolve) => setTimeout(resolve, 10_000))
    video = await videos.retrieve(video.id)
  }
  expect(video.status).toBe('completed')
  await expect(sim).toHaveReceived('videos.retrieve', { atMost: 1, within: '9s' })
})

test('one advance moves the timers and the clock', async ({ sim }) => {
  let fired = 0
  setInterval(() => fired++, 60_000)
  const [client, gateway] = [Date.now(), await sim.clock.now()]
  await sim.clock.advance('10m')
  expect(Date.now() - client).toBeGreaterThanOrEqual(600_000)
  expect((await sim.clock.now()) - gateway).toBe(Date.now() - client)
  expect(fired).toBeGreaterThanOrEqual(10)
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await sim.clock.now()) - gateway).toBe(Date.now() - client)
  await expect(sim.clock.advance({ to: 'idle' })).rejects.toThrow("expected a duration such as '10s'")
})

test('AbortSignal.timeout is in virtual time', async ({ sim }) => {
  await sim.scenarios.add(hang({ operation: 'models.list' }))
  const signal = AbortSignal.timeout(3_600_000)
  await expect(sim.fetch(`${sim.baseUrl}/v1/models`, { signal, headers: sim.headers })).rejects.toThrow(
    'timeout',
  )
})
