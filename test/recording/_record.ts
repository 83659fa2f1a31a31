/** A recorder around the `fetch` of a simulator: what a proxy in front of a gateway would write. */
import { asBody, type Exchange, textBody } from '../../src/exchange/exchange.ts'
import type { Simulator } from '../../src/index.ts'
import { readRecordings } from '../../src/recording/read-recordings.ts'
import { harText } from './_har.ts'

export interface Recorder {
  readonly fetch: typeof globalThis.fetch
  readonly exchanges: Exchange[]
  /** As a HAR object. */
  har(): object
}

/** A POST with JSON, by a client of any API. */
export const posting = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...asClient, 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

export const asClient = { authorization: 'Bearer k', 'anthropic-version': '2023-06-01' }

const plain = {
  ...{ source: '', firstByteAfter: 0, endedAfter: 0, ended: 'completed' as const },
  ...{ key: undefined, session: undefined, redacted: [] },
}

/** Times are those of the simulator's clock. */
export function recorder(sim: Simulator, fetch: Simulator['fetch'] = sim.fetch): Recorder {
  const exchanges: Exchange[] = []
  return {
    exchanges,
    har: () => JSON.parse(harText(exchanges, 'test')) as object,
    async fetch(input, init) {
      const request = new Request(input as string, init)
      const body = new Uint8Array(await request.clone().arrayBuffer())
      const at = sim.clock.now()
      const response = await fetch(request)
      const bytes = new Uint8Array(await response.clone().arrayBuffer())
      const { method, url } = request
      exchanges.push({
        ...{ ...plain, seq: exchanges.length, at },
        request: {
          ...{
            method,
            url,
            headers: [...request.headers],
            body: body.length === 0 ? undefined : asBody(body),
          },
        },
        response: { status: response.status, headers: [...response.headers], body: asBody(bytes) },
      })
      return response
    },
  }
}

/** An exchange that nobody had to make. */
export function exchange(
  request: { readonly method?: string; readonly url: string; readonly body?: unknown },
  response: {
    readonly status?: number
    readonly type?: string
    readonly body: string | Uint8Array
    readonly chunks?: readonly { readonly at: number; readonly bytes: number }[]
  },
  more: Partial<Exchange> = {},
): Exchange {
  const { method = request.body === undefined ? 'GET' : 'POST', url, body } = request
  return {
    ...plain,
    seq: 0,
    at: Date.parse('2026-01-01T00:00:00Z'),
    request: {
      method,
      url,
      headers: body === undefined ? [] : [['content-type', 'application/json']],
      body: body === undefined ? undefined : textBody(JSON.stringify(body)),
    },
    response: {
      status: response.status ?? 200,
      headers: [['content-type', response.type ?? 'application/json']],
      body: typeof response.body === 'string' ? textBody(response.body) : asBody(response.body),
      chunks: response.chunks,
    },
    ...more,
  }
}

/** The scenario that plays them back. */
export const recordingsOf = (exchanges: readonly Exchange[]) =>
  readRecordings(JSON.parse(harText(exchanges, 'test')) as object)
