/** Storage of external strings: keys are redacted, long strings truncated. */

/** The first and last characters of a key. */
export function redactKey(key: string): string {
  return key.length <= 10 ? `${key.slice(0, 2)}***` : `${key.slice(0, 6)}***${key.slice(-3)}`
}

const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'x-sim-token',
])
/** Whether the value of a header is redacted. */
export const isSecretHeader = (name: string): boolean => secretHeaders.has(name)

const maxHeaderLength = 1000

/** The value of a request header: a secret is redacted, and at most 1,000 characters are kept. */
export function redactHeader(name: string, value: string): string {
  return secretHeaders.has(name) ? redactCredentials(value) : value.slice(0, maxHeaderLength)
}

// The scheme in front of a key is no secret.
function redactCredentials(value: string): string {
  const [, scheme = '', secret = ''] = /^((?:bearer|basic)\s+)?(.*)$/is.exec(value) ?? []
  return scheme + redactKey(secret)
}

const secretParameter = /(^|[?&])(key|api_key|apikey|access_token)=([^&]*)/gi

/** A query with API keys redacted: some SDKs can send them there. */
export function redactQuery(query: string): string {
  return query.replace(
    secretParameter,
    (_, before: string, name: string, value: string) => `${before}${name}=${redactKey(value)}`,
  )
}

/** The names of the parameters that are redacted. */
export const secretsInQuery = (url: string): readonly string[] =>
  [...url.matchAll(secretParameter)].map(([, , name]) => name as string)

/** The first `length` characters, copied: a slice would keep the whole text in memory behind it. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : (JSON.parse(JSON.stringify(text.slice(0, length))) as string)
}

/** The first `length` characters of a text in UTF-8. No more is read than is kept, as long as it is ASCII. */
export function textFrom(bytes: Uint8Array, length: number): string {
  // The last character of a part may not be whole.
  const start = (end: number): string => new TextDecoder().decode(bytes.subarray(0, end), { stream: true })
  const text = start(length)
  return text.length === Math.min(length, bytes.length) ? text : truncate(start(3 * length), length)
}

/** A signed URL, which grants access to everyone who has it. */
const signed =
  /(https?:\/\/[^\s?"']+)\?[^\s"']*(?:sign|token|credential|access|x-amz-|x-goog-|\bsig\b)[^\s"']*/gi

/** The same data without the signatures of URLs. */
export function withoutSignatures<Data>(data: Data): Data {
  const hidden = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(signed, '$1?<signed>')
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(hidden)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hidden(one)]))
  }
  return hidden(data) as Data
}
