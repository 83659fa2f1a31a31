/** One request and its response. */
import type { RecordedExchange } from '../har/write-har.ts'

export type Headers = readonly (readonly [name: string, value: string])[]
export interface ExchangeBody {
  readonly text?: string | undefined
  readonly bytes?: Uint8Array | undefined
  readonly size: number
  readonly isComplete: boolean
}
export interface Exchange {
  readonly seq: number
  readonly source?: string | undefined
  readonly at: number
  readonly operation?: string | undefined
  readonly key?: string | undefined
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Headers
    readonly body?: ExchangeBody | undefined
  }
  readonly response?:
    | {
        readonly status: number
        readonly headers: Headers
        readonly body?: ExchangeBody | undefined
        readonly events?:
          | readonly { readonly at: number; readonly event?: string | undefined; readonly data: string }[]
          | undefined
        readonly eventCount?: number | undefined
        readonly chunks?: readonly { readonly at: number; readonly bytes: number }[] | undefined
      }
    | undefined
  readonly ended: 'open' | 'completed' | 'aborted' | 'disconnected'
  readonly firstByteAfter: number
  readonly endedAfter: number
  readonly redacted: readonly string[]
}
export const headerIn = (headers: Headers, name: string): string | undefined =>
  headers.find(([one]) => one === name)?.[1]
export function asBody(bytes: Uint8Array): ExchangeBody {
  const size = bytes.length
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { text, size, isComplete: true }
  } catch {
    return { bytes, size, isComplete: true }
  }
}
export const bytesOf = (body: ExchangeBody | undefined): Uint8Array =>
  body?.bytes ?? new TextEncoder().encode(body?.text ?? '')

/** An exchange as HAR files and the judges of recordings take it. */
export function recorded(exchange: Exchange): RecordedExchange {
  const { source = '', at, firstByteAfter, endedAfter, request, response, ended, redacted } = exchange
  const sent = request.body === undefined ? undefined : bytesOf(request.body)
  const isLost = response?.body?.isComplete === false
  return {
    source,
    startedAt: at,
    firstByteAfter,
    endedAfter,
    request: { ...request, body: sent },
    response: response && {
      status: response.status,
      headers: response.headers,
      body: bytesOf(response.body),
      chunks: response.chunks,
      bodyLost: isLost ? true : undefined,
    },
    ended: ended === 'open' ? 'aborted' : ended,
    key: undefined,
    session: undefined,
    redacted,
  }
}
