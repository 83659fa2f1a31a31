/**
 * The client's time and the gateway's as one: vitest's fake timers drive the session's clock. Time goes on by
 * itself, to the next timer, while the test only waits.
 */
import { inspect } from 'node:util'
import type { vi } from 'vitest'
import { defaultStart } from '../engine/clock.ts'
import { parseDuration } from '../engine/duration.ts'
import type { Simulator } from '../index.ts'
import type { TestSession } from './test-session.ts'

const faked = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const

/** The turns of the event loop without a new timer or request after which a test only waits. */
const quietTurns = 12

type Advance = TestSession['clock']['advance']

interface VirtualTime {
  /** The session, whose `clock.advance` advances the timers as well. */
  tie(session: TestSession): TestSession
  stop(): void
}

/** Fakes the timers of this process. */
export function startVirtualTime(timers: typeof vi, core: Simulator['core']): VirtualTime {
  const { setTimeout: sleep } = globalThis
  const { timeout } = AbortSignal
  let isOver = false
  let isAdvancing = false
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const state = (): string => {
    const calls = core.sessions.all().map(({ sandbox }) => sandbox.journal.total)
    return [timers.getTimerCount(), ...calls].join()
  }
  const isQuiet = async (): Promise<boolean> => {
    const before = state()
    for (let count = 0; count < quietTurns; count++) await turn()
    await core.settled()
    return state() === before && !isOver && !isAdvancing
  }
  const goOn = async (): Promise<void> => {
    while (!isOver)
      if (!timers.isFakeTimers() || timers.getTimerCount() === 0)
        await new Promise((resolve) => sleep(resolve, 1))
      else if (await isQuiet()) await timers.advanceTimersToNextTimerAsync()
  }
  timers.useFakeTimers({ toFake: [...faked], now: defaultStart })
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController()
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    setTimeout(() => controller.abort(reason), ms)
    return controller.signal
  }
  void goOn()
  const advance = async (given: Parameters<Advance>[0]): Promise<void> => {
    const ms = parseDuration(typeof given === 'object' ? given.by : given)
    if (ms === undefined)
      throw new TypeError(
        `clock.advance, with clientTime: 'virtual': expected a duration such as '10s', got ${inspect(given)}`,
      )
    isAdvancing = true
    await timers.advanceTimersByTimeAsync(ms).finally(() => {
      isAdvancing = false
    })
  }
  return {
    tie({ clock, ...session }) {
      const tied: Advance = (by) => advance(by).then(() => clock.advance(0))
      return { ...session, clock: { ...clock, advance: tied } }
    },
    stop() {
      isOver = true
      AbortSignal.timeout = timeout
      timers.useRealTimers()
    },
  }
}
