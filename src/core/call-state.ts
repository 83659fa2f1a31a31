/** What is known of one call on its way through the stages of `answer-call.ts`. */
import type { HashWords } from '../engine/hash.ts'
import type { EntryRejection, JournalEntry, Violation } from '../engine/journal-entry.ts'
import type { Random } from '../engine/random.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import type { PlannedFault } from '../protocol/chunks.ts'
import type { EndpointGroup, Facilities } from '../protocol/endpoint.ts'
import type { ApiError } from '../protocol/errors.ts'
import type { Plan } from '../protocol/plan.ts'
import type { ResponseFacts } from '../protocol/rate.ts'
import type { PlainResponse } from '../protocol/response.ts'
import type { Match, Route, Router } from '../protocol/router.ts'
import type { Settings } from '../protocol/settings.ts'
import type { Traffic } from '../protocol/traffic.ts'
import type { RuleFacts } from '../scenario/asked-rules.ts'
import type { Director } from '../scenario/director.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import type { OnMiss, RecordedCalls } from './recorded-calls.ts'

/** What the calls of one simulator share. */
export interface CoreParts {
  readonly router: Router
  readonly settings: Settings
  readonly sessions: Sessions
  readonly director: Director
  readonly facilities: Facilities
  readonly traffic: Readonly<Traffic>
  /** The text of a time in headers of responses. */
  readonly timestampText: ResponseFacts['timestampText']
  /** The group whose envelope words rejections of paths that nobody owns. */
  readonly fallback: EndpointGroup
  /** What is played instead of simulated. */
  readonly recordings?: RecordedCalls | undefined
  readonly onMiss?: OnMiss
  /** Whether every response is held against its own schema. */
  readonly selfCheck: boolean
  /** Milliseconds since the epoch by the wall clock, for the journal alone. */
  wall?(): number
  /** Hears of bugs of the simulator. */
  warn?(message: string): void
  /** Hears of rules that have no effect, or that break the contract without saying so. */
  doubt(message: string): void
}

/** One call that was answered; the edge writes the response and closes the entry. */
export interface AnsweredCall {
  readonly response: PlainResponse
  /** All headers of the response, made for this exchange alone; the edge adds its own. */
  readonly headers: Record<string, string>
  readonly session: Session
  /** Virtual milliseconds at which the call was taken. */
  readonly startedAt: number
  readonly entry: JournalEntry
  /** Set when the simulator itself went wrong. */
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
  /** The API key as it was sent, not yet judged. */
  readonly key: string | undefined
  readonly session: Session
  /** Why the session that the call names cannot be used; the call is rejected in the default one. */
  readonly sessionError: ApiError | undefined
  readonly sandbox: Sandbox
  /** Whether the call meets an outage: nothing acts, and its connection is reset. */
  readonly isAway: boolean
  /** Virtual milliseconds since the epoch; sampled once per call. */
  readonly now: number
  /** The same time by the wall clock. */
  readonly realAt: number | undefined
  readonly settings: Settings
  readonly director: Director
  /** The body as the endpoint is to see it. */
  readonly payload: Payload
  /** What the content of the answer is drawn from. */
  readonly contentKey: HashWords
  readonly identity: Random
  readonly requestId: string
  /** How often this same request has been seen, this time included. */
  readonly nth: number
  facts: RuleFacts | undefined
  plan: Plan
  rulesAsked: boolean
  /** True when `strict` rejected the call because no rule names it. */
  unmatched: boolean
  response: PlainResponse
  /** True when the response is a recorded one. */
  played: boolean
  headers: Record<string, string>
  rejection: EntryRejection | undefined
  violations: readonly Violation[] | undefined
  bug: Error | undefined
  /** The faults that the response has met. */
  faults: readonly PlannedFault[] | undefined
  /** What the endpoint notes of why it answers so. */
  notes: (() => readonly string[]) | undefined
}
