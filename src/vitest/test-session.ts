/**
 * The session of one test, the same whether it is in this process or on a server: everything that a server
 * has to be asked for is answered with a promise.
 */

import type { JournalEntryJson, JournalFilter } from '../client/types.ts'
import type { SimulatorClient } from '../client.ts'
import type { ScenarioUsage } from '../control/scenarios.ts'
import { parseInstant } from '../engine/instant.ts'
import { filterJournal } from '../journal/filter.ts'
import { wireEntry } from '../journal/json.ts'
import type { ScenarioSource } from '../scenario/load/scenario-set.ts'
import type { ScenarioText } from '../sessions/options.ts'
import type { SimulatorSession } from '../sessions/session.ts'

/** A scenario as a test may name it; a relative path is looked for where vitest was started. */
export type TestScenario = ScenarioSource | ScenarioText | URL

/** What `sim` is in a test. Its name is the same in every run; it is discarded with the test. */
export interface TestSession
  extends Omit<
    SimulatorClient,
    'scenarios' | 'dispose' | 'createSession' | 'sessions' | 'health' | 'ready' | typeof Symbol.asyncDispose
  > {
  readonly scenarios: {
    /**
     * Adds one; its rules are asked first. A path, a `URL`, an object of the format, what `loadScenario` has
     * read, or `{ text }`.
     */
    load(source: TestScenario): Promise<ScenarioUsage>
    list(): Promise<readonly ScenarioUsage[]>
    remove(name: string): Promise<ScenarioUsage>
  }
}

/** A session of a simulator in this process, as a test holds it. */
export function localSession(
  session: SimulatorSession,
  asSource: (scenario: TestScenario) => ScenarioSource | ScenarioText,
): TestSession {
  const { sdk, id, baseUrl, apiKey, headers, fetch, clock, scenarios, faults, state } = session
  return {
    sdk,
    id,
    baseUrl,
    apiKey,
    headers,
    fetch,
    clock: {
      now: async () => clock.now(),
      advance: async (by) => clock.advance(by),
      state: async () => clock.state(),
      freeze: async () => clock.freeze(),
      resume: async (speed) => clock.resume(speed),
    },
    journal: async (filter = {}) => sentEntries(session, filter),
    safeVerify: async (request) => session.safeVerify(request),
    verify: async (request) => session.verify(request),
    unusedRules: async () => session.unusedRules(),
    clientReport: async () => session.clientReport(),
    explainCall: async (call) => session.explainCall(call),
    scenarios: {
      load: async (source) => scenarios.load(asSource(source)),
      list: async () => scenarios.list(),
      remove: async (name) => scenarios.remove(name),
    },
    faults: {
      arm: async (request) => faults.arm(request),
      list: async () => faults.list(),
      remove: async (name) => faults.remove(name),
      clear: async () => faults.clear(),
    },
    state: {
      list: async (query) => state.list(query),
      get: async (name) => state.get(name),
      change: async (name, change) => state.change(name, change),
    },
    reset: async () => session.reset(),
  }
}

/** A session of a server, as a test holds it. */
export function remoteSession(
  client: SimulatorClient,
  asSource: (scenario: TestScenario) => Parameters<SimulatorClient['scenarios']['load']>[0],
): TestSession {
  const {
    dispose: _,
    createSession: __,
    sessions: ___,
    health: ____,
    ready: _____,
    [Symbol.asyncDispose]: ______,
    ...rest
  } = client
  return {
    ...rest,
    scenarios: { ...client.scenarios, load: async (source) => client.scenarios.load(asSource(source)) },
  }
}

// All of them, as the client reads page after page.
function sentEntries(
  session: SimulatorSession,
  { since, until, limit = Infinity, ...filter }: JournalFilter,
): readonly JournalEntryJson[] {
  const { entries } = filterJournal(session.journal(), {
    ...filter,
    since: since === undefined ? undefined : parseInstant(since),
    until: until === undefined ? undefined : parseInstant(until),
    limit,
  })
  return entries.map((entry) => wireEntry(entry) as JournalEntryJson)
}
