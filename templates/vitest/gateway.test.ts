import { expect, type TestSession, test } from 'gateway-sim/vitest'

// imports

/** A stand-in for your client: replace it. */
// client

test('PASSING', async ({ sim }) => {
  await callGateway(sim)
  await expect(sim).toHaveReceived('OPERATION', { times: TIMES })
})

// reason
test.scenario('scenarios/SCENARIO.yaml')('FAILING', async ({ sim }) => {
  await callGateway(sim)
  await expect(sim).toBeWellBehaved()
})
