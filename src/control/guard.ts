/**
 * Decides who may use the control API: clients with the token or, if there is none, programs and allowed
 * pages. Every browser on the machine can reach a server on loopback: without this check any page could reset
 * it, and a page on any name that resolves to loopback could read its journal. A page cannot change the
 * headers that browsers send about it.
 */
import { ApiError } from '../protocol/errors.ts'
import type { Settings } from '../protocol/settings.ts'
import { clip } from '../protocol/wording.ts'

type RequestHeaders = Readonly<Record<string, string | undefined>>

export type Guard = ReturnType<typeof createGuard>

export function createGuard({ control, publicUrl }: Settings) {
  const origins = new Set([...control.origins, ...(publicUrl === undefined ? [] : [publicUrl])].map(originOf))
  const names = new Set(control.hosts.map((name) => name.toLowerCase()))
  if (publicUrl !== undefined) names.add(new URL(publicUrl).hostname)
  const isKnownHost = (host: string): boolean => {
    const name = nameOf(host)
    return isLoopback(name) || names.has(name)
  }
  /** Whether a page of this origin may call and read the control API. */
  const allowsOrigin = (origin: string): boolean => origins.has(origin.toLowerCase())
  return {
    /** The headers that it reads. */
    headers: ['host', 'origin', 'sec-fetch-site'] as readonly string[],
    allowsOrigin,
    /** Why a request with these headers is rejected; undefined if it is allowed. */
    rejection(headers: RequestHeaders, isGet: boolean): ApiError | undefined {
      const { host, origin, 'sec-fetch-site': site } = headers
      // HTTP/1.0 clients may omit it; browsers never do.
      if (host !== undefined && host !== '' && !isKnownHost(host))
        return rejected(
          'host',
          host,
          'localhost, a loopback address or an allowed name (other names may indicate a DNS rebinding ' +
            'attack)',
          `add ${nameOf(host)} to the setting control.hosts`,
        )
      if (origin !== undefined) {
        if (allowsOrigin(origin)) return undefined
        // Browsers send an origin with preloads; behind a proxy, `host` may name another server.
        const isPreload = isGet && site === 'same-origin'
        if (!isPreload && !isOriginOf(origin, host)) return foreignOrigin(origin)
      }
      if (site === undefined || site === 'same-origin' || site === 'none') return undefined
      return rejected(
        'sec-fetch-site',
        site,
        'none or same-origin, or the `origin` of an allowed page',
        'add the origin of the page to the setting control.origins',
      )
    },
  }
}

function foreignOrigin(origin: string): ApiError {
  let remedy = `add ${origin}`
  if (origin === 'null') remedy = 'serve the page from a URL, and add its origin'
  if (/[\s,]/.test(origin)) remedy = 'send one origin, and add it'
  const expected = 'none, or the origin of an allowed page'
  return rejected('origin', origin, expected, `${remedy} to the setting control.origins`)
}

function rejected(header: string, got: string, expected: string, remedy: string): ApiError {
  return new ApiError(
    'permission_error',
    `${header}: expected ${expected}, got ${clip(got, 100)}. Without a token, only programs and allowed ` +
      `pages may use the control API. To allow this: ${clip(remedy, 200)}, or set a token.`,
    { param: header },
  )
}

/** An origin as browsers write it: without the port that its scheme implies. */
function originOf(written: string): string {
  return /^https?:/i.test(written) ? new URL(written).origin : written.toLowerCase()
}

// By host and port only: behind a TLS proxy, the page has another scheme.
function isOriginOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && origin.slice(origin.indexOf('://') + 3).toLowerCase() === host.toLowerCase()
}

/** The name in a `host` header, without its port and without a trailing dot. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(name)
  )
}

/**
 * Why a request with these headers is rejected; undefined if it is allowed. A client with the token may be
 * anywhere: a page cannot know the token, and cannot read responses unless its origin is allowed.
 */
export function rejectionOf(
  headers: Readonly<Record<string, string | undefined>>,
  { token, guard, isGet = false }: { readonly guard: Guard; token(): string | undefined; isGet?: boolean },
): ApiError | undefined {
  const wanted = token()
  if (wanted === undefined) return guard.rejection(headers, isGet)
  const given = headers['x-sim-token'] ?? /^bearer +(.+)$/i.exec(headers['authorization'] ?? '')?.[1]
  if (given !== undefined && same(given, wanted)) return undefined
  return new ApiError(
    'authentication_error',
    'The control API of this simulator requires a token: send `authorization: Bearer <token>` or ' +
      '`x-sim-token: <token>` ' +
      `(${given === undefined ? 'no token was sent' : 'the token is invalid'}). ` +
      '`gateway-sim serve` prints a generated token, but not a configured one.',
  )
}

// Constant time: the duration must not show how much of a guess is right.
function same(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length
  for (let at = 0; at < given.length; at++)
    difference |= given.charCodeAt(at) ^ wanted.charCodeAt(at % wanted.length)
  return difference === 0
}
