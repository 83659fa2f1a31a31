/** One recorded call, whoever recorded it: our own proxy, a browser, Playwright, another proxy. */

/** How an exchange ended: whole, or broken off by the client or by the gateway. */
export type ExchangeEnd = 'complete' | 'client' | 'gateway'

export type Headers = readonly (readonly [name: string, value: string])[]

export const headerIn = (headers: Headers, name: string): string | undefined =>
  headers.find(([one]) => one === name)?.[1]

export interface RecordedRequest {
  readonly method: string
  /** Absolute, with its query; secrets are replaced by `redacted`. */
  readonly url: string
  /** Lower-case names, in the order they were sent; a name may repeat. */
  readonly headers: Headers
  readonly body: Uint8Array | undefined
}

export interface RecordedReply {
  readonly status: number
  /** Lower-case names, in the order they came; a name may repeat. */
  readonly headers: Headers
  readonly body: Uint8Array
  /**
   * When the pieces of the body came: milliseconds since the request was sent, and bytes. Undefined where
   * nobody wrote it down.
   */
  readonly chunks: readonly { readonly at: number; readonly bytes: number }[] | undefined
  /**
   * The recorder did not keep the body (a browser that saves no content, a body beyond the bound): `body` is
   * empty and says nothing.
   */
  readonly bodyLost?: true
}

export interface RecordedExchange {
  /** The file and the place in it (`calls.har, entry 3`), for messages. */
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Milliseconds until the first byte of the reply, and until its end. */
  readonly firstByteAfter: number
  readonly endedAfter: number
  readonly request: RecordedRequest
  /** Undefined where the gateway broke off before its status line, or could not be reached. */
  readonly reply: RecordedReply | undefined
  readonly ended: ExchangeEnd
  /** A name for the client key that says nothing of it: `key-1`. Undefined where none was sent or kept. */
  readonly key: string | undefined
  /** The session of a simulator that the call named. */
  readonly session: string | undefined
  /**
   * What was taken out: `header:name`, `query:name`, and JSON pointers into the request's body; of the
   * reply the same behind `reply:` (`reply:/upload_url`, `reply:header:set-cookie`). An empty pointer is a
   * body that is no JSON.
   */
  readonly redacted: readonly string[]
}
