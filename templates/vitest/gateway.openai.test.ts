import { expect, test } from 'gateway-sim/vitest'
import OpenAI from 'openai'

test('submits a video once', async ({ sim }) => {
  const client = new OpenAI(sim.sdk.openai())
  const { status } = await client.videos.create({ model: 'sora-2', prompt: 'a sunset' })
  expect(status).toBe('pending')
  await expect(sim).toHaveReceived('videos.create', { times: 1 })
})

// This test fails on purpose: the SDK retries after the lost response and creates a second video. To fix the
// client, turn off retries (`maxRetries: 0`) and look up the video in the list of videos.
test.scenario('scenarios/lost-response.yaml')('survives a lost response', async ({ sim }) => {
  const client = new OpenAI(sim.sdk.openai())
  await client.videos.create({ model: 'sora-2', prompt: 'a sunset' })
  await expect(sim).toBeWellBehaved()
})
