/** Tests as a project would write them, with a simulator in their own process; all of them pass. */
import { expect, test } from '../../../src/vitest.ts'

test('a session has no real URL', ({ sim }) => {
  expect(sim.baseUrl).toBe(`http://gateway.sim/s/${sim.name}`)
})

test('the simulator is accessible', ({ sim, simulator }) => {
  expect(simulator.core.sessions.find(sim.name)).toBeDefined()
})
