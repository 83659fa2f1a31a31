/** What a simulator asks of the recordings that it plays; `recording/` answers. Types alone. */
import type { RuleTrace } from '../engine/rule-trace.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import type { PlainResponse } from '../protocol/response.ts'
import type { Route } from '../protocol/router.ts'
import type { Settings } from '../protocol/settings.ts'

/** What becomes of a call that was not recorded. */
export type OnMiss = 'simulate' | 'reject'

/** What recordings look at of a call. @internal */
export interface AskedCall {
  readonly request: Pick<IncomingCall, 'method' | 'path' | 'query'>
  readonly payload: Payload
  /** Undefined for a path that no operation has. */
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
  readonly sandbox: Sandbox
  readonly settings: Settings
  readonly now: number
}

/** A recorded response that a call may get. @internal */
export interface RecordedAnswer {
  /**
   * The response, and the file and the place in it that it comes from (`calls.har, entry 3`). It counts as
   * played then, and does to the session what the recorded call did.
   */
  play(): { readonly source: string; readonly response: PlainResponse }
}

/** @internal */
export interface RecordedCalls {
  /** The response that was recorded for such a call; undefined for none. Changes nothing. */
  find(asked: AskedCall): RecordedAnswer | undefined
  /** Whether a call goes on with something that recordings do not hold: a job that was simulated. */
  isLeftToSimulate(asked: AskedCall): boolean
  /** The recording that is most like a call, and in what they differ. */
  nearest(asked: Omit<AskedCall, 'sandbox' | 'settings' | 'now'>): RuleTrace | undefined
}

/** Recordings that have been read: what `loadRecordings` gives. */
export interface Recordings {
  /** The files they come from. */
  readonly files: readonly string[]
  /** How many calls can be played. */
  readonly calls: number
  /** @internal */
  readonly played: RecordedCalls
}
