/** Calls of a recording, as tests of `gateway-sim diff` need them. */
import type { RecordedExchange } from '../../src/har/write-har.ts'

interface Asked {
  readonly method?: string
  readonly path?: string
  /** JSON, or a form. */
  readonly body?: object | FormData
  readonly key?: false
}

interface Answered {
  readonly status?: number
  /** JSON, or the text of a stream. */
  readonly body?: unknown
  readonly headers?: readonly (readonly [string, string])[]
}

const jsonType = ['content-type', 'application/json'] as const

/** A call with its response; undefined: none came. */
export async function recorded(
  { method = 'POST', path = '/v1/chat/completions', body, key }: Asked,
  answered: Answered | undefined,
): Promise<RecordedExchange> {
  const isForm = body instanceof FormData
  const request = new Request(`https://gw.example${path}`, {
    method,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    headers: body === undefined || isForm ? {} : [[...jsonType]],
  })
  const bytes = new Uint8Array(await request.clone().arrayBuffer())
  const { status = 200, body: content, headers = [] } = answered ?? {}
  const isStream = typeof content === 'string'
  const text = isStream ? content : JSON.stringify(content ?? {})
  const type = isStream ? (['content-type', 'text/event-stream'] as const) : jsonType
  return {
    source: 'calls.har',
    ...{ startedAt: 0, firstByteAfter: 10, endedAfter: 20, session: undefined, redacted: [] },
    ended: answered === undefined ? 'disconnected' : 'completed',
    key: key === false ? undefined : 'key-1',
    request: {
      method,
      url: request.url,
      headers: [...request.headers],
      body: bytes.length === 0 ? undefined : bytes,
    },
    response:
      answered === undefined
        ? undefined
        : { status, headers: [type, ...headers], body: new TextEncoder().encode(text), chunks: [] },
  }
}

/** The calls in order, each with its place in the file. */
export async function recording(
  file: string,
  ...calls: readonly Promise<RecordedExchange>[]
): Promise<readonly RecordedExchange[]> {
  const all = await Promise.all(calls)
  return all.map((one, index) => ({
    ...one,
    source: `${file}, entry ${index + 1}`,
    startedAt: index * 1000,
  }))
}
