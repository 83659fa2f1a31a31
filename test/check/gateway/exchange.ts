/** What the gateway of the tests is asked and answers, before it becomes HTTP. */

/** One request, read. */
export interface Asked {
  readonly method: string
  readonly path: string
  /** What was matched of the path. */
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  readonly headers: Headers
  /** The JSON body, or the fields of a form (files as `File`). */
  readonly body: Readonly<Record<string, unknown>>
  readonly bytes: Uint8Array
}

/** One event of a stream: its `event:` line, if it has one, and its data. */
export interface Sent {
  readonly event?: string
  /** An object goes out as JSON, a text as it is. */
  readonly data: unknown
}

/** One answer. Exactly one of `json`, `bytes` and `events` is set. */
export interface Answer {
  readonly status: number
  readonly type?: string
  readonly json?: Readonly<Record<string, unknown>>
  readonly bytes?: Uint8Array
  readonly events?: readonly Sent[]
}

/** What a planted violation changes: a request before it is looked at, or an answer before it goes out. */
export interface Change {
  request?(asked: Asked): Asked
  /** `seen`: how often this address was asked successfully before, so 0 for the first poll of a job. */
  answer?(answer: Answer, asked: Asked, seen: number): Answer
}

/** Rejects: what `status` and the family's envelope say. */
export class Rejected extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, message: string, code = 1000 + status) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Rejects a request with what is wrong with it. */
export function require(holds: boolean, message: string, code?: number): asserts holds {
  if (!holds) throw new Rejected(400, message, code)
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0

/** Whether a field is left out, or a number in a range. */
export function inRange(value: unknown, low: number, high: number, whole = false): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'number' && value >= low && value <= high && (!whole || Number.isInteger(value))
}
