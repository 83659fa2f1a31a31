/**
 * Rewrites links that would bypass the proxy: in responses to proxy URLs, in requests back to the original
 * ones. Only origins from responses of the gateway can be reached this way.
 */
import { BlockList, isIP } from 'node:net'
import { isFields, jsonIn } from '../../engine/fields.ts'

export interface Target {
  readonly url: string
  /** Whether it is a link from a response. */
  readonly isFollowed: boolean
}

const prefix = '/__record/'

/** Fields with links to results of the gateway; other links (a source cited in a response) do not change. */
const linkName = /(?:^|_)(?:url|urls|uri|uris|href|link)$|[a-z](?:Url|Urls|Uri|Uris)$/
const quoting = /^(?:annotations|url_citation|citations|sources|arguments|input|messages)$/

/** The links to results of the gateway in a response. */
function linksIn(response: unknown): Set<string> {
  const links = new Set<string>()
  const values: (readonly [value: unknown, name: string])[] = [[response, '']]
  for (const [value, name] of values)
    if (typeof value === 'string' && linkName.test(name)) links.add(value)
    else if (Array.isArray(value)) for (const item of value) values.push([item, name])
    else if (isFields(value))
      for (const [field, item] of Object.entries(value)) if (!quoting.test(field)) values.push([item, field])
  return links
}

export type Links = ReturnType<typeof createLinks>

export function createLinks(upstream: URL) {
  const root = upstream.pathname.replace(/\/$/, '')
  const origins = new Set<string>()
  let handedOut = false
  const isLocal = isOwnMachine(upstream.hostname)
  /** Whether the proxy may connect to a host or an IP address. */
  const mayConnect = (host: string): boolean => isLocal || !isOwnMachine(host)
  // Base URLs of SDKs end in /v1, and the configured one may too; paths of calls contain it again.
  const beforeVersion = /^(.*)\/v1(?:beta)?$/.exec(root)?.[1]
  const address = (path: string): string =>
    upstream.origin +
    (beforeVersion !== undefined && /^\/v1(?:beta)?(?:[/?]|$)/.test(path) ? beforeVersion : root) +
    path

  /** The link as it leads to the proxy at `base`; unchanged if it is no URL to follow. */
  const turn = (link: string, base: string): string => {
    const parts = partsOf(link)
    if (parts === undefined) return link
    const { origin, host, rest } = parts
    const path = rest.slice(root.length)
    const isInside = origin === upstream.origin && rest.startsWith(root) && /^(?:[/?#]|$)/.test(path)
    if (!isInside && !mayConnect(new URL(origin).hostname)) return link
    handedOut = true
    if (isInside) return base + path
    origins.add(origin)
    return `${base}${prefix}${origin.slice(0, origin.indexOf(':'))}/${host}${rest}`
  }

  return {
    /** The target of a path; a string is the reason why there is none. */
    target(written: string): Target | string {
      // `OPTIONS *`, and the whole URL that clients send to a proxy.
      const path = written.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/')
      if (!path.startsWith(prefix)) return { url: address(path), isFollowed: false }
      const parts = partsOf(path.slice(prefix.length).replace('/', '://'))
      if (parts === undefined) return `expected ${prefix}https/HOST/PATH, as in URLs from responses`
      if (parts.origin !== upstream.origin && !origins.has(parts.origin))
        return `no response from the gateway contains a URL on ${parts.origin}`
      return { url: parts.origin + parts.rest, isFollowed: true }
    },
    /** A JSON text with its links rewritten to the proxy at `base`; undefined if it has none. */
    rewriteResponse(json: string, base: string): string | undefined {
      const links = linksIn(jsonIn(json))
      if (links.size === 0) return undefined
      return json.replace(/"http(?:[^"\\]|\\.)*"/g, (token) => {
        const link = jsonIn(token)
        return typeof link === 'string' && links.has(link) ? JSON.stringify(turn(link, base)) : token
      })
    },
    /** The same for the header `location` in the response of a target. */
    rewriteLocation(location: string, base: string, target: Target): string {
      if (!URL.canParse(location, target.url)) return location
      // In the response to a followed link, even a relative URL refers to another origin.
      const isAbsolute = target.isFollowed || /^https?:/i.test(location)
      return isAbsolute ? turn(new URL(location, target.url).href, base) : location
    },
    /** A request body with the original links, as Latin-1. */
    restoreRequest(body: string, base: string): string {
      return body
        .replace(ownLink, (link: string, scheme: string, host: string) => {
          const original = `${scheme}://${host}`
          return origins.has(partsOf(original)?.origin ?? '') ? original : link
        })
        .replaceAll(`"${base}/`, `"${upstream.origin}${root}/`)
    },
    /** Whether any link has been rewritten: before that, no request can contain one. */
    handedOut: () => handedOut,
    mayConnect,
  }
}

/** Whether a host or IP address is this machine, or link-local (where clouds serve credentials). */
export function isOwnMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  const version = isIP(bare)
  if (version === 0) return /^(?:.*\.)?localhost\.?$/i.test(bare)
  const blocked = new BlockList()
  for (const net of ['127.0.0.0', '0.0.0.0']) blocked.addSubnet(net, 8)
  blocked.addSubnet('169.254.0.0', 16)
  for (const address of ['::', '::1']) blocked.addAddress(address, 'ipv6')
  blocked.addSubnet('fe80::', 10, 'ipv6')
  return blocked.check(bare, version === 6 ? 'ipv6' : 'ipv4')
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
