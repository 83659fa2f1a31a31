/** The test of vitest with a session of the simulator in it: its own for each test, of one simulator that the tests of a worker share. */
import { fileURLToPath } from 'node:url'
import { test as plainTest, type TestAPI } from 'vitest'
import { createSimulator, type ScenarioSource, type SessionRequest, type Simulator, type SimulatorOptions } from '../index.ts'
import { complaintsOf, type FailOn } from './complaints.ts'
import { sessionName } from './session-name.ts'
import { localSession, type TestSession } from './test-session.ts'
import { watchSession } from './watched-session.ts'

/** A scenario as a test may name it; a relative path is looked for where vitest was started. */
export type TestScenario = ScenarioSource | URL

/** What a test is given, and what it may set. */
export interface GatewayFixtures {
  /** The session of this test. */
  readonly sim: TestSession
  /** What the session answers by, beside the scenarios of the simulator: one scenario or several. */
  readonly scenario: TestScenario | readonly TestScenario[] | undefined
  /** Seed, clock, start and speed of the session, where they differ from the simulator's. */
  readonly session: Omit<SessionRequest, 'name' | 'scenarios' | 'ttl'>
  /** What makes the test fail beside its own assertions; all of it unless switched off. */
  readonly failOn: FailOn
  /** What the simulator of this worker is made with: `createSimulator(simulatorOptions)`. */
  readonly simulatorOptions: SimulatorOptions
  /** The simulator that the tests of this worker share. */
  readonly simulator: Simulator
}

/** vitest's `test`, with these fixtures. */
export interface GatewayTest extends TestAPI<GatewayFixtures> {
  /** The same `test` with other scenarios: `test.scenario('scenarios/rate-limited-once.yaml')('…', async ({ sim }) => …)`. */
  scenario(...scenarios: readonly TestScenario[]): GatewayTest
}

/** What a test was not told by its own assertions. */
export class OverlookedError extends Error {
  override readonly name = 'OverlookedError'
}

const fixtures = plainTest.extend<GatewayFixtures>({
  scenario: undefined,
  session: {},
  failOn: {},
  simulatorOptions: [{}, { scope: 'worker' }],
  simulator: [
    async ({ simulatorOptions }, use) => {
      const simulator = createSimulator(simulatorOptions)
      await use(simulator)
      await simulator.close()
    },
    { scope: 'worker' },
  ],
  async sim({ simulator, scenario, session: options, failOn, task, onTestFinished }, use) {
    const path: string[] = []
    for (let at: { readonly name: string; readonly suite?: unknown } | undefined = task; at !== undefined; at = at.suite as typeof at) path.unshift(at.name)
    const scenarios = (scenario === undefined ? [] : Array.isArray(scenario) ? (scenario as readonly TestScenario[]) : [scenario as TestScenario]).map(asSource)
    const own = simulator.session({ ...options, name: sessionName([task.file.name, ...path]), ...(scenarios.length === 0 ? {} : { scenarios }) })
    const { session, found } = watchSession(localSession(own), own)
    // What is thrown behind `use` is reported twice; this comes later still, when hooks of the test have had their say too.
    onTestFinished(async () => {
      try {
        const { unusedRules, ...rest } = await found()
        const complaints = complaintsOf(rest, task.result?.state === 'fail' ? [] : unusedRules, failOn)
        if (complaints.length > 0) throw new OverlookedError(complaints.join('\n\n'))
      } finally {
        own.dispose()
      }
    })
    await use(session)
  },
})

/** vitest's `test`, where each test has a session of its own as `sim`. */
export const test: GatewayTest = withScenario(fixtures as TestAPI<GatewayFixtures>)

function withScenario(api: TestAPI<GatewayFixtures>): GatewayTest {
  return Object.assign(api, { scenario: (...scenarios: readonly TestScenario[]) => withScenario(api.extend({ scenario: scenarios } as object) as unknown as TestAPI<GatewayFixtures>) })
}

function asSource(scenario: TestScenario): ScenarioSource {
  return scenario instanceof URL ? fileURLToPath(scenario) : scenario
}
