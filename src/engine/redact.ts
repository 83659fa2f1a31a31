/** Storage of external strings: keys are redacted, long strings truncated and copied. */

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

/** Request headers with secrets redacted and every value truncated to 1,000 characters. */
export function redactHeaders(
  headers: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const redacted: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string')
      redacted[name] = secretHeaders.has(name) ? redactHeader(value) : value.slice(0, maxHeaderLength)
  }
  return redacted
}

// The scheme in front of a key is no secret.
function redactHeader(value: string): string {
  const [, scheme = '', secret = ''] = /^((?:bearer|basic)\s+)?(.*)$/is.exec(value) ?? []
  return scheme + redactKey(secret)
}

/** A query with API keys redacted: some SDKs can send them there. */
export function redactQuery(query: string): string {
  return query.replace(
    /(^|&)(key|api_key|apikey|access_token)=([^&]*)/gi,
    (_, before: string, name: string, value: string) => `${before}${name}=${redactKey(value)}`,
  )
}

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

/** The same text, copied: what was sliced out of a larger text would keep all of that in memory. */
export function copied(text: string): string {
  return ` ${text}`.slice(1)
}
