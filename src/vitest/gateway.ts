/**
 * Where the sessions of tests come from: one simulator in this process, or a server that is there already.
 */
import { connect } from '../client.ts'
import { createSimulator, type Simulator, type SimulatorOptions } from '../index.ts'
import type { SessionOptions } from '../sessions/options.ts'
import type { Judged } from './matchers.ts'
import { asSent, asSource } from './scenario-source.ts'
import { localSession, remoteSession, type TestScenario, type TestSession } from './test-session.ts'

/** What a session is opened with. */
export interface OpenRequest {
  readonly name: string
  readonly options: Omit<SessionOptions, 'name' | 'scenarios' | 'ttl'>
  readonly scenarios: readonly TestScenario[]
}

export interface OpenSession {
  readonly session: TestSession
  /** Who answers matchers without waiting; undefined for a server. */
  readonly atOnce: Judged | undefined
  dispose(): Promise<void>
}

export interface Gateway {
  /** The simulator in this process. Throws when there is none. */
  simulator(): Simulator
  open(request: OpenRequest): Promise<OpenSession>
  close(): Promise<void>
}

/** The most tests of one name that may run at once. */
const maxOfOneName = 100

/** A simulator in this process. */
export function localGateway(options: SimulatorOptions): Gateway {
  const simulator = createSimulator(options)
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
        session: localSession(session, asSource),
        atOnce: session,
        dispose: async () => session.dispose(),
      }
    },
    close: () => simulator.close(),
  }
}

/** A server. Throws for options, which only a simulator that is made here can have. */
export function remoteGateway(url: string, token: string | undefined, options: SimulatorOptions): Gateway {
  const [given] = Object.keys(options)
  if (given !== undefined)
    throw new Error(
      [
        `simulatorOptions.${given} cannot be applied to a running server (GATEWAY_SIM_URL is`,
        `${url}): start the server with it, or leave GATEWAY_SIM_URL out`,
      ].join(' '),
    )
  const client = connect(url, token === undefined ? {} : { token })
  return {
    simulator() {
      throw new Error(
        [
          `There is no simulator in this process (GATEWAY_SIM_URL is ${url}): use \`sim\`, or leave`,
          'GATEWAY_SIM_URL out',
        ].join(' '),
      )
    },
    async open({ name, options: own, scenarios }) {
      // What a run that was killed has left behind does not stay for ever.
      const session = await underFreeName(name, (free) =>
        client.createSession({
          ...own,
          name: free,
          ttl: '1h',
          ...(scenarios.length === 0 ? {} : { scenarios: scenarios.map(asSent) }),
        }),
      )
      return { session: remoteSession(session, asSent), atOnce: undefined, dispose: () => session.dispose() }
    },
    close: async () => {},
  }
}

// Tests of one name may run at once, here or in another run against the same server: neither takes the world
// of the other.
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
 * Whether the session was refused (409) because there is one of that name, by a server or in this process.
 */
function saysTaken(error: unknown): boolean {
  const { status, cause } = error as { status?: unknown; cause?: { options?: { status?: unknown } } }
  return status === 409 || cause?.options?.status === 409
}
