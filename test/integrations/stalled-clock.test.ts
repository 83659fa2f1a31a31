/** The warning for a client that waits on virtual time that nobody moves. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { jsonCall, simulator } from '../_setup.ts'

type Sim = ReturnType<typeof simulator>

const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }

describe('a client that waits on a clock that is not advanced', () => {
  const stream = (sim: Sim, model = 'gpt-4o'): Promise<Response> =>
    sim.fetch('http://gateway.test/v1/chat/completions', jsonCall({ ...question, model, stream: true }))

  const withFakeTimers = async (clock: 'manual' | 'auto' | 'real' = 'manual'): Promise<Sim> => {
    const sim = simulator({ clock })
    await sim.preload()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    return sim
  }

  it('causes a warning after two seconds that says how to advance it', async () => {
    const sim = await withFakeTimers()
    await stream(sim)
    vi.advanceTimersByTime(1999)
    expect(sim.warnings).toEqual([])
    vi.advanceTimersByTime(1)
    expect(sim.warnings).toEqual([
      "a request to /v1/chat/completions is waiting for a frozen clock: advance the clock (sim.clock.advance('1s'), POST /__sim/clock/advance), or use the clock mode auto",
    ])
    vi.advanceTimersByTime(60_000)
    expect(sim.warnings).toHaveLength(1)
  })

  const quiet: Record<string, (sim: Sim) => Promise<unknown>> = {
    'when somebody moves the clock': async (sim) => {
      await stream(sim)
      sim.clock.advance('1ms')
    },
    'when the stream is over': async (sim) => {
      const response = await stream(sim)
      sim.clock.advance('1m')
      await response.text()
    },
    'when the client has left': async (sim) => (await stream(sim)).body?.cancel(),
    'when a fault holds the stream and no clock would bring the rest': async (sim) => {
      await stream(sim, 'sim-stall-after-0')
    },
  }
  for (const [name, act] of Object.entries(quiet)) {
    it(`causes none ${name}`, async () => {
      const sim = await withFakeTimers()
      await act(sim)
      vi.advanceTimersByTime(10_000)
      expect(sim.warnings).toEqual([])
    })
  }

  it('causes none in auto, where nothing waits', async () => {
    const sim = await withFakeTimers('auto')
    await stream(sim, 'sim-stall-after-2')
    vi.advanceTimersByTime(10_000)
    expect(sim.warnings).toEqual([])
  })
})
