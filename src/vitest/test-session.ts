/**
 * The session of one test, the same whether it is in this process or on a server: everything that a server would have to be asked
 * for is answered with a promise. Knows no test runner.
 */
import type { Advanced, AdvanceRequest } from '../control/advance.ts'
import type { SdkOptions } from '../sdk-options.ts'
import type { SessionControls, SimulatorSession } from '../session-handle.ts'

/** A function or an object of functions, answered later. */
export type Later<Value> = Value extends (...given: infer Given) => infer Result ? (...given: Given) => Promise<Awaited<Result>> : { readonly [Name in keyof Value]: Later<Value[Name]> }

/** What `sim` is in a test. */
export interface TestSession extends SdkOptions, Later<Omit<SessionControls, 'clock'>> {
  /** Its name: the same in every run, made from the file and the names of the test. */
  readonly id: string
  /** What its calls are sent to: `…/s/<id>`. In this process only `fetch` reaches it. */
  readonly baseUrl: string
  readonly apiKey: string
  /** What names the session and the key where the address cannot. */
  readonly headers: Readonly<Record<string, string>>
  /** A `fetch` that reaches the session; `/v1/models` is one of its addresses. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  readonly clock: Later<Omit<SessionControls['clock'], 'mode' | 'advance'>> & {
    /** Moves time forward: `'5s'`, milliseconds, or `{ by }`, `{ to }`, `{ until: 'next' | 'idle', limit? }`. */
    advance(by: string | number | AdvanceRequest): Promise<Advanced>
  }
  /** Back to its beginning. What was found until then still makes the test fail. */
  reset(): Promise<void>
}

/** A session of a simulator in this process, as a test holds it. */
export function localSession(session: SimulatorSession): TestSession {
  const { id, baseUrl, apiKey, headers, fetch, clock, scenarios, faults, state } = session
  return {
    ...sdkOptionsOf(session),
    id,
    baseUrl,
    apiKey,
    headers,
    fetch,
    clock: { now: async () => clock.now(), advance: async (by) => clock.advance(by), state: async () => clock.state(), freeze: async () => clock.freeze(), resume: async (speed) => clock.resume(speed) },
    journal: async () => session.journal(),
    check: async (request) => session.check(request),
    verify: async (request) => session.verify(request),
    unusedRules: async () => session.unusedRules(),
    conduct: async () => session.conduct(),
    explain: async (call) => session.explain(call),
    scenarios: { load: async (source) => scenarios.load(source), list: async () => scenarios.list(), remove: async (name) => scenarios.remove(name) },
    faults: { arm: async (request) => faults.arm(request), list: async () => faults.list(), remove: async (name) => faults.remove(name), clear: async () => faults.clear() },
    state: { list: async (query) => state.list(query), get: async (name) => state.get(name), change: async (name, change) => state.change(name, change) },
    reset: async () => session.reset(),
  }
}

/** The options of the clients alone. */
function sdkOptionsOf({ openai, anthropic, google, aiSdkOpenai, aiSdkAnthropic, langchainOpenai, langchainAnthropic, systemone }: SdkOptions): SdkOptions {
  return { openai, anthropic, google, aiSdkOpenai, aiSdkAnthropic, langchainOpenai, langchainAnthropic, systemone }
}
