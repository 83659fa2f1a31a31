/** Simulators that play a file of scenarios/, and clients whose naps are let go by the test. */
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Simulator, SimulatorOptions } from '../../src/index.ts'
import { simulator } from '../_setup.ts'

/**
 * A simulator with a story of the library: `playing('rate-limit-then-success')`. Nobody moves its clock
 * unless the test says otherwise.
 */
export function playing(story: string, options: SimulatorOptions = {}): ReturnType<typeof simulator> {
  return simulator({
    clock: 'auto',
    scenarios: [join(import.meta.dirname, '../../scenarios', `${story}.yaml`)],
    ...options,
  })
}

/** The same on a clock that the test moves together with the timers that a client naps by. */
export async function playingByTheClock(story: string): Promise<{
  readonly sim: ReturnType<typeof simulator>
  pass(ms: number): Promise<void>
  readonly fetch: typeof fetch
}> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sim = playing(story, { clock: 'manual' })
  await sim.preload()
  return {
    sim,
    fetch: sim.fetch as typeof fetch,
    // The clock first: who wakes at a time finds it there.
    async pass(ms) {
      sim.clock.advance(ms)
      await vi.advanceTimersByTimeAsync(ms)
    },
  }
}

/** The statuses of all calls; 0 is a connection that was reset. */
export function statuses(sim: Simulator): number[] {
  return sim.journal().map(({ response }) => response?.status ?? 0)
}

/** A promise that may be rejected before anybody looks. */
export function begun<T>(promise: PromiseLike<T>): Promise<T> {
  const answer = Promise.resolve(promise)
  answer.catch(() => undefined)
  return answer
}
