async function callGateway(sim) {
  const submit = () =>
    sim.fetch('/v1/videos', {
      method: 'POST',
      headers: { ...sim.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sora-2', prompt: 'a sunset' }),
    })
  await submit().catch(submit)
}

// This test fails on purpose: the client retries after the lost response and creates a second video. To fix
// it, look up the video in the list of videos (GET /v1/videos) instead of submitting it again.

// Expected requests: videos.create, 1
