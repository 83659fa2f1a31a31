/** The state of one call on its way through the stages of `answer-call.ts`. */
import type { HashWords } from '../engine/hash.ts'
import type { Random } from '../engine/random.ts'
import type { Cause, Rejection } from '../exchange/exchange.ts'
import type { JournaledSandbox } from '../exchange/journal.ts'
import type { KeptExchange } from '../exchange/kept-exchange.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import type { PlannedFault } from '../protocol/chunks.ts'
import type { EndpointGroup } from '../protocol/endpoint.ts'
import type { ApiError } from '../protocol/errors.ts'
import type { Plan } from '../protocol/plan.ts'
import type { ResponseFacts } from '../protocol/rate.ts'
import type { PlainResponse } from '../protocol/response.ts'
import type { Match, Route, Router } from '../protocol/router.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Traffic } from '../protocol/traffic.ts'
import type { Director } from '../scenario/director.ts'
import type { RuleFacts } from '../scenario/rule-outcomes.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { LoadedFacilities } from './platform.ts'

/** The parts that the calls of one simulator share. */
export interface CoreParts {
  readonly router: Router
  readonly settings: Settings
  readonly sessions: Sessions
  readonly director: Director
  readonly facilities: LoadedFacilities
  readonly traffic: Readonly<Traffic>
  /** Formats a time for response headers. */
  readonly timestampText: ResponseFacts['timestampText']
  /** The group whose error envelope is used for unknown paths. */
  readonly fallback: EndpointGroup
  /** Whether every response is checked against its schema. */
  readonly selfCheck: boolean
  /** Milliseconds since the epoch by the wall clock, for the journal only. */
  wall?(): number
  /** Receives bugs in the simulator. */
  warn?(message: string): void
  /** Receives warnings about rules without effect, and rules with undeclared violations of the contract. */
  doubt(message: string): void
}

/** One answered call; the edge writes the response and closes the entry. */
export interface AnsweredCall {
  readonly response: PlainResponse
  /** All headers of the response, not shared with other exchanges; the edge adds its own. */
  readonly headers: Record<string, string>
  readonly session: Session
  /** Virtual milliseconds at the arrival of the call. */
  readonly startedAt: number
  readonly entry: KeptExchange
  /** An internal error of the simulator. */
  readonly bug: Error | undefined
}

/** One call from its arrival to its entry in the journal; every stage reads it and writes its own part. */
export interface CallState {
  readonly request: IncomingCall
  readonly match: Match
  readonly parts: CoreParts
  readonly route: Route | undefined
  readonly group: EndpointGroup
  readonly params: Readonly<Record<string, string>>
  /** The API key as sent, not yet checked. */
  readonly key: string | undefined
  readonly session: Session
  /** Why the named session cannot be used; the call is rejected in the default session. */
  readonly sessionError: ApiError | undefined
  readonly sandbox: JournaledSandbox
  /** Virtual milliseconds since the epoch; sampled once per call. */
  readonly now: number
  /** The time by the wall clock. */
  readonly realAt: number | undefined
  readonly settings: Settings
  readonly director: Director
  /** The body for the endpoint. */
  readonly payload: Payload
  /** What the content of the answer is drawn from. */
  readonly contentKey: HashWords
  readonly identity: Random
  readonly requestId: string
  /** How many identical requests have been received, including this one. */
  readonly nth: number
  facts: RuleFacts | undefined
  plan: Plan
  rulesAsked: boolean
  /** Whether `strict` rejected the call because no rule matched it. */
  unmatched: boolean
  response: PlainResponse
  headers: Record<string, string>
  rejection: Rejection | undefined
  violations: Cause['violations'] | undefined
  bug: Error | undefined
  /** The faults applied to the response. */
  faults: readonly PlannedFault[] | undefined
  /** Notes of the endpoint about the reasons for its response. */
  notes: (() => readonly string[]) | undefined
}
