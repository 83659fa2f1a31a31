/**
 * Tests as a project would write them, with a simulator on a server; each of them must fail, but for the
 * first.
 */
import { expect, test } from '../../../src/vitest.ts'
import { ask } from './_client.ts'

test('a session has the URL of the server', async ({ sim }) => {
  expect(sim.baseUrl).toBe(`${process.env['GATEWAY_SIM_URL']}/s/${sim.name}`)
  expect(await ask(sim, 'Reply with exactly: pong')).toBe('pong')
})

test('a remote simulator', ({ simulator }) => {
  expect(simulator).toBeDefined()
})

test.extend(
  'simulatorOptions',
  { scope: 'worker' },
  { strict: true },
)('options for a running simulator', ({ sim }) => {
  expect(sim).toBeDefined()
})
