import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulator } from 'gateway-sim'

test('lists models', async () => {
  const sim = createSimulator()
  const { status } = await sim.fetch('http://gateway.test/v1/models', {
    headers: { authorization: 'Bearer sk-test' },
  })
  assert.equal(status, 200)
})
