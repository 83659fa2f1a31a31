/**
 * Rewrites links that would bypass the proxy: in responses to proxy URLs, in requests back to the original
 * ones. Only origins from responses of the gateway can be reached this way.
 */
import { BlockList, isIP } from 'node:net'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { jsonIn } from '../../engine/fields.ts'
import { scanJson } from './scan-json.ts'

export interface Target {
  readonly url: string
  /** Whether it is a link from a response. */
  readonly isFollowed: boolean
}

const prefix = '/__record/'
const maxOrigins = 1000

/** Fields with links to results of the gateway; other links (a source cited in a response) do not change. */
const linkName = /(?:^|_)(?:url|urls|uri|uris|href|link)$|[a-z](?:Url|Urls|Uri|Uris)$/
const quoting = /^(?:annotations|url_citation|citations|sources|arguments|input|messages)$/

/** Calls `found` with the place of each link to a result of the gateway. */
function scanLinks(json: string, found: (start: number, end: number) => void): void {
  scanJson(json, ({ start, end, kind, name, names }) => {
    if (kind !== 'string' || !json.startsWith('"http', start) || !linkName.test(name)) return
    if (!names().some((one) => quoting.test(one))) found(start, end)
  })
}

export type Links = ReturnType<typeof createLinks>

export function createLinks(upstream: URL, upstreamIsLocal: boolean) {
  const root = upstream.pathname.replace(/\/$/, '')
  const origins = new BoundedMap<true>({ count: maxOrigins })
  let handedOut = false
  // Base URLs of SDKs end in /v1, and the configured one may too; paths of calls contain it again.
  const beforeVersion = /^(.*)\/v1(?:beta)?$/.exec(root)?.[1]
  const address = (path: string): string =>
    upstream.origin +
    (beforeVersion !== undefined && /^\/v1(?:beta)?(?:[/?]|$)/.test(path) ? beforeVersion : root) +
    path
  /** Whether the proxy may connect to an IP address. */
  const mayConnect = (address: string): boolean => upstreamIsLocal || !isOwnMachine(address)

  const turn = (link: string, base: string): string | undefined => {
    const parts = partsOf(link)
    if (parts === undefined) return undefined
    const { origin, host, rest } = parts
    const path = rest.slice(root.length)
    const inside = origin === upstream.origin && rest.startsWith(root) && /^(?:[/?#]|$)/.test(path)
    if (inside) {
      handedOut = true
      return base + path
    }
    if (!mayConnect(hostName(host))) return undefined
    origins.set(origin, true)
    handedOut = true
    return `${base}${prefix}${origin.slice(0, origin.indexOf(':'))}/${host}${rest}`
  }

  return {
    /** The target of a path; a string is the reason why there is none. */
    target(written: string): Target | string {
      // `OPTIONS *`, and the whole URL that clients send to a proxy.
      const path = written.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/')
      if (!path.startsWith(prefix)) return { url: address(path), isFollowed: false }
      const [, scheme = '', host = '', rest = ''] =
        /^(https?)\/([^/?#@]+)(.*)$/s.exec(path.slice(prefix.length)) ?? []
      const parts = partsOf(`${scheme}://${host}${rest}`)
      if (parts === undefined) return `expected ${prefix}https/HOST/PATH, as in URLs from responses`
      if (parts.origin !== upstream.origin && origins.use(parts.origin) === undefined)
        return `no response from the gateway contains a URL on ${parts.origin}`
      return { url: parts.origin + parts.rest, isFollowed: true }
    },
    /** A JSON text with its links rewritten to the proxy at `base`; undefined if it has none. */
    rewriteResponse(json: string, base: string): string | undefined {
      const parts: string[] = []
      let at = 0
      scanLinks(json, (start, end) => {
        const turned = turn(parsed(json.slice(start, end)), base)
        if (turned === undefined) return
        parts.push(json.slice(at, start), JSON.stringify(turned))
        at = end
      })
      return at === 0 ? undefined : parts.join('') + json.slice(at)
    },
    /** The same for the header `location` in the response of a target. */
    rewriteLocation(location: string, base: string, target: Target): string {
      if (!URL.canParse(location, target.url)) return location
      // In the response to a followed link, even a relative URL refers to another origin.
      const absolute = target.isFollowed || /^https?:/i.test(location)
      return absolute ? (turn(new URL(location, target.url).href, base) ?? location) : location
    },
    /** A request body with the original links; undefined if it has no proxy links. */
    restoreRequest(body: string, base: string): string | undefined {
      const foreign = body.replace(ownLink, (link: string, scheme: string, host: string) =>
        origins.get(partsOf(`${scheme}://${host}`)?.origin ?? '') === undefined
          ? link
          : `${scheme}://${host}`,
      )
      const own = foreign.replaceAll(`"${base}/`, `"${upstream.origin}${root}/`)
      return own === body ? undefined : own
    },
    /** Whether any link has been rewritten: before that, no request can contain one. */
    handedOut: () => handedOut,
    mayConnect,
  }
}

/** A proxy link; some clients escape the slashes in JSON. */
const ownLink = /https?:\\?\/\\?\/[\w.:[\]-]+\\?\/__record\\?\/(https?)\\?\/([\w.:[\]-]+)/g

/** Undefined if it is not a URL or contains a credential. The rest does not change. */
function partsOf(
  link: string,
): { readonly origin: string; readonly host: string; readonly rest: string } | undefined {
  const [, host = '', rest = ''] = /^https?:\/\/([^/?#\\@\s]+)([/?#][^\s]*)?$/.exec(link) ?? []
  if (host === '' || !URL.canParse(link)) return undefined
  const { origin, host: written } = new URL(link)
  return { origin, host: written, rest }
}

const parsed = (token: string): string => String(jsonIn(token) ?? '')

const hostName = (host: string): string => host.replace(/:\d+$/, '')

const ownNets = [
  ...([
    ['127.0.0.0', 8],
    ['0.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['::', 128],
    ['::1', 128],
    ['fe80::', 10],
  ] as const),
]

/** Whether a host or IP address is this machine, or link-local (where clouds serve credentials). */
export function isOwnMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  const version = isIP(bare)
  if (version === 0) return /^(?:.*\.)?localhost\.?$/i.test(bare)
  const blocked = new BlockList()
  for (const [net, bits] of ownNets) blocked.addSubnet(net, bits, net.includes(':') ? 'ipv6' : 'ipv4')
  return blocked.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}

/** The rest of a larger response is passed on unchanged. */
export const maxHeldBytes = 4 * 1024 * 1024

export type LinkHold = ReturnType<typeof createLinkHold>

/** Buffers a JSON response until its end, when its links can be rewritten. */
export function createLinkHold(links: Links, base: string) {
  let held: Uint8Array[] | undefined = []
  let size = 0
  /** The bytes to send unchanged, because the response is too large or incomplete. */
  const giveUp = (): Buffer => {
    const all = Buffer.concat(held ?? [])
    held = undefined
    return all
  }
  return {
    /** The bytes that can be sent now. */
    push(bytes: Uint8Array): Uint8Array | undefined {
      if (held === undefined) return bytes
      held.push(bytes)
      size += bytes.length
      return size > maxHeldBytes ? giveUp() : undefined
    },
    /** The bytes that remain to be sent at the end of the response. */
    end(): Uint8Array {
      const all = giveUp()
      const turned = links.rewriteResponse(all.toString('latin1'), base)
      return turned === undefined ? all : Buffer.from(turned, 'latin1')
    },
    giveUp,
  }
}
