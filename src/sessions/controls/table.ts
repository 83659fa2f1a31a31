/**
 * The controls of a session, each with its types and its URL. The session of the library, the client over
 * HTTP and the session of a vitest test follow from this table. The implementations are in the other files,
 * which it does not load: the client is small.
 */
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { JournalFilter } from '../../exchange/filter.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import type {
  AdvanceRequest,
  AdvanceResult,
  ClientReport,
  ClockState,
  JobChange,
  JobList,
  JobState,
  OverrideState,
  RequestExplanation,
  RuleChange,
  RuleUsage,
  ScenarioUsage,
  Verdict,
} from '../../generated/control-types.ts'
import type { OperationPattern } from '../../generated/scenario-types.ts'
import type { ScenarioSource } from '../../scenario/load/scenario-set.ts'
import { plainShapes } from '../../verify/read-request.ts'
import { VerificationError, type VerifyRequest } from '../../verify/request.ts'
import type { ScenarioText } from '../options.ts'
import type { OverrideRequest } from '../rules.ts'
import { get, post, remove } from './control.ts'
import {
  printAdvance,
  printClock,
  printExplanation,
  printOverride,
  printOverrides,
  printRemoved,
  printReset,
  printVerdict,
} from './print.ts'
import { type SentScenario, withText } from './scenario-source.ts'

type Verify = (request: OperationPattern | VerifyRequest) => Verdict
const encodeRequest = (request: OperationPattern | VerifyRequest): unknown =>
  typeof request === 'string' ? { requests: request } : plainShapes(request)

/** The verdict, when it holds; throws `VerificationError` otherwise. @internal */
export function orThrow(verdict: Verdict): Verdict {
  if (!verdict.ok) throw new VerificationError(verdict)
  return verdict
}

export const controls = {
  /** The clock of the session. */
  clock: {
    /** Virtual milliseconds since the epoch. */
    now: get<() => number>('/clock', { decode: ({ now }: ClockState) => Date.parse(now) }),
    /** The state of the clock, and when something is due next. */
    state: get<() => ClockState>('/clock', { print: printClock }),
    /** Advances time: `'5s'`, milliseconds, `{ by }`, `{ to: time | 'next' | 'idle' }`. */
    advance: post<(by: string | number | AdvanceRequest) => AdvanceResult>('/clock/advance', {
      encode: (by: string | number | AdvanceRequest) => (typeof by === 'object' && by !== null ? by : { by }),
      waits: true,
      print: printAdvance,
    }),
    /** Stops a `real` clock. Has no effect in other modes, where time does not run by itself. */
    freeze: post<() => ClockState>('/clock/freeze', { print: printClock }),
    /** Restarts a `real` clock. Throws in other modes. */
    resume: post<() => ClockState>('/clock/resume', { print: printClock }),
  },
  /** The scenarios in use. */
  scenarios: {
    /**
     * Adds a scenario; its rules are tried first. Takes a path, an object of the scenario format, a result of
     * `loadScenario`, or `{ text }`; a server takes no result of `loadScenario`. Throws `ScenarioError` for
     * an invalid scenario.
     */
    add: post<
      (source: ScenarioSource | ScenarioText) => ScenarioUsage,
      (source: SentScenario) => Promise<ScenarioUsage>
    >('/scenarios', { encode: withText }),
    /** Lists the scenarios, the session's own first, with how often each rule matched and answered. */
    list: get<() => readonly ScenarioUsage[]>('/scenarios', { field: 'scenarios' }),
    /** Removes a scenario that was added to the session. */
    remove: remove<(name: string) => ScenarioUsage>('/scenarios/{name}'),
    /** Switches a rule of the session off or on: `changeRule(id, { enabled: false })`. */
    changeRule: post<(id: string, change: RuleChange) => RuleUsage>('/rules/{id}'),
  },
  /** Faults and responses that apply before any scenario rule. */
  overrides: {
    /** Adds an override: `add({ fault: 'disconnect', times: 1 })`; `when` selects requests. */
    add: post<(request: OverrideRequest) => OverrideState>('/overrides', { print: printOverride }),
    /** Lists the overrides in evaluation order. */
    list: get<() => readonly OverrideState[]>('/overrides', { field: 'overrides', print: printOverrides }),
    /** Removes all overrides. */
    clear: remove<() => readonly OverrideState[]>('/overrides', { field: 'overrides', print: printRemoved }),
    /** Removes an override. */
    remove: remove<(id: string) => OverrideState>('/overrides/{id}', { print: printOverride }),
  },
  /** The jobs, videos and operations of the session. */
  jobs: {
    /** The jobs in order of creation. */
    list: get<() => JobList>('/jobs'),
    /** A job as it is now. */
    get: get<(id: string) => JobState>('/jobs/{id}'),
    /** Changes a job from now on: `change(id, { finished: true })` completes it. */
    change: post<(id: string, change: JobChange) => JobState>('/jobs/{id}', { waits: true }),
  },
  /** The calls of the session, oldest first, optionally filtered. A server sends them as JSON. */
  journal: get<
    (filter?: JournalFilter) => readonly JournalEntry[],
    (filter?: JournalFilter) => Promise<readonly JournalEntryJson[]>
  >('/journal', { field: 'entries', paged: true }),
  /**
   * Explains why a call got its response. Takes the request id of the response (of any session) or the call's
   * number in this session. Throws if the journal has no such call.
   */
  explainRequest: get<(id: string | number) => RequestExplanation>('/journal/{id}/explain', {
    print: printExplanation,
  }),
  /**
   * Verifies the calls so far, and throws `VerificationError` if they do not meet the request; its message
   * shows the nearest calls and how they differ. A string is an operation that must have been called. Throws
   * `ConfigError` for an invalid request.
   */
  verify: post<Verify>('/verify', {
    encode: encodeRequest,
    decode: orThrow,
    waits: true,
    print: printVerdict,
  }),
  /** Like `verify`, but returns a failed verdict. Still throws `ConfigError` for an invalid request. */
  safeVerify: post<Verify>('/verify', { encode: encodeRequest, waits: true, print: printVerdict }),
  /** The ids of scenario rules that have not answered any call yet. */
  unusedRules: get<() => readonly string[]>('/unused-rules', { field: 'rules' }),
  /**
   * How well the clients of the session have used the contract so far
   * (node_modules/gateway-sim/docs/reference/findings.md).
   */
  clientReport: get<() => ClientReport>('/client-report'),
  /**
   * Resolves when no call of the session waits for its response: what was called before, also by an SDK in
   * the same breath, has been taken. A call that waits for the clock (a delay, a paced stream), or for ever
   * (a `hang`), does not count.
   */
  settled: get<() => Promise<void>>('/settled', { decode: () => undefined, waits: true }),
  /**
   * Resets the session to its initial state, or all sessions with `{ all: true }`. Open streams end with an
   * error. Returns the names of the sessions.
   */
  reset: post<(which?: { readonly all?: boolean | undefined }) => readonly string[]>('/reset', {
    encode: (which = {}) => which,
    field: 'reset',
    print: printReset,
  }),
}
