/** A simulator at a URL, for replay: each scenario gets a session there, whose clock the steps advance. */
import { connect, type SimulatorClient } from '../client.ts'
import { jsonIn } from '../engine/fields.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { type Clockwork, rest, VirtualPacer } from './pacer.ts'
import { serverTarget, type Target } from './target.ts'

/** The timeout of control calls, in real milliseconds. */
const controlTimeout = 10_000
/** A simulator that has had no activity for this long has nothing more to send, in real milliseconds. */
const stillness = 2000
const pollInterval = 15

const boundedFetch: typeof fetch = (url, init) =>
  fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(controlTimeout) })

/** The simulator at a URL; undefined if the server is not one, or does not respond. */
export async function simulatorAt(
  base: string,
  token: string | undefined,
): Promise<SimulatorClient | undefined> {
  try {
    // Without the token: the server may not be a simulator.
    const health = await connect(base, { fetch: boundedFetch }).health()
    if (typeof health.session !== 'string') return undefined
  } catch {
    return undefined
  }
  return connect(base, { token, fetch: boundedFetch })
}

/** Loads a scenario into a new session. Rejects with `ControlError` if the simulator rejects it. */
export async function openSession(
  simulator: SimulatorClient,
  scenario: Scenario,
  clock: 'auto' | 'manual',
): Promise<{ readonly target: Target; readonly session: SimulatorClient }> {
  const { steps: _, ...written } = jsonIn(JSON.stringify(scenario.written)) as Record<string, unknown>
  const session = await simulator.createSession({
    clock,
    inheritScenarios: false,
    scenarios: [written as never],
  })
  const pacer = new VirtualPacer(await clockOf(session))
  const name = `${simulator.baseUrl} (gateway-sim, ${clock} clock)`
  return { target: { ...serverTarget({ base: session.baseUrl, pacer }), name }, session }
}

async function clockOf({ clock }: SimulatorClient): Promise<Clockwork> {
  let now = await clock.now()
  return {
    now: () => now,
    quiet: () => rest(pollInterval),
    async nextResponse(isWaiting) {
      // A request in transit does not wait for the clock yet.
      for (let waited = 0; waited <= stillness && isWaiting(); waited += pollInterval) {
        const { next, pending } = await clock.state()
        if (pending > 0 && next !== null) return Date.parse(next)
        await rest(pollInterval)
      }
      return undefined
    },
    async advanceTo(at) {
      // The responses that this releases arrive before the response to this call.
      now = at
      const { now: reached, fired } = await clock.advance({ to: at })
      now = Date.parse(reached)
      return fired
    },
  }
}
