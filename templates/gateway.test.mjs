import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientReportText, createSimulator } from 'gateway-sim'
import { connect } from 'gateway-sim/client'

// In CI, `gateway-sim exec` starts a server, whose report shows the requests of each test.
const { GATEWAY_SIM_URL: url } = process.env
const simulator = url ? connect(url) : createSimulator()

/** A stand-in for your client: replace it. */
async function callGateway(sim) {
  const submit = () =>
    sim.fetch('/v1/videos', {
      method: 'POST',
      headers: { ...sim.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sora-2', prompt: 'a sunset' }),
    })
  await submit().catch(submit)
}

test('submits a video once', async () => {
  const sim = await simulator.createSession({ title: 'submits a video once' })
  await callGateway(sim)
  await sim.verify({ requests: 'videos.create', times: 1 })
})

// This test fails on purpose: the client retries after the lost response and creates a second video. To fix
// it, look up the video in the list of videos (GET /v1/videos) instead of submitting it again.
test('survives a lost response', async () => {
  const scenarios = ['scenarios/lost-response.yaml']
  const sim = await simulator.createSession({ title: 'survives a lost response', scenarios })
  await callGateway(sim)
  const report = await sim.clientReport()
  assert.ok(report.ok, clientReportText(report))
})
