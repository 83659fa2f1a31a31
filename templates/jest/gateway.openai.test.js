const { clientReportText, createSimulator } = require('gateway-sim')
const OpenAI = require('openai')

/** A stand-in for your client: replace it. */
function submitVideo(sim) {
  const client = new OpenAI({ baseURL: 'http://gateway.test/v1', apiKey: 'sk-test', fetch: sim.fetch })
  return client.videos.create({ model: 'sora-2', prompt: 'a sunset' })
}

test('submits a video once', async () => {
  const sim = createSimulator()
  const video = await submitVideo(sim)
  expect(video.status).toBe('pending')
  sim.verify({ requests: 'videos.create', times: 1 })
})

// This test fails on purpose: the SDK retries after the lost response and creates a second video. To fix the
// client, turn off retries (`maxRetries: 0`) and look up the video in the list of videos.
test('survives a lost response', async () => {
  const sim = createSimulator({ scenarios: ['scenarios/lost-response.yaml'] })
  await submitVideo(sim)
  const report = sim.clientReport()
  if (!report.ok) throw new Error(clientReportText(report))
})
