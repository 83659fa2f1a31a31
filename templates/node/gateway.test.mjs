import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientReportText, createSimulator } from 'gateway-sim'
import { connect } from 'gateway-sim/client'

// imports

// In CI, `gateway-sim exec` starts a server, whose report shows the requests of each test.
const { GATEWAY_SIM_URL: url } = process.env
const simulator = url ? connect(url) : createSimulator()

/** A stand-in for your client: replace it. */
// client

test('PASSING', async () => {
  const sim = await simulator.createSession({ title: 'PASSING' })
  await callGateway(sim)
  await sim.verify({ requests: 'OPERATION', times: TIMES })
})

// reason
test('FAILING', async () => {
  const scenarios = ['scenarios/SCENARIO.yaml']
  const sim = await simulator.createSession({ title: 'FAILING', scenarios })
  await callGateway(sim)
  const report = await sim.clientReport()
  assert.ok(report.ok, clientReportText(report))
})
