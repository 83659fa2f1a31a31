/**
 * `gateway-sim/client`: a simulator in another process, held like one in this: sessions, clock, scenarios,
 * faults, state, journal, verdicts. Plain `fetch`; knows the control API's addresses and nothing of how a
 * simulator works.
 */

import { type CallOptions, createCaller } from './client/call.ts'
import type { Health, JournalEntryJson, JournalFilter, SessionState } from './client/types.ts'
import type { ClientReport } from './conduct/verdict.ts'
import type { AdvanceRequest, AdvanceResult } from './control/advance.ts'
import type { ClockState } from './control/clock.ts'
import type { FaultState } from './control/faults.ts'
import type { ScenarioUsage } from './control/scenarios.ts'
import type { ResourceState, StateChange, StateQuery } from './control/state.ts'
import type { CallExplanation } from './journal/explain/explain-call.ts'
import type { OperationPattern, ScenarioInput } from './scenario/scenario-input.ts'
import type { ScenarioText, SessionOptions } from './sessions/options.ts'
import type { FaultRequest } from './sessions/rules.ts'
import { type SdkOptions, sdkOptions, sessionKey } from './sessions/sdk-options.ts'
import { plainShapes } from './verify/plain-shapes.ts'
import type { Verdict, VerifyRequest } from './verify/request.ts'
import { VerificationError } from './verify/verification-error.ts'

export { ControlError } from './client/call.ts'
export type { Health, JournalEntryJson, JournalFilter, SessionState } from './client/types.ts'
export type { ClientReport } from './conduct/verdict.ts'
export type { AdvanceRequest, AdvanceResult } from './control/advance.ts'
export type { ClockState } from './control/clock.ts'
export type { FaultState } from './control/faults.ts'
export type { ScenarioUsage } from './control/scenarios.ts'
export type { ResourceState, StateChange, StateQuery } from './control/state.ts'
export type { CallExplanation } from './journal/explain/explain-call.ts'
export type { ScenarioInput } from './scenario/scenario-input.ts'
export type { ScenarioText } from './sessions/options.ts'
export type { FaultRequest } from './sessions/rules.ts'
export type { Verdict, VerifyRequest } from './verify/request.ts'
export { VerificationError } from './verify/verification-error.ts'

export interface ConnectOptions extends CallOptions {
  /** Which session; the default one unless given. */
  readonly session?: string | undefined
  /** An API key that works there. */
  readonly apiKey?: string | undefined
}

/**
 * What a session may have of its own. Scenarios are objects of the format or `{ text }`: files stay where the
 * test is.
 */
export type RemoteSessionOptions = Omit<SessionOptions, 'scenarios'> & {
  readonly scenarios?: readonly (ScenarioInput | ScenarioText)[] | undefined
}

/**
 * One session of a simulator elsewhere. Every method is the library's, as a promise; refusals reject with
 * `ControlError`.
 */
export interface SimulatorClient {
  /** Its name. */
  readonly id: string
  /** What SDKs are told, without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: Readonly<Record<string, string>>
  /** The options of each SDK: `new OpenAI(client.sdk.openai())`. */
  readonly sdk: SdkOptions
  /** `fetch`, with paths (`/v1/models`) taken as those of the session. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  readonly clock: {
    /** Virtual milliseconds since the epoch. */
    now(): Promise<number>
    state(): Promise<ClockState>
    /** `'5s'`, milliseconds, or `{ by }`, `{ to }`, `{ until: 'next' | 'idle', limit? }`. */
    advance(by: string | number | AdvanceRequest): Promise<AdvanceResult>
    freeze(): Promise<ClockState>
    resume(speed?: number): Promise<ClockState>
  }
  /** The session's calls, oldest first, all pages of them. */
  journal(filter?: JournalFilter): Promise<readonly JournalEntryJson[]>
  /** Rejects with `VerificationError` when the calls so far were not so. */
  verify(request: OperationPattern | VerifyRequest): Promise<Verdict>
  safeVerify(request: OperationPattern | VerifyRequest): Promise<Verdict>
  unusedRules(): Promise<readonly string[]>
  clientReport(): Promise<ClientReport>
  /** By the request id of a reply, or the number of a call in this session. */
  explainCall(id: string | number): Promise<CallExplanation>
  readonly scenarios: {
    load(source: ScenarioInput | ScenarioText): Promise<ScenarioUsage>
    list(): Promise<readonly ScenarioUsage[]>
    remove(name: string): Promise<ScenarioUsage>
  }
  readonly faults: {
    arm(request: FaultRequest): Promise<FaultState>
    list(): Promise<readonly FaultState[]>
    remove(id: string): Promise<FaultState>
    clear(): Promise<readonly FaultState[]>
  }
  readonly state: {
    list(query?: StateQuery): Promise<{
      readonly total: number
      readonly more: number
      readonly resources: readonly ResourceState[]
    }>
    get(id: string): Promise<ResourceState>
    change(id: string, change: StateChange): Promise<ResourceState>
  }
  /** Back to its beginning. */
  reset(): Promise<void>
  /** Discards it. Twice is harmless. */
  dispose(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
  /** Creates another session on the same server. */
  createSession(request?: RemoteSessionOptions): Promise<SimulatorClient>
  /** Every session of the server. */
  sessions(): Promise<readonly SessionState[]>
  health(): Promise<Health>
  ready(): Promise<{ readonly ready: true }>
}

