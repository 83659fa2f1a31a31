/** Hides secrets in what is kept of a call. */

/** A key as it may be shown: its beginning and its last characters. */
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
const maxHeaderLength = 1000

/**
 * The headers of a request as they may be shown: lower-case names, secrets shortened, each value up to 1,000
 * characters.
 */
export function redactHeaders(
  headers: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const shown: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string')
      shown[name] = secretHeaders.has(name) ? redactHeader(value) : value.slice(0, maxHeaderLength)
  }
  return shown
}

// The word before a key says how it was sent, and is no secret.
function redactHeader(value: string): string {
  const [, scheme = '', secret = ''] = /^((?:bearer|basic)\s+)?(.*)$/is.exec(value) ?? []
  return scheme + redactKey(secret)
}

/** A query as it may be shown: clients of some families can be told to put their key there. */
export function redactQuery(query: string): string {
  return query.replace(
    /(^|&)(key|api_key|apikey|access_token)=([^&]*)/gi,
    (_, before: string, name: string, value: string) => `${before}${name}=${redactKey(value)}`,
  )
}
