/** Follows one call through the proxy, and keeps its bodies within a bound. */
import type { ExchangeEnd } from '../../exchange/exchange.ts'
import type { CapturedBody, CapturedCall } from './redact-call.ts'

export interface NewCall {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  /** The name of its API key, which is the name of its file. */
  readonly key: string | undefined
}

export type CallRecord = ReturnType<typeof recordCall>

export function recordCall({ method, url, rawHeaders, key }: NewCall, maxBodyBytes: number) {
  const startedAt = Date.now()
  const start = performance.now()
  /** Milliseconds since the request was sent. */
  const since = (): number => Math.round((performance.now() - start) * 1000) / 1000
  const requestBody = captureBody(since, maxBodyBytes)
  const responseBody = captureBody(since, maxBodyBytes)
  let response: Omit<NonNullable<CapturedCall['response']>, 'body'> | undefined
  let firstByteAfter = 0
  let over = false
  let finish = (_call: CapturedCall): void => {}
  return {
    ended: new Promise<CapturedCall>((resolve) => (finish = resolve)),
    request: requestBody.add,
    response: responseBody.add,
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
      finish({
        at: startedAt,
        firstByteAfter: response === undefined ? endedAfter : firstByteAfter,
        endedAfter,
        method,
        url,
        headers: pairsOf(rawHeaders),
        body: requestBody.captured(),
        response: response && { ...response, body: responseBody.captured() },
        ended: how,
        error,
        key,
      })
    },
    over: (): boolean => over,
  }
}

/** Keeps the bytes of a body while they pass. */
function captureBody(since: () => number, maxBodyBytes: number) {
  let chunks: { at: number; bytes: Uint8Array }[] = []
  let size = 0
  return {
    add(bytes: Uint8Array): void {
      size += bytes.length
      if (size <= maxBodyBytes) chunks.push({ at: since(), bytes })
      else chunks = []
    },
    captured: (): CapturedBody => ({ chunks, size, lost: size > maxBodyBytes }),
  }
}

/** Headers of one connection (RFC 9110 section 7.6.1), except those that frame the body. */
const ofConnection: readonly string[] = ['connection', 'keep-alive', 'proxy-connection', 'upgrade']

/** The headers with lower-case names. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at < raw.length; at += 2)
    pairs.push([(raw[at] as string).toLowerCase(), raw[at + 1] as string])
  return pairs
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
