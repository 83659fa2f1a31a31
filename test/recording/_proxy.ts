/** A gateway of a test's own making with the recording proxy in front of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { readHar } from '../../src/exchange/read-har.ts'
import {
  type ProxyOptions,
  type RecordingProxy,
  startRecordingProxy,
} from '../../src/recording/proxy/proxy.ts'

export async function gateway(handler: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-record-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Recording extends RecordingProxy {
  readonly folder: string
  readonly warnings: string[]
  /** Closes the proxy, and reads what it wrote: all files in the order of their names. */
  recorded(): Promise<Exchange[]>
  /** Resolves with the next call that is over. */
  next(): Promise<Exchange>
}

export async function proxyTo(upstream: string, options: Partial<ProxyOptions> = {}): Promise<Recording> {
  const folder = options.folder ?? temporaryFolder()
  const warnings: string[] = []
  const seen: Exchange[] = []
  const waiting: ((exchange: Exchange) => void)[] = []
  const proxy = await startRecordingProxy({
    upstream: new URL(upstream),
    folder,
    host: '127.0.0.1',
    port: 0,
    warn: (message) => warnings.push(message),
    onExchange(exchange) {
      const first = waiting.shift()
      if (first === undefined) seen.push(exchange)
      else first(exchange)
    },
    ...options,
  })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= proxy.close())
  onTestFinished(close)
  return {
    ...proxy,
    close,
    folder,
    warnings,
    next: () => {
      const first = seen.shift()
      return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first)
    },
    async recorded() {
      await close()
      return readFolder(folder)
    },
  }
}

/** A process that is killed within a write may tear the last entry of a file: `torn` lets the reader mend it. */
export function readFolder(folder: string, torn = false): Exchange[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.har'))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      if (!torn) JSON.parse(text)
      return readHar(text, name)
    })
}

/** Everything on the disk, names and contents, as one text. */
export function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path}\n${entry.isFile() ? readFileSync(path, 'latin1') : ''}`
    })
    .join('\n')
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A connection on which a test writes and reads bytes itself. */
export function rawConnection(url: string): {
  socket: Socket
  until(pattern: RegExp): Promise<string>
  closed: Promise<string>
} {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  const looks = new Set<() => void>()
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    for (const look of looks) look()
  })
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  return {
    socket,
    closed,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(text)) return
          looks.delete(look)
          resolve(text)
        }
        looks.add(look)
        look()
        void closed.then((all) => reject(new Error(`closed after ${JSON.stringify(all)}`)))
      }),
  }
}
