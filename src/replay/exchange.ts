/** One call of a replay as plain data. Times are virtual milliseconds. */
import type { Break, StreamEnd } from '../scenario/format/steps.ts'

/** A description of bytes. */
export interface BytesFacts {
  readonly type: string
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

export type SentBody =
  | { readonly json: unknown }
  | {
      readonly form: readonly (
        | { readonly name: string; readonly value: string }
        | { readonly name: string; readonly filename: string; readonly file: BytesFacts }
      )[]
    }
  | { readonly bytes: BytesFacts }

/** A request; `init` is for `fetch`, the rest for reports. */
export interface StepRequest {
  readonly operation: string | undefined
  readonly method: string
  readonly url: string
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>
  /** The name of the key in the scenario; undefined if none is sent. */
  readonly key: string | undefined
  readonly body: SentBody | undefined
  readonly init: RequestInit
}

export interface ReceivedEvent {
  /** Milliseconds after the call. */
  readonly after: number
  readonly event: string | undefined
  readonly data: string
}

export interface Received {
  /** Milliseconds after the call at which the reply began. */
  readonly after: number
  readonly status: number
  /** Lower-case names, sorted. */
  readonly headers: Readonly<Record<string, string>>
  /** The media type without its parameters. */
  readonly type: string
  /** Bytes received, also of a body that broke off. */
  readonly size: number
  readonly sha256: string
  /** The body, if it is text. */
  readonly text: string | undefined
  /** The body, if it is JSON. */
  readonly json: unknown
  /** The events, if it is a stream. */
  readonly events: readonly ReceivedEvent[] | undefined
  /** The comments of a stream. */
  readonly comments: readonly { readonly after: number; readonly text: string }[]
}

export interface Exchange {
  readonly request: StepRequest
  /** Since the epoch. */
  readonly at: number
  /** Since the epoch: when the last byte arrived. */
  readonly endedAt: number
  readonly reply: Received | undefined
  readonly broken: Break | undefined
  /** How the stream ended, if it is one; `end` without an end marker. */
  readonly ended: StreamEnd | undefined
  /** The error message, if it broke. */
  readonly reason: string | undefined
}
