/** Serves the page under `/__sim/ui/`: static files, which use the control API as other programs do. */

import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimulatorCore } from '../core/simulator.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { version } from '../text/version.ts'

/** The folder of the built page. The build says where it is from a chunk. */
declare const GATEWAY_SIM_PAGE: string
const folder = typeof GATEWAY_SIM_PAGE === 'undefined' ? '../../dist/ui/' : GATEWAY_SIM_PAGE

/** The schemas of the package, which the page reads too; `folder` is `dist/ui/`. */
const schemas: ReadonlySet<string> = new Set(['openapi.json', 'scenario.schema.json'])

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
}

/** The browser requests the feed while it loads the script, which asks for the same URL (ui/feed.ts). */
const preloadedFeed = '<../events?latest=1000&padding=8192>; rel=preload; as=fetch; crossorigin'

/** The page loads nothing from elsewhere, and no other page can embed it. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' data: blob:; media-src 'self' data: blob:; base-uri 'none'; form-action 'none'; " +
    "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // By the referrer, the server recognises the page's own requests (node-listener.ts).
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/** Responds to a request that `isForPage` (node-listener.ts). `path` has neither mount nor session prefix. */
export function servePage(
  { settings: { control } }: SimulatorCore,
  { path, mount = '' }: { readonly path: string; readonly mount?: string | undefined },
  request: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const home = `${controlPrefix}/ui`
  const isRoot = path === '/'
  if (isRoot && request.headers.accept?.includes('text/html') !== true) return sendLinks(request, outgoing)
  if (isRoot || path === home)
    return void outgoing.writeHead(302, { location: `${mount}${home}/`, 'content-length': '0' }).end()
  const name = path.slice(home.length + 1) || 'index.html'
  // With a token, the page must send its own request.
  if (name === 'index.html' && control.token === undefined) outgoing.setHeader('link', preloadedFeed)
  sendFile(name, request, outgoing)
}

/** For programs that ask the root of the server what it is. */
function sendLinks({ method }: IncomingMessage, outgoing: ServerResponse): void {
  const body = JSON.stringify({
    name: 'gateway-sim',
    version,
    page: `${controlPrefix}/ui/`,
    health: `${controlPrefix}/health`,
    journal: `${controlPrefix}/journal`,
    events: `${controlPrefix}/events`,
    models: '/v1/models',
  })
  outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  outgoing.end(method === 'HEAD' ? undefined : body)
}

function sendFile(name: string, { method }: IncomingMessage, outgoing: ServerResponse): void {
  const isSchema = schemas.has(name)
  const type = isSchema ? 'json' : /^[\w-]+\.(html|js|css|svg)$/.exec(name)?.[1]
  const file = new URL(`${folder}${isSchema ? '../../schema/' : ''}${name}`, import.meta.url)
  const content = type === undefined ? undefined : contentOf(file)
  if (content === undefined) {
    outgoing.writeHead(404, { ...pageHeaders, 'content-type': 'text/plain; charset=utf-8' })
    const isPage = name === 'index.html'
    return void outgoing.end(
      isPage ? 'The page has not been built: run npm run build.\n' : 'There is no such file.\n',
    )
  }
  outgoing.writeHead(200, {
    ...pageHeaders,
    'content-type': types[type as string],
    'content-length': content.length,
  })
  outgoing.end(method === 'HEAD' ? undefined : content)
}

/** Read at once: a small file of the disk cache takes less time than to wait for a thread. */
function contentOf(file: URL): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
