/**
 * What should become of one call, as data. Default behaviour, reserved values, settings and scenarios all end
 * in a plan, made by one director; endpoints read the plan and never ask where it came from.
 */
import { defined } from '../engine/fields.ts'
import type { Timeline } from '../engine/timeline.ts'
import type { PlannedFault } from './chunks.ts'
import { ApiError, type OwnWords, type RejectionType } from './errors.ts'
import type { Rate } from './rate.ts'
import type { Body } from './response.ts'
import type { Frames, Script } from './script.ts'

/** A rejection that was planned, and when in the order of the call it happens. */
export interface PlannedRejection {
  readonly type: RejectionType
  readonly message: string
  readonly before: 'auth' | 'validation' | 'act'
  readonly code?: number
  readonly status?: number
  /** The field it is about. */
  readonly param?: string
  readonly own?: OwnWords
  readonly retryAfterMs?: number
  /** How far the key is into its limit for the minute, for the headers of the rejection. */
  readonly rate?: Rate
  /** What it is called where the service that rejects has names of its own (object stores: `BadDigest`). */
  readonly name?: string
  /** The resource is created anyway, and its id is in the envelope (contract 7, 424 and 500). */
  readonly jobContinues?: boolean
}

/** How a job, video or operation unfolds, when not by default. */
export interface PlannedJob {
  /** Fails at this percentage of its duration. */
  readonly failAt?: number
  /** The failure in the words of the resource: `comment` of an image job, `error` of a video. */
  readonly failure?: { readonly code: string; readonly message?: string | undefined }
  /** Never leaves its running state. */
  readonly stuck?: boolean
  /** Terminal in the response to the submission. */
  readonly finished?: boolean
  /** Not found (404) from this percentage of its duration on. */
  readonly notFoundAt?: number
  /** Results that the image audit blocks, 0-based. */
  readonly blocked?: readonly number[]
  /** Falls back to its first state at this percentage of its duration, and starts over. */
  readonly regressAt?: number
  /** Replaces the default timeline as a whole. */
  readonly timeline?: Timeline
}

/** How a text answer reads, when not by default. */
export interface PlannedAnswer {
  readonly text?: string
  readonly refusal?: string
  readonly finish?: 'content_filter' | 'length'
  /** Thinking comes encrypted (messages, when thinking is asked for). */
  readonly redactedThinking?: boolean
}

/**
 * What the service behind the gateway does, when not by default: it rejects with a status, reports a usage
 * that cannot be billed, or answers with fields beyond those the contract names.
 */
export type PlannedUpstream =
  | { readonly status: number }
  | { readonly usage: 'missing' | 'invalid' }
  | { readonly fields: Readonly<Record<string, unknown>> }

/** What is wrong with an upload URL. */
export interface PlannedUpload {
  /** It has already expired. */
  readonly expired?: boolean
  /** Its signature is wrong. */
  readonly tampered?: boolean
  /** It is signed for another method than the one the response names. */
  readonly wrongMethod?: boolean
}

/** The service is down: connections of the session are reset, and nothing acts. */
export interface PlannedOutage {
  /** Virtual milliseconds. */
  readonly ms: number
  /** The most calls that are reset, this one included. */
  readonly times?: number
}

/** How a stream is paced; milliseconds of virtual time. */
export interface PlannedPace {
  readonly firstEventAfter?: number
  readonly eventInterval?: number
  /** Each wait is longer or shorter by up to this much; drawn from the call's identity. */
  readonly jitter?: number
}

/** A response instead of the endpoint's own; the endpoint does not act. */
export interface PlannedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body:
    | { readonly kind: 'json'; readonly value: unknown }
    | { readonly kind: 'text'; readonly text: string }
    | Extract<Body, { readonly kind: 'bytes' }>
    | { readonly kind: 'none' }
}

/** What is changed in the body that the endpoint answers, when it is JSON. */
export interface PlannedPatch {
  /** Objects are merged, anything else is replaced; a key may be a path. Null sets null. */
  readonly merge: Readonly<Record<string, unknown>>
  /** Paths that are removed. */
  readonly unset: readonly string[]
}

export interface Plan {
  /** What decided this plan, for the journal: `reserved: model sim-overloaded`. */
  readonly decidedBy?: string
  /** The scenario rule that answers. */
  readonly rule?: string
  /**
   * The model of the call when it is the reserved value that decided: what it stands for happens whatever
   * models the settings know.
   */
  readonly reservedModel?: string
  readonly reject?: PlannedRejection
  readonly job?: PlannedJob
  readonly answer?: PlannedAnswer
  readonly upstream?: PlannedUpstream
  readonly upload?: PlannedUpload
  readonly pace?: PlannedPace
  /** The answer, chunk by chunk, instead of the default one. */
  readonly script?: Script
  /** The scripts of several choices (`n` > 1), the first being `script`; the last one serves all others. */
  readonly choices?: readonly Script[]
  /** A whole stream by hand; a call without one gets what it would get otherwise. */
  readonly frames?: Frames
  readonly faults?: readonly PlannedFault[]
  readonly outage?: PlannedOutage
  readonly response?: PlannedResponse
  readonly patch?: PlannedPatch
  /** Headers of the response that are set, or taken away (null). */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Virtual milliseconds between the call and the first byte of its response. */
  readonly delay?: number
  /** True when the script breaks the contract on purpose: the response is not held against its schema. */
  readonly offContract?: boolean
}

/** The plan of a call that nothing has planned anything for. */
export const defaultPlan: Plan = {}

/** The error of a planned rejection; `jobId` names the job that runs nevertheless. */
export function plannedError(rejection: PlannedRejection, jobId?: string): ApiError {
  const { type, message, code, status, param, own, retryAfterMs, name } = rejection
  const keepsWait = retryAfterMs === undefined ? undefined : true
  return new ApiError(
    type,
    message,
    defined({ code, status, param, own, retryAfterMs, keepsWait, name, jobId }),
  )
}
