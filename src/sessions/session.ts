/**
 * The library's side of a session: what a test holds in its hand. Does what the control API does, at once and
 * without a call.
 */

import type { ClientReport } from '../conduct/verdict.ts'
import { type AdvanceRequest, type AdvanceResult, advance } from '../control/advance.ts'
import { type ClockState, clockState, freeze, resume } from '../control/clock.ts'
import { refusingMistakes } from '../control/control.ts'
import { armFault, asSent, clearFaults, disarmFault, type FaultState, listFaults } from '../control/faults.ts'
import { listScenarios, loadScenarioInto, removeScenario, type ScenarioUsage } from '../control/scenarios.ts'
import {
  changeState,
  listState,
  type ResourceState,
  readState,
  type StateChange,
  type StateQuery,
} from '../control/state.ts'
import { verificationOf } from '../control/verdicts.ts'
import type { ClockMode } from '../engine/clock.ts'
import type { JournalEntry } from '../engine/journal-entry.ts'
import { type CallExplanation, explainCall } from '../journal/explain/explain-call.ts'
import { findCall } from '../journal/explain/find-call.ts'
import type { Settings } from '../protocol/settings.ts'
import { scenarioReader } from '../scenario/load/load-scenario.ts'
import type { ScenarioSet, ScenarioSource } from '../scenario/load/scenario-set.ts'
import type { Verification } from '../verify/verification.ts'
import type { ScenarioText } from './options.ts'
import type { FaultRequest } from './rules.ts'
import { type SdkOptions, sdkOptions, sessionKey } from './sdk-options.ts'
import type { Session, Sessions } from './sessions.ts'

export interface SimulatorClock {
  readonly mode: ClockMode
  /** Virtual milliseconds since the epoch. */
  now(): number
  /**
   * Moves time forward: `'5s'`, milliseconds, or `{ by }`, `{ to }`, `{ until: 'next' | 'idle', limit? }`.
   */
  advance(by: string | number | AdvanceRequest): AdvanceResult
  /** What the clock shows, and what is due next. */
  state(): ClockState
  /** Stops a `real` clock where it is; the others stand still anyway. */
  freeze(): ClockState
  /**
   * Lets a `real` clock go on, at another speed when one is given. Throws for a clock that does not run by
   * itself.
   */
  resume(speed?: number): ClockState
}

/** What can be done with one session. */
export interface SessionControls extends Verification {
  readonly clock: SimulatorClock
  /** The session's calls, oldest first. */
  journal(): readonly JournalEntry[]
  /**
   * The verdict on how the clients of the session have used the contract until now (docs/client-report.md). It may
   * be asked at any time.
   */
  clientReport(): ClientReport
  /**
   * Why a call got the reply it got: by the request id of the reply, of whatever session, or by its number in
   * this one. Throws when the journal has no such call.
   */
  explainCall(id: string | number): CallExplanation
  /** What it answers by. */
  readonly scenarios: {
    /**
     * Adds one; its rules are asked first. A path, an object of the format, what `loadScenario` has read, or
     * `{ text }`. Throws `ScenarioError` for its mistakes.
     */
    load(source: ScenarioSource | ScenarioText): ScenarioUsage
    /** The session's own first, with how often each rule was met and has answered. */
    list(): readonly ScenarioUsage[]
    /** Takes one that was loaded away. */
    remove(name: string): ScenarioUsage
  }
  /** What goes wrong before any rule is asked. */
  readonly faults: {
    /** `arm({ fault: 'disconnect', count: 1 })`; `when` says which calls. */
    arm(request: FaultRequest): FaultState
    list(): readonly FaultState[]
    remove(id: string): FaultState
    clear(): readonly FaultState[]
  }
  /** Its jobs, videos and operations. */
  readonly state: {
    list(query?: StateQuery): {
      readonly total: number
      readonly more: number
      readonly resources: readonly ResourceState[]
    }
    get(id: string): ResourceState
    /** `change(id, { finish: true })`: this job is done now. */
    change(id: string, change: StateChange): ResourceState
  }
}

