/**
 * The source of test sessions: one simulator in this process, or a running server.
 */
import { fileURLToPath } from 'node:url'
import { createCaller } from '../client/remote.ts'
import { connect } from '../client.ts'
import type { ScenarioInput } from '../generated/scenario-types.ts'
import { createSimulator, type Simulator, type SimulatorOptions } from '../index.ts'
import { Scenario } from '../scenario/load/scenario.ts'
import type { ScenarioSource } from '../scenario/load/scenario-set.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import type { ScenarioText, SessionOptions } from '../sessions/options.ts'
import type { SavedTrace } from '../trace/trace.ts'
import { type TestScenario, type TestSession, testSession } from './test-session.ts'

/** The options of a test session. */
export interface OpenRequest {
  readonly name: string
  readonly options: Omit<SessionOptions, 'name' | 'title' | 'scenarios' | 'ttl'>
  readonly scenarios: readonly TestScenario[]
}

export interface OpenSession {
  readonly session: TestSession
  /** The requests since the last reset, with everything that the page shows of them but media. */
  trace(): Promise<SavedTrace>
  dispose(): Promise<void>
}

export interface Gateway {
  /** The simulator in this process. Throws if there is none. */
  simulator(): Simulator
  open(request: OpenRequest): Promise<OpenSession>
  close(): Promise<void>
}

/** The maximum number of concurrent tests with the same name. */
const maxOfOneName = 100

/** A simulator in this process. */
export function localGateway(options: SimulatorOptions): Gateway {
  // Read at each use: a test may fake it.
  const simulator = createSimulator({ wallClock: () => Date.now(), ...options })
  return {
    simulator: () => simulator,
    async open({ name, options: own, scenarios }) {
      const session = await underFreeName(name, (free) =>
        simulator.createSession({
          ...own,
          name: free,
          ...(scenarios.length === 0 ? {} : { scenarios: scenarios.map(asSource) }),
        }),
      )
      return {
        session: testSession(session, asSource),
        async trace() {
          const { collectTrace } = await import('../trace/collect-trace.ts')
          const { core } = simulator
          const sessions = [core.sessions.get(session.name)]
          return collectTrace([{ sessions, parts: core }], { savedAt: core.wall() })
        },
        dispose: async () => session.dispose(),
      }
    },
    close: () => simulator.close(),
  }
}

/** A server. Throws for simulator options, which a running server cannot apply. */
export function remoteGateway(url: string, token: string | undefined, options: SimulatorOptions): Gateway {
  const [given] = Object.keys(options)
  if (given !== undefined)
    throw new Error(
      `simulatorOptions.${given} cannot be applied to a running server (GATEWAY_SIM_URL is ` +
        `${url}): start the server with this option, or unset GATEWAY_SIM_URL`,
    )
  const client = connect(url, token === undefined ? {} : { token })
  return {
    simulator() {
      throw new Error(
        `There is no simulator in this process (GATEWAY_SIM_URL is ${url}): use \`sim\`, or ` +
          'unset GATEWAY_SIM_URL',
      )
    },
    async open({ name, options: own, scenarios }) {
      const session = await underFreeName(name, (free) =>
        client.createSession({
          ...own,
          name: free,
          ...(scenarios.length === 0 ? {} : { scenarios: scenarios.map(asSent) }),
        }),
      )
      return {
        session: testSession(session, asSent),
        trace: async () =>
          (await createCaller(client.baseUrl, { token }).call('GET', '/trace', {
            session: session.name,
          })) as SavedTrace,
        dispose: () => session.dispose(),
      }
    },
    close: async () => {},
  }
}

// Tests with the same name may run concurrently, here or in another run against the same server: each gets a
// separate session.
async function underFreeName<Session>(
  name: string,
  make: (name: string) => Session | Promise<Session>,
): Promise<Session> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await make(attempt === 1 ? name : `${name}-${attempt}`)
    } catch (error) {
      if (!saysTaken(error) || attempt === maxOfOneName) throw error
    }
  }
}

/**
 * Whether a session was rejected (409) because its name is taken, by a server or in this process.
 */
function saysTaken(error: unknown): boolean {
  const { status, cause } = error as { status?: unknown; cause?: { options?: { status?: unknown } } }
  return status === 409 || cause?.options?.status === 409
}

/** The scenario of a test, for a simulator in this process. */
function asSource(scenario: TestScenario): ScenarioSource | ScenarioText {
  return scenario instanceof URL ? fileURLToPath(scenario) : scenario
}

/** The scenario of a test, for a server. Throws `ScenarioError` for a scenario that cannot be sent. */
function asSent(scenario: TestScenario): string | ScenarioInput | ScenarioText {
  const source = asSource(scenario)
  if (source instanceof Scenario)
    throw new ScenarioError(
      `${source.name}: a result of loadScenario cannot be sent to a server ` +
        '(GATEWAY_SIM_URL is set): pass a path or a URL',
    )
  return source
}
