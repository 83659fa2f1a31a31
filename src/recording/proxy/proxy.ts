/** A transparent proxy in front of a real gateway that records everything except secrets. */

import { lookup as resolveName } from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { defined } from '../../engine/fields.ts'
import type { Exchange, ExchangeEnd } from '../../exchange/exchange.ts'
import { type CallRecord, type NewCall, pairsOf, passedOn, recordCall } from './call-record.ts'
import { forbiddenResponse, forward, headersFor, maxHeaderSize } from './forward.ts'
import { createHarFiles } from './har-files.ts'
import { createLinks, type Links } from './links.ts'
import { type CapturedCall, isCompressed, redactCall } from './redact-call.ts'
import { createSecrets } from './secrets.ts'

/** The names of the API keys, by which files are named. */
function createKeyNames(): (rawHeaders: readonly string[], url: string) => string | undefined {
  const names = new Map<string, string>()
  return (rawHeaders, url) => {
    const key = keyOf(new Map(pairsOf(rawHeaders)), url)
    if (key === undefined) return undefined
    const name = names.get(key) ?? `key-${names.size + 1}`
    names.set(key, name)
    return name
  }
}

function keyOf(headers: ReadonlyMap<string, string>, url: string): string | undefined {
  const sent = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']
    .map((name) => headers.get(name))
    .find((value) => value !== undefined)
  const key = sent?.replace(/^\w+\s+/, '').trim() || new URL(url).searchParams.get('key')
  return key || undefined
}

const megabyte = 1024 * 1024

/** Larger requests are forwarded as they are. */
const maxRestored = 4 * megabyte

/**
 * A body with the original links: undefined if it can have no links, or is too large. Rejects if the client
 * disconnects.
 */
async function restoredBody(
  request: IncomingMessage,
  links: Links,
  base: string,
): Promise<Uint8Array | undefined> {
  const { 'content-type': type = '', 'content-length': length, 'content-encoding': coding } = request.headers
  // A body of unknown length may never end.
  const size = Number(length ?? 0)
  if (size === 0 || size > maxRestored || coding !== undefined || !/json|^multipart\//i.test(type))
    return undefined
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.from(links.restoreRequest(Buffer.concat(chunks).toString('latin1'), base), 'latin1')
}

export interface ProxyLogLine {
  readonly method: string
  /** Without secrets. */
  readonly path: string
  /** Undefined if there was none. */
  readonly status: number | undefined
  readonly ms: number
  readonly bytes: number
  readonly ended: ExchangeEnd
  readonly error: string | undefined
  /** The name of its file, without the extension. */
  readonly file: string
}

export interface ProxyOptions {
  readonly upstream: URL
  readonly folder: string
  readonly host: string
  readonly port: number
  /** Names of headers, query parameters and fields, or values, to redact. */
  readonly redact?: readonly string[]
  readonly log?: ((line: ProxyLogLine) => void) | undefined
  readonly warn?: (message: string) => void
  /** Called with each recorded exchange. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
  /** Larger bodies are not recorded. */
  readonly maxBodyBytes?: number
}

export interface RecordingProxy {
  readonly url: string
  readonly port: number
  readonly files: () => readonly string[]
  /** Aborts requests in flight, records them as aborted, and closes the port. */
  close(): Promise<void>
}

/** Resolves when the proxy listens. Rejects with node's error if it cannot. */
export async function startRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const { upstream, host, port } = options
  const links = createLinks(upstream)
  const nameOf = createKeyNames()
  const { begin, settled, files } = createRecorder(options)
  const serve = (request: IncomingMessage, outgoing: ServerResponse): void => {
    const target = links.target(request.url ?? '/')
    if (typeof target === 'string') return forbiddenResponse(outgoing, request, target)
    const url = new URL(target.url)
    const base = baseOf(request, address)
    const start = (body: Uint8Array | undefined): void =>
      forward(request, outgoing, {
        record: begin({
          method: request.method ?? 'GET',
          url: target.url,
          // As the gateway sees them.
          rawHeaders: passedOn(request.rawHeaders, headersFor(url)),
          key: nameOf(request.rawHeaders, target.url),
        }),
        url,
        path: pathOf(target.url),
        lookup: target.isFollowed ? guardedLookup(links) : undefined,
        turning: { links, base, target },
        body,
      })
    if (!target.isFollowed && links.handedOut())
      restoredBody(request, links, base).then(start, () => outgoing.destroy())
    else start(undefined)
  }
  const server = createServer({ maxHeaderSize, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 })
  server.on('request', serve)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
  return {
    url: address,
    port: actual,
    files,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await settled()
    },
  }
}

function createRecorder(options: ProxyOptions) {
  const { upstream, folder, redact, log, warn, onExchange, maxBodyBytes = 64 * megabyte } = options
  const secrets = createSecrets(redact)
  const files = createHarFiles(folder, (error) =>
    warn?.(
      `cannot write to ${folder}: ${error.message}. Requests are still forwarded, but not recorded until ` +
        `this is fixed.`,
    ),
  )
  const writing = new Set<Promise<void>>()
  let seq = 0
  let hasWarned = false
  const write = async (call: CapturedCall): Promise<void> => {
    const { exchange, statusText, error } = redactCall(call, seq++, secrets)
    const file = call.key ?? 'no-key'
    const { method, url } = exchange.request
    const path = new URL(url).origin === upstream.origin ? pathOf(url) : url
    log?.({
      method,
      path,
      status: exchange.response?.status,
      ms: exchange.endedAfter,
      bytes: call.response?.body.size ?? 0,
      ended: exchange.ended,
      error,
      file,
    })
    if (!hasWarned && (isCompressed(call.headers) || isCompressed(call.response?.headers ?? []))) {
      hasWarned = true
      warn?.(`${method} ${path} has a compressed body. Such bodies are forwarded, but not recorded.`)
    }
    onExchange?.(exchange)
    await files.append(file, exchange, { statusText, ...defined({ error }) })
  }
  return {
    files: files.written,
    begin(call: NewCall): CallRecord {
      const record = recordCall(call, maxBodyBytes)
      const written = record.ended
        .then(write)
        .catch((error: Error) => warn?.(`a request could not be recorded: ${error.message}`))
        .finally(() => writing.delete(written))
      writing.add(written)
      return record
    },
    async settled() {
      while (writing.size > 0) await Promise.all(writing)
      await files.close()
    },
  }
}

/** The proxy as this client calls it, so that links lead it back here. */
function baseOf({ headers: { host } }: IncomingMessage, address: string): string {
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : address
}

function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/, '')
  return path.startsWith('/') ? path : `/${path}`
}

/** Host names that resolve to this machine are never followed. */
function guardedLookup({ mayConnect }: Links): LookupFunction {
  return (hostname, options, callback) =>
    resolveName(hostname, options, (error, address, family) => {
      const all = Array.isArray(address) ? address.map((one) => one.address) : [address]
      if (error === null && !all.every(mayConnect))
        callback(new Error(`${hostname} is an IP address of this machine`), '', 4)
      else callback(error, address as string, family)
    })
}
