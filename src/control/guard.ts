/**
 * Who may use the control API: whoever knows its token; without one, programs, and pages that are allowed by
 * name. Every browser on the machine reaches a server on loopback, so any page could reset it, and any name
 * that resolves to loopback could read its journal. What browsers say of a page, a page cannot change.
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
    /** The headers that it looks at. */
    headers: ['host', 'origin', 'sec-fetch-site'] as readonly string[],
    allowsOrigin,
    /** Why the sender of these headers may not drive the simulator; undefined when it may. */
    rejection(headers: RequestHeaders): ApiError | undefined {
      const { host, origin, 'sec-fetch-site': site } = headers
      // Clients of HTTP/1.0 may leave it out; browsers never do.
      if (host !== undefined && host !== '' && !isKnownHost(host))
        return rejected(
          'host',
          host,
          'localhost, a loopback address, or a name that is allowed (any other may be a page that has made ' +
            'its own name lead here)',
          `--control-host ${nameOf(host)} (setting control.hosts)`,
        )
      if (origin !== undefined) {
        if (allowsOrigin(origin)) return undefined
        if (!isOriginOf(origin, host)) return foreignOrigin(origin)
      }
      if (site === undefined || site === 'same-origin' || site === 'none') return undefined
      return rejected(
        'sec-fetch-site',
        site,
        'none or same-origin, or the `origin` of a page that is allowed',
        '--control-origin <origin of the page> (setting control.origins)',
      )
    },
  }
}

function foreignOrigin(origin: string): ApiError {
  return rejected(
    'origin',
    origin,
    'none, or the origin of a page that is allowed',
    origin === 'null'
      ? 'serve the page from a URL and allow that with --control-origin (setting control.origins)'
      : /[\s,]/.test(origin)
        ? 'send one origin, and allow that with --control-origin (setting control.origins)'
        : `--control-origin ${origin} (setting control.origins)`,
  )
}

function rejected(header: string, got: string, expected: string, remedy: string): ApiError {
  return new ApiError(
    'permission_error',
    `${header}: expected ${expected}, got ${clip(got, 100)}. Without a token, only programs and pages that ` +
      `are allowed by name may use the control API. To allow this: ${clip(remedy, 200)}, or set a token.`,
    { param: header },
  )
}

/** An origin as browsers write it: without the port that its scheme implies. */
function originOf(written: string): string {
  return /^https?:/i.test(written) ? new URL(written).origin : written.toLowerCase()
}

// By host and port alone: behind a proxy that speaks TLS, the scheme of the page is another.
function isOriginOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && origin.slice(origin.indexOf('://') + 3).toLowerCase() === host.toLowerCase()
}

/** The name in a `host` header: without its port, and without the dot that may end it. */
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
 * Why a call with these headers may not; undefined when it may. Who knows the token may call from anywhere: a
 * page cannot know it, and is kept from reading the responses unless its origin is allowed.
 */
export function rejectionOf(
  headers: Readonly<Record<string, string | undefined>>,
  { token, guard }: { readonly guard: Guard; token(): string | undefined },
): ApiError | undefined {
  const wanted = token()
  if (wanted === undefined) return guard.rejection(headers)
  const given = headers['x-sim-token'] ?? /^bearer +(.+)$/i.exec(headers['authorization'] ?? '')?.[1]
  if (given !== undefined && same(given, wanted)) return undefined
  return new ApiError(
    'authentication_error',
    'The control API of this simulator needs its token: send `authorization: Bearer <token>` or ' +
      '`x-sim-token: <token>` ' +
      `(${given === undefined ? 'no token was sent' : 'the one that was sent is another'}). ` +
      '`gateway-sim serve` prints the one it has generated, and never one that was set.',
  )
}

// In the same time wherever they differ: how far a guess was right must not show.
function same(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length
  for (let at = 0; at < given.length; at++)
    difference |= given.charCodeAt(at) ^ wanted.charCodeAt(at % wanted.length)
  return difference === 0
}
