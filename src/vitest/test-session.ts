/**
 * The session of one test, the same whether it is in this process or on a server: every control returns a
 * promise.
 */
import type { SimulatorClient } from '../client.ts'
import { entryJson } from '../exchange/plain.ts'
import type { ScenarioUsage } from '../generated/control-types.ts'
import type { ScenarioSource } from '../scenario/load/scenario-set.ts'
import { at, mapControls, type RemoteControls } from '../sessions/controls/control.ts'
import { controls } from '../sessions/controls/table.ts'
import type { ScenarioText } from '../sessions/options.ts'
import type { SimulatorSession } from '../sessions/session.ts'

/** A scenario of a test; relative paths start at vitest's working directory. */
export type TestScenario = ScenarioSource | ScenarioText | URL

type TableControls = RemoteControls<typeof controls>

/** The `sim` fixture: a session with the same name in every run, deleted after the test. */
export interface TestSession extends Omit<TableControls, 'scenarios'>, Pick<SimulatorClient, Own | 'reset'> {
  readonly scenarios: Omit<TableControls['scenarios'], 'add'> & {
    /**
     * Adds a scenario; its rules are evaluated first. Takes a path, a `URL`, an object of the scenario
     * format, a result of `loadScenario`, or `{ text }`.
     */
    add(source: TestScenario): Promise<ScenarioUsage>
  }
}

type AnyFunction = (...args: never[]) => unknown
type Own = 'name' | 'baseUrl' | 'apiKey' | 'headers' | 'sdk' | 'fetch'

/** The test session for a simulator in this process. */
export function localSession(
  session: SimulatorSession,
  asSource: (scenario: TestScenario) => ScenarioSource | ScenarioText,
): TestSession {
  const { scenarios, ...rest } = controlsOf(session, (act, place) => async (...args) => {
    // An SDK called just before may not have called `fetch` yet. A server waits as well.
    if (waitsForCalls.has(place.join('.'))) await session.settled()
    return act(...args)
  })
  return {
    ...ownOf(session),
    ...rest,
    journal: async (filter) => session.journal(filter).map(entryJson),
    scenarios: { ...scenarios, add: async (source) => session.scenarios.add(asSource(source)) },
    reset: async () => session.reset(),
  }
}

/** The test session on a server. */
export function remoteSession(
  client: SimulatorClient,
  asSource: (scenario: TestScenario) => Parameters<SimulatorClient['scenarios']['add']>[0],
): TestSession {
  const { scenarios, ...rest } = controlsOf(client, (act) => act)
  return {
    ...ownOf(client),
    ...rest,
    scenarios: { ...scenarios, add: async (source) => client.scenarios.add(asSource(source)) },
    reset: client.reset,
  }
}

/** The controls that depend on earlier requests. */
const waitsForCalls: ReadonlySet<string> = new Set(['clock.advance', 'jobs.change', 'verify', 'safeVerify'])

/** The controls of a session, each wrapped by `wrap`. */
function controlsOf(
  session: object,
  wrap: (act: AnyFunction, place: readonly string[]) => AnyFunction,
): TableControls {
  return mapControls(controls, (_control, place) =>
    wrap(at(session, place) as AnyFunction, place),
  ) as unknown as TableControls
}

function ownOf({
  name,
  baseUrl,
  apiKey,
  headers,
  sdk,
  fetch,
}: Pick<TestSession, Own>): Pick<TestSession, Own> {
  return { name, baseUrl, apiKey, headers, sdk, fetch }
}