/** A session of a simulator in this process. */
export interface SimulatorSession extends SessionControls {
  /** Its name. */
  readonly id: string
  /** What its calls are sent to, through `fetch`: `http://gateway.sim/s/<id>`, or behind `publicUrl`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** What names the session and the key where the address cannot. */
  readonly headers: Readonly<Record<string, string>>
  /** The options of each SDK: `new OpenAI(session.sdk.openai())`. */
  readonly sdk: SdkOptions
  /** The simulator's `fetch`, at home in this session: `/v1/models` is one of its addresses. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /**
   * The same session at another address: of a server (`listen`), or of an Express mount. Options of SDKs then
   * hold no `fetch`.
   */
  at(url: string): {
    readonly sdk: SdkOptions
    readonly baseUrl: string
    readonly apiKey: string
    readonly headers: Readonly<Record<string, string>>
  }
  /** Back to its beginning; open streams end with an error that says so. */
  reset(): void
  /** Discards it; open streams end with an error, and later calls to it are refused. Twice is harmless. */
  dispose(): void
  [Symbol.dispose](): void
  [Symbol.asyncDispose](): Promise<void>
}

/** What a handle needs of its simulator. @internal */
export interface HandleParts {
  readonly sessions: Sessions
  readonly settings: Settings
  script(): ScenarioSet | undefined
  conductOf(world: Session['world']): ClientReport
}

/**
 * The controls of a session by its name; each use looks it up, so that one that was discarded says so.
 * @internal
 */
export function sessionControls(name: string, parts: HandleParts): SessionControls {
  const { sessions } = parts
  const session = (): Session => sessions.get(name)
  const world = (): Session['world'] => session().world
  return {
    clock: {
      get mode() {
        return world().clock.mode
      },
      now: () => world().clock.now(),
      advance: (by) => advance(world(), typeof by === 'object' && by !== null ? by : { by }),
      state: () => clockState(world()),
      freeze: () => freeze(world()),
      resume: (speed) => resume(world(), speed),
    },
    journal: () => world().journal.entries(),
    ...verificationOf(session, parts),
    clientReport: () => parts.conductOf(world()),
    explainCall: (id) => explainCall(findCall(id, world(), sessions.findByTag)),
    scenarios: {
      load: (source) => loadScenarioInto(session(), source, parts, 'library'),
      list: () => listScenarios(session(), parts),
      remove: (scenario) => removeScenario(session(), scenario, parts),
    },
    faults: {
      arm: (request) => refusingMistakes(() => armFault(session(), request), asSent),
      list: () => listFaults(session()),
      remove: (id) => disarmFault(session(), id),
      clear: () => clearFaults(session()),
    },
    state: {
      list: (query) => listState(world(), query),
      get: (id) => readState(world(), id),
      change: (id, change) => changeState(world(), id, change, scenarioReader().vocabulary.kinds),
    },
  }
}

/** A session that exists, as a test holds it. @internal */
export function sessionHandle(
  { world: { name }, settings }: Session,
  parts: HandleParts,
  fetch: SimulatorSession['fetch'],
): SimulatorSession {
  const baseUrl = `${parts.settings.publicUrl ?? 'http://gateway.sim'}/s/${name}`
  const apiKey = sessionKey(name, (settings ?? parts.settings).keys)
  const headers = { 'x-sim-session': name, authorization: `Bearer ${apiKey}` }
  const own: SimulatorSession['fetch'] = (input, init) =>
    fetch(typeof input === 'string' && input.startsWith('/') ? `${baseUrl}${input}` : input, init)
  const dispose = (): void => void parts.sessions.remove(name)
  return {
    ...sessionControls(name, parts),
    sdk: sdkOptions({ baseUrl, apiKey, fetch: own }),
    id: name,
    baseUrl,
    apiKey,
    headers,
    fetch: own,
    at(url) {
      const there = `${url.replace(/\/+$/, '')}/s/${name}`
      return { sdk: sdkOptions({ baseUrl: there, apiKey }), baseUrl: there, apiKey, headers }
    },
    reset: () => void parts.sessions.reset(name),
    dispose,
    [Symbol.dispose]: dispose,
    [Symbol.asyncDispose]: async () => dispose(),
  }
}
