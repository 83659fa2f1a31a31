/** Servers in front of another one: a proxy that holds back short responses, and one that speaks HTTP/2. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { createServer as createPlainServer, createSecureServer, type Http2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { emptyDirectory } from './cli/_io.ts'

export interface Front {
  readonly url: string
  close(): Promise<void>
}

/** What every proxy removes; HTTP/2 forbids these headers. */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection']

const withoutHops = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^:/.test(name) && !hopByHop.includes(name)))

/** Passes a response on only in pieces of `bytes`, as a proxy does that fills a buffer first. */
export async function bufferingProxy(target: string, bytes: number): Promise<Front> {
  const server = createServer((incoming, outgoing) => {
    forward(target, incoming, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers))
      let held = Buffer.alloc(0)
      answer.on('data', (chunk: Buffer) => {
        held = Buffer.concat([held, chunk])
        const whole = held.length - (held.length % bytes)
        if (whole > 0) outgoing.write(held.subarray(0, whole))
        held = held.subarray(whole)
      })
      answer.on('end', () => outgoing.end(held))
      outgoing.on('close', () => answer.destroy())
    })
  })
  return listening(server, 'http')
}

/** HTTP/2 in front of HTTP/1.1: in the clear, or over TLS for browsers. */
export async function http2Front(target: string, { secure = false } = {}): Promise<Front> {
  const server = secure ? createSecureServer(certificate()) : createPlainServer()
  server.on('request', (incoming, outgoing) => {
    forward(target, incoming as unknown as IncomingMessage, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers))
      answer.pipe(outgoing as unknown as NodeJS.WritableStream)
      outgoing.on('close', () => answer.destroy())
    })
  })
  return listening(server, secure ? 'https' : 'http')
}

function forward(target: string, incoming: IncomingMessage, use: (answer: IncomingMessage) => void): void {
  const headers = { ...withoutHops(incoming.headers), host: new URL(target).host }
  const outgoing = request(target + incoming.url, { method: incoming.method, headers }, use)
  outgoing.on('error', () => incoming.destroy())
  incoming.pipe(outgoing)
}

async function listening(server: Server | Http2Server, scheme: string): Promise<Front> {
  const sockets = new Set<{ destroy(): void }>()
  const onSocket = (socket: { destroy(): void }): void => void sockets.add(socket)
  server.on('connection', onSocket)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A certificate for this run, which no client trusts. */
function certificate(): { readonly key: string; readonly cert: string } {
  const folder = emptyDirectory()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', ...kind, '-keyout', key, '-out', cert, '-subj', '/CN=localhost'], {
    stdio: 'ignore',
  })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}
