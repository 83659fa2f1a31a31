import { expect, test } from 'gateway-sim/vitest'
import OpenAI from 'openai'
import { answer, show, submitVideo } from './assistant.js'

const busy = { error: { status: 503, retryAfter: '10ms' } }

test.scenario({
  title: 'The gateway is busy twice',
  rules: [{ when: { operation: 'chat.create' }, then: { sequence: [busy, busy, { text: 'Paris' }] } }],
})('retries until the gateway answers', async ({ sim }) => {
  expect(await answer(new OpenAI(sim.sdk.openai()), 'What is the capital of France?')).toBe('Paris')
  await expect(sim).toHaveReceived('chat.create', { status: 503, times: 2 })
})

test.scenario({
  title: 'The connection breaks in the middle of a stream',
  rules: [
    {
      when: { operation: 'chat.create', body: { stream: true } },
      then: { stream: { script: [{ text: 'The capital is' }, { fault: 'disconnect' }] } },
    },
  ],
})('marks a broken answer as incomplete', async ({ sim }) => {
  const shown = await show(new OpenAI(sim.sdk.openai()), 'What is the capital of France?')
  expect(shown).toEqual({ text: 'The capital is', complete: false })
})

test.scenario({
  title: 'The connection is reset after the video was accepted',
  rules: [{ when: { operation: 'videos.create', times: 1 }, then: { fault: 'reset' } }],
})('submits a video once', async ({ sim }) => {
  const id = await submitVideo(new OpenAI(sim.sdk.openai()), 'a sunset')
  await expect(sim).toBeWellBehaved()
  expect((await sim.jobs.list()).jobs.map((job) => job.id)).toEqual([id])
})
