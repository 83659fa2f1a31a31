/**
 * One call of a replay as plain data: what was sent, what came back and when. Times are virtual milliseconds.
 */
import type { Break, StreamEnd } from '../scenario/format/steps.ts'

/** Bytes, by what can be said of them. */
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

/** What a step sends; `init` is what `fetch` takes, the rest is for people. */
export interface StepRequest {
  readonly operation: string | undefined
  readonly method: string
  readonly url: string
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>
  /** The key by its name in the scenario; undefined when none is sent. */
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
  /** What came of the body, also when it broke off. */
  readonly size: number
  readonly sha256: string
  /** The body as text, when it is one. */
  readonly text: string | undefined
  /** The body as JSON, when it is JSON. */
  readonly json: unknown
  /** The events, when it is a stream. */
  readonly events: readonly ReceivedEvent[] | undefined
  /** The comments of a stream, which no client hears of. */
  readonly comments: readonly { readonly after: number; readonly text: string }[]
}

export interface Exchange {
  readonly request: StepRequest
  /** Since the epoch. */
  readonly at: number
  /** Since the epoch: when the last byte had come. */
  readonly endedAt: number
  readonly reply: Received | undefined
  readonly broken: Break | undefined
  /** How the stream ended, when it is one; `end` where no end marker came. */
  readonly ended: StreamEnd | undefined
  /** In the words of whoever broke it. */
  readonly reason: string | undefined
}
