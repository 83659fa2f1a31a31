/**
 * The controls of a session, each with its types and its address. The session of the library, the client over
 * HTTP and the session of a vitest test follow from this table; what the controls do is in the files beside
 * it. Loads none of them: the client is small.
 */
import type { ClientReport } from '../../conduct/client-report.ts'
import type { JournalEntry } from '../../engine/journal-entry.ts'
import type { OperationPattern, ScenarioInput } from '../../generated/scenario-input.ts'
import type { CallExplanation } from '../../journal/explain/explain-call.ts'
import type { JournalEntryJson, JournalFilter } from '../../journal/types.ts'
import type { ScenarioSource } from '../../scenario/load/scenario-set.ts'
import { plainShapes } from '../../verify/plain-shapes.ts'
import type { Verdict, VerifyRequest } from '../../verify/request.ts'
import { VerificationError } from '../../verify/verification-error.ts'
import type { FaultRequest } from '../armed-fault.ts'
import type { ScenarioText } from '../options.ts'
import type { AdvanceRequest, AdvanceResult } from './advance.ts'
import type { StateChange } from './change-state.ts'
import type { ClockState } from './clock.ts'
import type { AnyFunction, Control, Promised } from './control.ts'
import type { FaultState } from './faults.ts'
import type { ResourceState, StatePage, StateQuery } from './resource-state.ts'
import type { ScenarioUsage } from './scenarios.ts'

type Wire = Pick<Control<AnyFunction>, 'encode' | 'field' | 'paged' | 'decode'>
type Make = <Local extends AnyFunction, Remote extends AnyFunction = Promised<Local>>(
  path: string,
  wire?: Wire,
) => Control<Local, Remote>

const get: Make = (path, wire) => ({ method: 'GET', path, ...wire })
const post: Make = (path, wire) => ({ method: 'POST', path, ...wire })
const remove: Make = (path, wire) => ({ method: 'DELETE', path, ...wire })

type Verify = (request: OperationPattern | VerifyRequest) => Verdict
const encodeRequest = (request: OperationPattern | VerifyRequest): unknown =>
  typeof request === 'string' ? { calls: request } : plainShapes(request)

/** The verdict, when it holds; throws `VerificationError` otherwise. @internal */
export function orThrow(verdict: Verdict): Verdict {
  if (!verdict.ok) throw new VerificationError(verdict)
  return verdict
}

export const controls = {
  /** Its clock. */
  clock: {
    /** Virtual milliseconds since the epoch. */
    now: get<() => number>('/clock', { decode: ({ now }: ClockState) => Date.parse(now) }),
    /** What the clock shows, and what is due next. */
    state: get<() => ClockState>('/clock'),
    /**
     * Moves time forward: `'5s'`, milliseconds, or `{ by }`, `{ to }`, `{ until: 'next' | 'idle', limit? }`.
     */
    advance: post<(by: string | number | AdvanceRequest) => AdvanceResult>('/clock/advance', {
      encode: (by: string | number | AdvanceRequest) => (typeof by === 'object' && by !== null ? by : { by }),
    }),
    /** Stops a `real` clock where it is; the others stand still anyway. */
    freeze: post<() => ClockState>('/clock/freeze'),
    /**
     * Lets a `real` clock go on, at another speed when one is given. Throws for a clock that does not run by
     * itself.
     */
    resume: post<(speed?: number) => ClockState>('/clock/resume', {
      encode: (speed: number | undefined) => ({ speed }),
    }),
  },
  /** What it answers by. */
  scenarios: {
    /**
     * Adds one; its rules are asked first. A path, an object of the format, what `loadScenario` has read, or
     * `{ text }`; a server takes objects and `{ text }`. Throws `ScenarioError` for its mistakes.
     */
    load: post<
      (source: ScenarioSource | ScenarioText) => ScenarioUsage,
      (source: ScenarioInput | ScenarioText) => Promise<ScenarioUsage>
    >('/scenarios'),
    /** The session's own first, with how often each rule was met and has answered. */
    list: get<() => readonly ScenarioUsage[]>('/scenarios', { field: 'scenarios' }),
    /** Takes one that was loaded away. */
    remove: remove<(name: string) => ScenarioUsage>('/scenarios/{name}'),
  },
  /** What goes wrong before any rule is asked. */
  faults: {
    /** `arm({ fault: 'disconnect', count: 1 })`; `when` says which calls. */
    arm: post<(request: FaultRequest) => FaultState>('/faults'),
    /** Those that are armed, the one that is asked first at the beginning. */
    list: get<() => readonly FaultState[]>('/faults', { field: 'faults' }),
    /** Takes all of them away. */
    clear: remove<() => readonly FaultState[]>('/faults', { field: 'faults' }),
    /** Takes one away. */
    remove: remove<(id: string) => FaultState>('/faults/{id}'),
  },
  /** Its jobs, videos and operations. */
  state: {
    /** A page of them, in the order in which they were made. */
    list: get<(query?: StateQuery) => StatePage>('/state'),
    /** One of them as it is now. */
    get: get<(id: string) => ResourceState>('/state/{id}'),
    /** `change(id, { finish: true })`: this job is done now. */
    change: post<(id: string, change: StateChange) => ResourceState>('/state/{id}'),
  },
  /** The session's calls, oldest first; those that a filter names. A server sends them as JSON. */
  journal: get<
    (filter?: JournalFilter) => readonly JournalEntry[],
    (filter?: JournalFilter) => Promise<readonly JournalEntryJson[]>
  >('/journal', { field: 'entries', paged: true }),
  /**
   * Why a call got the reply it got: by the request id of the reply, of whatever session, or by its number in
   * this one. Throws when the journal has no such call.
   */
  explainCall: get<(id: string | number) => CallExplanation>('/journal/{id}/explain'),
  /**
   * Throws `VerificationError` when the calls so far are not as they had to be: its message shows the nearest
   * calls and what differs. A text is an operation that must have been called. Throws `ConfigError` for a
   * request that is wrong itself.
   */
  verify: post<Verify>('/verify', { encode: encodeRequest, decode: orThrow }),
  /** As `verify`, but returns a verdict that does not hold; throws only for a wrong request. */
  safeVerify: post<Verify>('/verify', { encode: encodeRequest }),
  /** The ids of the scenario rules that have answered no call so far. */
  unusedRules: get<() => readonly string[]>('/unused-rules', { field: 'rules' }),
  /**
   * How the clients of the session have used the contract until now (docs/client-report.md). It may be asked
   * at any time.
   */
  clientReport: get<() => ClientReport>('/client-report'),
}
