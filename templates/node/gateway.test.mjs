import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientReportText, createSimulator } from 'gateway-sim'

// imports

/** A stand-in for your client: replace it. */
// client

test('PASSING', async () => {
  const sim = createSimulator().createSession()
  await callGateway(sim)
  sim.verify({ requests: 'OPERATION', times: TIMES })
})

// reason
test('FAILING', async () => {
  const sim = createSimulator().createSession({ scenarios: ['scenarios/SCENARIO.yaml'] })
  await callGateway(sim)
  const report = sim.clientReport()
  assert.ok(report.ok, clientReportText(report))
})
