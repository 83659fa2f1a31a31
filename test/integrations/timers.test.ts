/** Requests in-process leave the timers of a test runner their turn. */
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

it('lets timers fire while a client polls without a pause', async () => {
  const sim = createSimulator()
  let isTimedOut = false
  setTimeout(() => {
    isTimedOut = true
  }, 0)
  let polls = 0
  while (!isTimedOut && polls < 1000) {
    await (await sim.fetch('/v1/models')).text()
    polls++
  }
  expect(isTimedOut).toBe(true)
})
