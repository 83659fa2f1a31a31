/** Follows one call through the proxy, and keeps its bodies within bounds. */
import type { ExchangeEnd } from '../../exchange/exchange.ts'
import type { CapturedBody, CapturedCall } from './redact-call.ts'

export interface NewCall {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  /** The name of its API key, which is the name of its file. */
  readonly key: string | undefined
  readonly newCapture: ReturnType<typeof createCaptures>
  readonly onEnd: (call: CapturedCall) => void
}

export type CallRecord = ReturnType<typeof recordCall>

export function recordCall({ method, url, rawHeaders, key, newCapture, onEnd }: NewCall) {
  const startedAt = Date.now()
  const start = performance.now()
  /** Milliseconds since the request was sent. */
  const since = (): number => Math.round((performance.now() - start) * 1000) / 1000
  const requestBody = newCapture()
  const responseBody = newCapture()
  let response: Omit<NonNullable<CapturedCall['response']>, 'body'> | undefined
  let firstByteAfter = 0
  let over = false
  return {
    since,
    requestBody,
    responseBody,
    /** The status line has arrived. */
    begin(status: number, statusText: string, raw: readonly string[]): void {
      firstByteAfter = since()
      response = { status, statusText, headers: pairsOf(raw) }
    },
    /** Only the first end counts. */
    end(how: ExchangeEnd, error?: string): void {
      if (over) return
      over = true
      const endedAfter = since()
      onEnd({
        at: startedAt,
        firstByteAfter: response === undefined ? endedAfter : firstByteAfter,
        endedAfter,
        method,
        url,
        headers: pairsOf(rawHeaders),
        body: requestBody.take(),
        response: response && { ...response, body: responseBody.take() },
        ended: how,
        error,
        key,
      })
    },
    over: (): boolean => over,
    release(): void {
      requestBody.release()
      responseBody.release()
    },
  }
}

/** Keeps the bytes of bodies while they pass, within bounds. */
export interface CaptureBounds {
  /** The maximum size of a body that is kept. */
  readonly maxBodyBytes: number
  /** The maximum total size of bodies that are kept at a time. */
  readonly maxAllBytes: number
}

export function createCaptures({ maxBodyBytes, maxAllBytes }: CaptureBounds) {
  let all = 0
  return () => {
    let chunks: { at: number; bytes: Uint8Array }[] = []
    let size = 0
    let held = 0
    let lost = false
    /** Releases its share of the total. */
    const release = (): void => {
      all -= held
      held = 0
      chunks = []
    }
    return {
      add(bytes: Uint8Array, at: number): void {
        size += bytes.length
        if (!lost && (size > maxBodyBytes || all + bytes.length > maxAllBytes)) {
          lost = true
          release()
        }
        if (lost) return
        all += bytes.length
        held += bytes.length
        chunks.push({ at, bytes })
      },
      take: (): CapturedBody => ({ chunks, size, lost }),
      release,
    }
  }
}

/** Headers of one connection (RFC 9110 section 7.6.1), except those that frame the body. */
const ofConnection: readonly string[] = ['connection', 'keep-alive', 'proxy-connection', 'upgrade']

function inPairs(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string])
  return pairs
}

/** The same headers with lower-case names. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  return inPairs(raw).map(([name, value]) => [name.toLowerCase(), value])
}

/** The headers without those of the connection, and with some values replaced or removed. */
export function passedOn(
  raw: readonly string[],
  changes: Readonly<Record<string, string | undefined>> = {},
): string[] {
  const pairs = pairsOf(raw)
  const named = pairs
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== 'te')
  return pairs.flatMap(([name, value], at) => {
    if (ofConnection.includes(name) || named.includes(name)) return []
    const kept = name in changes ? changes[name] : value
    return kept === undefined ? [] : [raw[at * 2] as string, kept]
  })
}
