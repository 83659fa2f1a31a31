/**
 * The plan of one call, as data. One director creates it from defaults, reserved values, settings and
 * scenarios; endpoints do not know the source of a plan.
 */
import { defined } from '../engine/fields.ts'
import type { Timeline } from '../engine/timeline.ts'
import type { PlannedFault } from './chunks.ts'
import { ApiError, type RejectionType } from './errors.ts'
import type { Rate } from './rate.ts'
import type { Body } from './response.ts'
import type { Script } from './script.ts'

/** A planned rejection with its stage in the call. */
export interface PlannedRejection {
  readonly type: RejectionType
  readonly message: string
  readonly before: 'auth' | 'validation' | 'act'
  readonly code?: number
  readonly status?: number
  /** The rejected field. */
  readonly param?: string
  /** The `error.type` that a scenario sets, which may be any string. */
  readonly ownType?: string
  readonly retryAfterMs?: number | undefined
  /** The rate of the API key, for the headers of the rejection. */
  readonly rate?: Rate
  /** Its name in services with named errors (object stores: `BadDigest`). */
  readonly name?: string
  /** The resource is created anyway, and its id is in the envelope. */
  readonly jobContinues?: boolean
}

/** The course of a job, if it is not the default. */
export interface PlannedJob {
  /** Fails at this percentage of its duration. */
  readonly failAt?: number
  /** The failure in the format of the resource: `comment` of an image job, `error` of a video. */
  readonly failure?: { readonly code: string; readonly message?: string | undefined }
  /** Never leaves its running state. */
  readonly stuck?: boolean
  /** Finished in the response to the submission. */
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

/** A tool to call. Without an input, the arguments come from the tool's schema and the prompt. */
export interface PlannedCall {
  readonly name: string
  readonly input?: string
}

/** The content of a response, if it is not the default. */
export interface PlannedAnswer {
  readonly text?: string
  readonly refusal?: string
  readonly calls?: readonly PlannedCall[]
  readonly finish?: 'content_filter' | 'length'
  /** Thinking is redacted (messages with thinking enabled). */
  readonly redactedThinking?: boolean
}

/**
 * The behaviour of the upstream, if it is not the default: a rejection, an invalid usage, or fields that are
 * not in the contract.
 */
export type PlannedUpstream =
  | { readonly status: number }
  | { readonly usage: 'missing' | 'invalid' }
  | { readonly fields: Readonly<Record<string, unknown>> }

/** The fault of an upload URL: its time, its signature, or the method that it is signed for. */
export type PlannedUpload = 'expired' | 'tampered' | 'wrong-method'

/** An outage: connections of the session are reset, and requests have no effect. */
export interface PlannedOutage {
  /** Virtual milliseconds. */
  readonly ms: number
  /** The maximum number of reset calls, including this one. */
  readonly times?: number
}

/** The pace of a stream, in virtual milliseconds. */
export interface PlannedPace {
  readonly firstEventAfter?: number
  readonly eventInterval?: number
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

/** Changes to a JSON body of the endpoint. */
export interface PlannedPatch {
  /** Objects are merged, anything else is replaced; a key may be a path. Null sets null. */
  readonly merge: Readonly<Record<string, unknown>>
  /** Paths that are removed. */
  readonly unset: readonly string[]
}

/** What decided a response. */
export interface Decision {
  readonly kind:
    | 'rule'
    | 'reserved-key-word'
    | 'reserved-model'
    | 'reserved-prompt'
    | 'reserved-path'
    | 'breakpoint'
    | 'user-handler'
    | 'strict'
    | 'outage'
  /** The id of the rule, or the reserved value as written. */
  readonly name?: string | undefined
}

/** `reserved model sim-overloaded`. */
export const decisionText = ({ kind, name }: Decision): string =>
  `${kind.replaceAll('-', ' ')}${name === undefined ? '' : ` ${name}`}`

/** A reserved value in a call, and what it does in words. */
export interface ReservedValue {
  readonly in: 'key' | 'model' | 'prompt' | 'path'
  /** As the call has it: `sim-length`, `[sim:length]`. */
  readonly written: string
  readonly effect: string
}

export interface Plan {
  /** The source of this plan, for the journal. */
  readonly decidedBy?: Decision
  /** The scenario rule that responds. */
  readonly rule?: string
  /** The reserved value of the call. As a model, it works whatever models the settings list. */
  readonly reserved?: ReservedValue | undefined
  readonly reject?: PlannedRejection
  readonly job?: PlannedJob
  readonly answer?: PlannedAnswer
  readonly upstream?: PlannedUpstream
  readonly upload?: PlannedUpload
  readonly pace?: PlannedPace
  /** The scripted response, chunk by chunk, instead of the default. */
  readonly script?: Script
  /** The scripts of several choices (`n` > 1), the first being `script`; the last one repeats. */
  readonly choices?: readonly Script[]
  /** All faults; what some of them do is in other parts of this plan, such as `rate-limit` in `reject`. */
  readonly faults?: readonly PlannedFault[]
  readonly outage?: PlannedOutage
  readonly response?: PlannedResponse
  readonly patch?: PlannedPatch
  /** Response headers to set or remove (null). */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Virtual milliseconds between the call and the first byte of its response. */
  readonly delay?: number
  /** True if the script violates the contract on purpose: its response is not checked against the schema. */
  readonly offContract?: boolean
}

/** The default plan. */
export const defaultPlan: Plan = {}

/** The error of a planned rejection; `jobId` is the job that continues anyway. */
export function plannedError(rejection: PlannedRejection, jobId?: string): ApiError {
  const { type, message, code, status, param, ownType, retryAfterMs, name } = rejection
  const keepsWait = retryAfterMs === undefined ? undefined : true
  return new ApiError(
    type,
    message,
    defined({ code, status, param, ownType, retryAfterMs, keepsWait, name, jobId }),
  )
}
