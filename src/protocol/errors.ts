/** Rejections of the service: their status, and the error that endpoints throw. */

/** Every rejection by its `error.type`, with its HTTP status. */
export const rejections = {
  invalid_request_error: { status: 400 },
  moderation_blocked: { status: 400 },
  content_policy_violation: { status: 400 },
  authentication_error: { status: 401 },
  permission_error: { status: 403 },
  not_found_error: { status: 404 },
  method_not_allowed: { status: 405 },
  precondition_failed: { status: 412 },
  request_too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  range_not_satisfiable: { status: 416 },
  downstream_unavailable: { status: 424 },
  rate_limit_error: { status: 429 },
  insufficient_quota: { status: 429 },
  api_error: { status: 500 },
  upstream_response_error: { status: 502 },
  provider_unavailable: { status: 503 },
  timeout_error: { status: 504 },
  overloaded_error: { status: 503 },
} as const satisfies Record<string, { status: number }>

export type RejectionType = keyof typeof rejections

/** One finding in `error.details`. Image jobs document `code` and `message`; `field` is its path. */
export interface RejectionDetail {
  readonly code: number
  readonly message: string
  readonly field?: string
}

export interface RejectionOptions {
  /** The numeric code in the envelope (2002, 2004 or 2007). Default: the HTTP status. */
  readonly code?: number
  /** The path of the rejected field, such as `messages[0].content`. */
  readonly param?: string
  readonly details?: readonly RejectionDetail[]
  readonly headers?: Readonly<Record<string, string>>
  /** The job that exists and continues although its submission was rejected. */
  readonly jobId?: string
  /** Virtual milliseconds to wait before a retry. */
  readonly retryAfterMs?: number
  /** Sends `retryAfterMs` with the `auto` clock too, whatever its length, because a scenario sets it. */
  readonly keepsWait?: true
  /** The name of this rejection in services with named errors (object stores: `NoSuchKey`). */
  readonly name?: string
  /** Overrides the status of the type. */
  readonly status?: number
  /** The `error.type` that a scenario sets, which may be any string. */
  readonly ownType?: string
}

/** A rejection by the service, with the documented status and the envelope of the group. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly type: RejectionType
  readonly status: number
  readonly code: number
  readonly options: RejectionOptions

  constructor(type: RejectionType, message: string, options: RejectionOptions = {}) {
    super(message)
    this.type = type
    this.status = options.status ?? rejections[type].status
    this.code = options.code ?? this.status
    this.options = options
  }
}

/** The error envelope. */
export interface Envelope {
  readonly error: {
    readonly type: string
    readonly code: number
    readonly message: string
    readonly param: string | null
    readonly details: readonly RejectionDetail[]
    readonly trace_id: string
  }
}

/** The envelope for clients of all API families. */
export function envelope({ type, code, message, options }: ApiError, traceId: string): Envelope {
  const { param = null, details = [], ownType = type } = options
  return { error: { type: ownType, code, message, param, details, trace_id: traceId } }
}
