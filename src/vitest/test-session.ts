/**
 * The session of one test, the same whether it is in this process or on a server: every control returns a
 * promise.
 */
import type { SimulatorClient } from '../client.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import { entryJson, type JournalEntryJson } from '../exchange/plain.ts'
import type { ScenarioUsage } from '../generated/control-types.ts'
import type { ScenarioSource } from '../scenario/load/scenario-set.ts'
import { type AnyFunction, at, mapControls, type RemoteControls } from '../sessions/controls/control.ts'
import { controls } from '../sessions/controls/table.ts'
import type { ScenarioText } from '../sessions/options.ts'
import type { SimulatorSession } from '../sessions/session.ts'

/** A scenario of a test; relative paths start at vitest's working directory. */
export type TestScenario = ScenarioSource | ScenarioText | URL

type TableControls = RemoteControls<typeof controls>
type Own = 'name' | 'baseUrl' | 'apiKey' | 'headers' | 'sdk' | 'fetch'

/** The `sim` fixture: a session with the same name in every run, deleted after the test. */
export interface TestSession extends Omit<TableControls, 'scenarios'>, Pick<SimulatorClient, Own> {
  readonly scenarios: Omit<TableControls['scenarios'], 'add'> & {
    /**
     * Adds a scenario; its rules are evaluated first. Takes a path, a `URL`, an object of the scenario
     * format, a result of `loadScenario`, or `{ text }`.
     */
    add(source: TestScenario): Promise<ScenarioUsage>
  }
}

/** The test session of a session in this process or on a server; `readable` converts a scenario for it. */
export function testSession(
  session: SimulatorSession | SimulatorClient,
  readable: (scenario: TestScenario) => unknown,
  table: object = controls,
): TestSession {
  const { name, baseUrl, apiKey, headers, sdk, fetch } = session
  const { scenarios, journal, ...others } = mapControls(table, ({ waits }, place) => {
    const act = at(session, place) as AnyFunction
    return async (...args) => {
      // An SDK called just before may not have called `fetch` yet. A server waits as well.
      if (waits === true && act !== session.settled) await session.settled()
      return act(...args)
    }
  }) as unknown as TableControls
  return {
    name,
    baseUrl,
    apiKey,
    headers,
    sdk,
    fetch,
    ...others,
    journal: async (filter) => (await journal(filter)).map(inJson),
    scenarios: { ...scenarios, add: async (source) => scenarios.add(readable(source) as string) },
  }
}

/** Entries of this process have dates as numbers, as only the library does. */
function inJson(entry: JournalEntryJson | JournalEntry): JournalEntryJson {
  return typeof entry.at === 'string' ? (entry as JournalEntryJson) : entryJson(entry as JournalEntry)
}
