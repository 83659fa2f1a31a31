import { expect, type TestSession, test } from 'gateway-sim/vitest'

/** A stand-in for your client: replace it. */
async function callGateway(sim: TestSession) {
  const submit = () =>
    sim.fetch('/v1/videos', {
      method: 'POST',
      headers: { ...sim.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sora-2', prompt: 'a sunset' }),
    })
  await submit().catch(submit)
}

test('submits a video once', async ({ sim }) => {
  await callGateway(sim)
  await expect(sim).toHaveReceived('videos.create', { times: 1 })
})

// This test fails on purpose: the client retries after the lost response and creates a second video. To fix
// it, look up the video in the list of videos (GET /v1/videos) instead of submitting it again.
test.scenario('scenarios/lost-response.yaml')('survives a lost response', async ({ sim }) => {
  await callGateway(sim)
  await expect(sim).toBeWellBehaved()
})
