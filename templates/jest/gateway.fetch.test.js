const { clientReportText, createSimulator } = require('gateway-sim')

/** A stand-in for your client: replace it. */
function submitVideo(sim) {
  const submit = async () => {
    const response = await sim.fetch('http://gateway.test/v1/videos', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sora-2', prompt: 'a sunset' }),
    })
    return response.json()
  }
  return submit().catch(submit)
}

test('submits a video once', async () => {
  const sim = createSimulator()
  const video = await submitVideo(sim)
  expect(video.status).toBe('pending')
  sim.verify({ requests: 'videos.create', times: 1 })
})

// This test fails on purpose: the client retries after the lost response and creates a second video. To fix
// it, look up the video in the list of videos (GET /v1/videos) instead of submitting it again.
test('survives a lost response', async () => {
  const sim = createSimulator({ scenarios: ['scenarios/lost-response.yaml'] })
  await submitVideo(sim)
  const report = sim.clientReport()
  if (!report.ok) throw new Error(clientReportText(report))
})
