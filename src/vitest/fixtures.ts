/**
 * vitest's `test` with a simulator session for each test. The tests of a worker share one simulator, or use a
 * server.
 */
import type { TestAPI } from 'vitest'
import { digest } from '../engine/random.ts'
import type { Simulator, SimulatorOptions } from '../index.ts'
import type { SessionOptions } from '../sessions/options.ts'
import { type Gateway, localGateway, remoteGateway } from './gateway.ts'
import { requireVitest } from './require-vitest.ts'
import type { TestScenario, TestSession } from './test-session.ts'
import { startVirtualTime } from './virtual-time.ts'
import { complaintsOf, type FailOn, watchSession } from './watched-session.ts'

/** The fixtures of a test, and its options. */
export interface GatewayFixtures {
  /** The session of this test. */
  readonly sim: TestSession
  /** Scenarios of this test's session, in addition to the simulator's: one or several. */
  readonly scenario: TestScenario | readonly TestScenario[] | undefined
  /** Seed, clock, start and speed of the session, if they differ from the simulator's. */
  readonly session: Omit<SessionOptions, 'name' | 'title' | 'scenarios' | 'ttl'>
  /**
   * `virtual`: vitest's fake timers and the session's clock are one, and time goes on by itself, to the next
   * timer, while the test only waits. Default: `real`.
   */
  readonly clientTime: 'real' | 'virtual'
  /** What makes the test fail in addition to its own assertions. Default: everything. */
  readonly failOn: FailOn
  /**
   * A folder for the session of each failed test, as an HTML file. The message of the failure contains its
   * path. Default: the environment variable `GATEWAY_SIM_SAVE_FAILED_TESTS`, or no files.
   */
  readonly saveFailedTests: string | undefined
  /** The options of this worker's simulator: `createSimulator(simulatorOptions)`. */
  readonly simulatorOptions: SimulatorOptions
  /**
   * The simulator shared by the tests of this worker. Not available if `GATEWAY_SIM_URL` is set.
   */
  readonly simulator: Simulator
}

interface AllFixtures extends GatewayFixtures {
  readonly gateway: Gateway
}

/** vitest's `test`, with these fixtures. */
export interface GatewayTest extends TestAPI<GatewayFixtures> {
  /**
   * The same `test` with other scenarios: `test.scenario('scenarios/rate-limited-once.yaml')('…', async ({
   * sim }) => …)`.
   */
  scenario(...scenarios: readonly TestScenario[]): GatewayTest
}

/** Fails a test for something that its own assertions did not catch; see `failOn`. */
export class UnassertedError extends Error {
  override readonly name = 'UnassertedError'
}

const vitest = await requireVitest()

export const { expect } = vitest

const fixtures = vitest.test.extend<AllFixtures>({
  scenario: undefined,
  session: {},
  clientTime: 'real',
  failOn: {},
  saveFailedTests: process.env['GATEWAY_SIM_SAVE_FAILED_TESTS'] || undefined,
  simulatorOptions: [{}, { scope: 'worker' }],
  gateway: [
    async ({ simulatorOptions }, use) => {
      const { GATEWAY_SIM_URL: url, GATEWAY_SIM_CONTROL_TOKEN: token } = process.env
      const gateway =
        url === undefined || url === ''
          ? localGateway(simulatorOptions)
          : remoteGateway(url, token, simulatorOptions)
      await use(gateway)
      await gateway.close()
    },
    { scope: 'worker' },
  ],
  simulator: [async ({ gateway }, use) => use(gateway.simulator()), { scope: 'worker' }],
  async sim(
    { gateway, scenario, session: given, clientTime, failOn, saveFailedTests: folder, task, onTestFinished },
    use,
  ) {
    const time = clientTime === 'virtual' ? startVirtualTime(vitest.vi, gateway.simulator().core) : undefined
    // Hooks run in reverse: this one after all others.
    onTestFinished(() => time?.stop())
    const options = time === undefined ? given : { ...given, clock: 'real' as const }
    const path: string[] = []
    for (
      let at: { readonly name: string; readonly suite?: unknown } | undefined = task;
      at !== undefined;
      at = at.suite as typeof at
    )
      path.unshift(at.name)
    path.unshift(task.file.name)
    const scenarios = scenario === undefined ? [] : ([scenario].flat() as readonly TestScenario[])
    const name = sessionName(path)
    const { session: own, trace, dispose } = await gateway.open({ name, options, scenarios })
    const { session, found } = watchSession(time === undefined ? own : time.tie(own))
    // vitest reports errors after `use` twice; this hook also runs after those of the test.
    onTestFinished(async () => {
      try {
        const all = await found()
        const isFailed = task.result?.state === 'fail'
        const complaints = complaintsOf(
          isFailed ? { ...all, notAwaited: [], unused: undefined } : all,
          failOn,
        )
        if ((isFailed || complaints.length > 0) && task.fails !== true) {
          const { describeFailedTest } = await import('./failed-test.ts')
          const { isReportShown } = all
          const test = { name: own.name, path, trace, session, folder, isReportShown }
          await describeFailedTest(test, isFailed ? (task.result?.errors ?? []) : [], complaints)
        }
        if (complaints.length > 0) throw new UnassertedError(complaints.join('\n\n'))
      } finally {
        await dispose()
      }
    })
    await use(session)
  },
})

/**
 * vitest's `test`, with a separate session for each test as `sim`.
 *
 * @example
 * test('asks politely', async ({ sim }) => {
 *   await ask(new OpenAI(sim.sdk.openai()))
 *   await expect(sim).toBeWellBehaved()
 * })
 */
export const test: GatewayTest = withScenario(fixtures as unknown as TestAPI<GatewayFixtures>)

function withScenario(api: TestAPI<GatewayFixtures>): GatewayTest {
  const override = api.override as (...fixtures: unknown[]) => void
  // The state of vitest's `extend`: the overrides of each `describe`.
  const overrides = new WeakMap<object, unknown[][]>()
  return Object.assign(api, {
    override(this: typeof api, ...given: unknown[]) {
      const suite = currentSuites().at(-1)
      override.apply(this, given)
      if (suite !== undefined) overrides.set(suite, [...(overrides.get(suite) ?? []), given])
      return this
    },
    scenario(...scenarios: readonly TestScenario[]) {
      const extended = api.extend({ scenario: scenarios } as object) as unknown as typeof api
      const replay = extended.override as typeof override
      for (const suite of currentSuites())
        for (const given of overrides.get(suite) ?? []) replay.apply(extended, given)
      replay.call(extended, { scenario: scenarios })
      return withScenario(extended)
    },
  }) as unknown as GatewayTest
}

/** The `describe`s around the code that vitest collects right now, the outermost first. */
function currentSuites(): readonly object[] {
  const suites: object[] = []
  for (let at = vitest.TestRunner.getCurrentSuite().suite; at !== undefined && at !== at.file; at = at.suite)
    suites.unshift(at)
  return suites
}

/** The maximum length of the test name in a session name. */
const maxNameLength = 40

/**
 * A session name that is valid in a base URL: a readable part, then a unique part. `path` is the file, the
 * suites and the test.
 */
function sessionName(path: readonly string[]): string {
  const words = (path.at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-+|-+$/g, '')
  const apart = digest(JSON.stringify(path)).slice(0, 12)
  return words === '' ? apart : `${words}-${apart}`
}
