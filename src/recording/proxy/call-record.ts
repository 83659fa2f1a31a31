/** Follows one call through the proxy, and says what it was when it is over. */
import type { ExchangeEnd } from '../../har/exchange.ts'
import type { Capture } from './capture.ts'
import { pairsOf } from './headers.ts'
import type { Owner } from './links.ts'
import type { CapturedCall } from './redact-call.ts'

export interface CallRecord {
  readonly method: string
  readonly url: string
  readonly owner: Owner
  /** Milliseconds since the request was sent. */
  readonly since: () => number
  readonly asked: Capture
  readonly told: Capture
  /** The status line has come. */
  begin(status: number, statusText: string, rawHeaders: readonly string[]): void
  /** The first end counts. */
  end(how: ExchangeEnd, error?: string): void
  readonly over: () => boolean
  /** Its bodies are written down. */
  release(): void
}

export interface NewCall {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly owner: Owner
  readonly newCapture: () => Capture
  readonly onEnd: (call: CapturedCall) => void
}

export function recordCall({ method, url, rawHeaders, owner, newCapture, onEnd }: NewCall): CallRecord {
  const startedAt = Date.now()
  const start = performance.now()
  const since = (): number => Math.round((performance.now() - start) * 1000) / 1000
  const asked = newCapture()
  const told = newCapture()
  let reply: Omit<NonNullable<CapturedCall['reply']>, 'body'> | undefined
  let firstByteAfter = 0
  let over = false
  return {
    method,
    url,
    owner,
    since,
    asked,
    told,
    begin(status, statusText, raw) {
      firstByteAfter = since()
      reply = { status, statusText, headers: pairsOf(raw) }
    },
    end(how, error) {
      if (over) return
      over = true
      const endedAfter = since()
      const call: CapturedCall = {
        startedAt,
        firstByteAfter: reply === undefined ? endedAfter : firstByteAfter,
        endedAfter,
        method,
        url,
        headers: pairsOf(rawHeaders),
        body: asked.take(),
        reply: reply && { ...reply, body: told.take() },
        ended: how,
        error,
        ...owner,
      }
      onEnd(call)
    },
    over: () => over,
    release() {
      asked.release()
      told.release()
    },
  }
}
