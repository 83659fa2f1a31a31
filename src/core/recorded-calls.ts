/** The interface between the simulator and `recording/`, which implements it. Types only. */
import type { RuleTrace } from '../engine/rule-trace.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { IncomingCall, Payload } from '../protocol/call.ts'
import type { PlainResponse } from '../protocol/response.ts'
import type { Route } from '../protocol/router.ts'
import type { Settings } from '../protocol/settings.ts'

/** What happens to an unrecorded request. */
export type OnMiss = 'simulate' | 'reject'

/** The part of a call that recordings are matched with. @internal */
export interface AskedCall {
  readonly request: Pick<IncomingCall, 'method' | 'path' | 'query'>
  readonly payload: Payload
  /** Undefined for an unknown path. */
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
  readonly sandbox: Sandbox
  readonly settings: Settings
  readonly now: number
}

/** A recorded response for a call. @internal */
export interface RecordedAnswer {
  /**
   * The response, with its file and place (`calls.har, entry 3`). Marks it as played, and applies the effects
   * of the recorded call to the session.
   */
  play(): {
    readonly source: string
    readonly response: PlainResponse
    /** The parts of the request that the comparison ignored because they are redacted in the recording. */
    readonly redacted: readonly string[]
  }
}

/** @internal */
export interface RecordedCalls {
  /** The recorded response for a call; undefined for none. Changes nothing. */
  find(asked: AskedCall): RecordedAnswer | undefined
  /** Whether a call refers to something that is not in the recordings, such as a simulated job. */
  isLeftToSimulate(asked: AskedCall): boolean
  /** The closest recording for a call, and how they differ. */
  nearest(asked: Omit<AskedCall, 'sandbox' | 'settings' | 'now'>): RuleTrace | undefined
}

/** Parsed recordings, as `loadRecordings` returns them. */
export interface Recordings {
  /** The names of the files. */
  readonly files: readonly string[]
  /** The number of recorded requests. */
  readonly calls: number
  /** @internal The first one: `POST /v1/chat/completions`. */
  readonly first?: string | undefined
  /** @internal */
  readonly played: RecordedCalls
}