/**
 * Reaches a session of the simulator at an address, with or without `/s/NAME`, `/v1` and `/v1beta`. Calls
 * nothing yet.
 */
export function connect(url: string | URL, options: ConnectOptions = {}): SimulatorClient {
  // The address is often at hand as an SDK has it.
  const address = String(url).replace(/(?:\/v1(?:beta)?)?\/*$/, '')
  const root = address.replace(/\/s\/[^/]+$/, '')
  const id = options.session ?? /\/s\/([^/]+)$/.exec(address)?.[1] ?? 'default'
  return sessionClient(root, id, options.apiKey ?? sessionKey(id, undefined), options)
}

function sessionClient(root: string, id: string, apiKey: string, options: CallOptions): SimulatorClient {
  const baseUrl = id === 'default' ? root : `${root}/s/${id}`
  const { get, post, remove } = createCaller(baseUrl, options)
  const send = options.fetch ?? fetch
  const safeVerify = (request: OperationPattern | VerifyRequest): Promise<Verdict> =>
    post('/verify', typeof request === 'string' ? { calls: request } : plainShapes(request))
  // The server forgets a session by its name, which must not make it again.
  const top = createCaller(root, options)
  const dispose = async (): Promise<void> => {
    await top.remove(`/sessions/${encodeURIComponent(id)}`, [404])
  }
  return {
    sdk: sdkOptions({ baseUrl, apiKey, fetch: options.fetch }),
    id,
    baseUrl,
    apiKey,
    headers: { 'x-sim-session': id, authorization: `Bearer ${apiKey}` },
    fetch: (input, init) =>
      send(typeof input === 'string' && input.startsWith('/') ? `${baseUrl}${input}` : input, init),
    clock: {
      now: async () => Date.parse((await get<ClockState>('/clock')).now),
      state: () => get('/clock'),
      advance: (by) => post('/clock/advance', typeof by === 'object' && by !== null ? by : { by }),
      freeze: () => post('/clock/freeze', undefined),
      resume: (speed) => post('/clock/resume', { speed }),
    },
    async journal(filter = {}) {
      const all: JournalEntryJson[] = []
      let after = filter.after
      for (;;) {
        const wanted = filter.limit === undefined ? undefined : filter.limit - all.length
        const page = await get<{ entries: JournalEntryJson[]; next: number | null }>('/journal', {
          ...filter,
          after,
          limit: wanted,
        })
        all.push(...page.entries)
        if (page.next === null || all.length >= (filter.limit ?? Infinity)) return all
        after = page.next
      }
    },
    safeVerify,
    async verify(request) {
      const verdict = await safeVerify(request)
      if (!verdict.ok) throw new VerificationError(verdict)
      return verdict
    },
    unusedRules: async () => (await get<{ rules: string[] }>('/unused-rules')).rules,
    clientReport: () => get('/client-report'),
    explainCall: (call) => get(`/journal/${encodeURIComponent(call)}/explain`),
    scenarios: {
      load: (source) => post('/scenarios', source),
      list: async () => (await get<{ scenarios: ScenarioUsage[] }>('/scenarios')).scenarios,
      remove: (name) => remove(`/scenarios/${encodeURIComponent(name)}`),
    },
    faults: {
      arm: (request) => post('/faults', request),
      list: async () => (await get<{ faults: FaultState[] }>('/faults')).faults,
      remove: (fault) => remove(`/faults/${encodeURIComponent(fault)}`),
      clear: async () => (await remove<{ faults: FaultState[] }>('/faults')).faults,
    },
    state: {
      list: (query = {}) => get('/state', { ...query }),
      get: (resource) => get(`/state/${encodeURIComponent(resource)}`),
      change: (resource, change) => post(`/state/${encodeURIComponent(resource)}`, change),
    },
    async reset() {
      await post('/reset', {})
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
    async createSession(request = {}) {
      const made = await top.post<SessionState>('/sessions', request)
      return sessionClient(root, made.id, made.apiKey, options)
    },
    sessions: async () => (await top.get<{ sessions: SessionState[] }>('/sessions')).sessions,
    health: () => get('/health'),
    ready: () => get('/ready'),
  }
}
