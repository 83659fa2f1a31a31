/** Reads responses off a connection, and says so when they are no HTTP. */

export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Where the next response begins. */
  readonly end: number
}

/** The bytes are no response, or no response any more. */
export class Unreadable extends Error {}

/**
 * The response that begins at `from`, or undefined when it is not whole. Text holds one byte in each letter.
 * `method` says whether a body follows; unknown, a body follows unless the next response stands in its place.
 */
export function readResponse(
  text: string,
  from: number,
  method: string | undefined,
  over: boolean,
): RawResponse | undefined {
  const headEnd = text.indexOf('\r\n\r\n', from)
  if (headEnd < 0) return undefined
  const [first = '', ...lines] = text.slice(from, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) ?[\x20-\x7e]*$/.exec(first)?.[1])
  if (Number.isNaN(status)) throw new Unreadable(`no status line: ${JSON.stringify(first.slice(0, 80))}`)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? []
    if (name === undefined) throw new Unreadable(`no header: ${JSON.stringify(line.slice(0, 80))}`)
    const known = headers[name.toLowerCase()]
    headers[name.toLowerCase()] = known === undefined ? (value ?? '') : `${known}, ${value}`
  }
  const at = headEnd + 4
  if (status < 200 && status !== 101) return readResponse(text, at, method, over)
  const response = (body: string, end: number): RawResponse => ({ status, headers, body, end })
  if (method === 'HEAD' || status === 204 || status === 304) return response('', at)
  if (headers['transfer-encoding'] === 'chunked') return chunked(text, at, response)
  const length = headers['content-length']
  if (length === undefined) return over ? response(text.slice(at), text.length) : undefined
  if (method === undefined && (text.startsWith('HTTP/1.1 ', at) || (over && at === text.length)))
    return response('', at)
  const end = at + Number(length)
  return text.length < end ? undefined : response(text.slice(at, end), end)
}

function chunked(
  text: string,
  from: number,
  response: (body: string, end: number) => RawResponse,
): RawResponse | undefined {
  const parts: string[] = []
  for (let at = from; ; ) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = /^[0-9a-fA-F]+$/.test(text.slice(at, lineEnd))
      ? Number.parseInt(text.slice(at, lineEnd), 16)
      : -1
    if (size < 0) throw new Unreadable(`no chunk: ${JSON.stringify(text.slice(at, at + 40))}`)
    const end = lineEnd + 2 + size + 2
    if (text.length < end) return undefined
    if (text.slice(end - 2, end) !== '\r\n') throw new Unreadable('a chunk that does not end where it says')
    if (size === 0) return response(parts.join(''), end)
    parts.push(text.slice(lineEnd + 2, end - 2))
    at = end
  }
}
