/** Tests as a project would write them, with a simulator in their own process; all of them pass. */
import { expect, test } from '../../../src/vitest.ts'
import { ask } from './_client.ts'

test('a session is at no real address', ({ sim }) => {
  expect(sim.baseUrl).toBe(`http://gateway.sim/s/${sim.id}`)
})

test('a matcher answers at once, awaited or not', async ({ sim }) => {
  await ask(sim, 'Hello')
  expect(() => expect(sim).toHaveReceived('videos.create')).toThrow(
    'Expected videos.create at least once, got none.',
  )
})

test('the simulator is at hand', ({ sim, simulator }) => {
  expect(simulator.core.sessions.find(sim.id)).toBeDefined()
})
