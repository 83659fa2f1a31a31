import { expect, test } from 'gateway-sim/vitest'

/** A stand-in for your client. */
async function submitVideo(fetch: typeof globalThis.fetch, authorization: string) {
  const submit = async () => {
    const response = await fetch('http://gateway.test/v1/videos', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sora-2', prompt: 'a sunset' }),
    })
    return await response.json()
  }
  return submit().catch(submit)
}

test('submits a video once', async ({ sim }) => {
  const video = await submitVideo(sim.fetch, sim.headers.authorization)
  expect(video.status).toBe('pending')
  await expect(sim).toHaveReceived('videos.create', { times: 1 })
})

// This test fails on purpose: the client retries after the lost response and creates a second video. To fix
// it, look up the video in the list of videos (GET /v1/videos) instead of submitting it again.
test.scenario('scenarios/lost-response.yaml')('survives a lost response', async ({ sim }) => {
  await submitVideo(sim.fetch, sim.headers.authorization)
  await expect(sim).toBeWellBehaved()
})
