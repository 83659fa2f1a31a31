/** Calls of a recording, as tests of `gateway-sim diff` need them. */
import { asBody, type Exchange, textBody } from '../../src/exchange/exchange.ts'

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
): Promise<Exchange> {
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
    seq: 0,
    source: 'calls.har',
    ...{ at: 0, firstByteAfter: 10, endedAfter: 20, redacted: [] },
    ended: answered === undefined ? 'disconnected' : 'completed',
    key: key === false ? undefined : 'key-1',
    request: {
      method,
      url: request.url,
      headers: [...request.headers],
      body: bytes.length === 0 ? undefined : asBody(bytes),
    },
    response:
      answered === undefined
        ? undefined
        : { status, headers: [type, ...headers], body: textBody(text), chunks: [] },
  }
}

/** The calls in order, each with its place in the file. */
export async function recording(
  file: string,
  ...calls: readonly Promise<Exchange>[]
): Promise<readonly Exchange[]> {
  const all = await Promise.all(calls)
  return all.map((one, index) => ({
    ...one,
    source: `${file}, entry ${index + 1}`,
    seq: index,
    at: index * 1000,
  }))
}
