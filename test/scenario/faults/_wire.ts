/**
 * What the tests of faults share: a simulator whose rule answers with a fault, a server in front of it, and a
 * bare socket that says how it was treated.
 */
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { listen } from '../../../src/node.ts'
import { simulator } from '../../_setup.ts'

export type Sim = ReturnType<typeof simulator>

export const key = {
  authorization: 'Bearer sk-test',
  'anthropic-version': '2023-06-01',
  'content-type': 'application/json',
}
export const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }

/** A fault as scenario files write it. */
export type WrittenFault = string | { readonly kind: string; readonly [option: string]: unknown }

/** A simulator of which one operation meets faults; `auto` unless said otherwise. */
export function faulty(
  fault: WrittenFault | readonly WrittenFault[],
  {
    operation = 'chat.create',
    then = {},
    ...options
  }: { readonly operation?: string; readonly then?: object } & Parameters<typeof simulator>[0] = {},
): Sim {
  return simulator({
    clock: 'auto',
    ...options,
    scenarios: [
      {
        title: 'a fault',
        rules: [
          {
            when: { operation },
            then: Array.isArray(fault) && fault.length === 0 ? then : { ...then, fault },
          },
        ],
      },
    ],
  } as Parameters<typeof simulator>[0])
}

/** Its server, closed when the test ends. */
export async function served(sim: Sim): Promise<{ readonly port: number; readonly url: string }> {
  const listening = await listen(sim)
  onTestFinished(() => listening.close())
  return listening
}

/** A call in-process. */
export function ask(
  sim: Sim,
  body: unknown = question,
  path = '/v1/chat/completions',
  init: RequestInit = {},
): Promise<Response> {
  return sim.fetch(`http://gateway.test${path}`, {
    method: 'POST',
    headers: key,
    body: JSON.stringify(body),
    ...init,
  })
}

/** What a socket was told, read by read. */
export interface Said {
  /** What came in each read, in order. */
  readonly reads: readonly Buffer[]
  /** How the server ended the connection; `open` while it has not. */
  ended: 'open' | 'closed' | 'reset'
  /** Resolves when so many bytes of a body have come, or the connection has ended. */
  until(enough: (response: PlainResponse) => boolean): Promise<PlainResponse>
  response(): PlainResponse
  leave(): void
}

/** A response as far as it has come. */
export interface PlainResponse {
  readonly head: string
  readonly status: number
  readonly body: Buffer
  /** The parts of the body as they were read, chunk sizes taken out. */
  readonly parts: readonly Buffer[]
  /** Whether all came that the head, or the last chunk, promised. */
  readonly whole: boolean
}

/** Sends a JSON call over a bare socket. */
export function callRaw(
  port: number,
  body: unknown = question,
  path = '/v1/chat/completions',
  method = 'POST',
): Promise<Said> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = Object.entries({
    host: 'gateway.test',
    ...key,
    'content-length': String(Buffer.byteLength(text)),
  })
  return sendRaw(
    port,
    `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`,
  )
}

/** Sends bytes over a bare socket. */
function sendRaw(port: number, bytes: string): Promise<Said> {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  const reads: Buffer[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of [...waiting]) look()
  }
  const said: Said = {
    reads,
    ended: 'open',
    response: () => responseIn(reads),
    leave: () => void socket.destroy(),
    until: (enough) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (said.ended === 'open' && !enough(responseIn(reads))) return
          waiting.delete(look)
          resolve(responseIn(reads))
        }
        waiting.add(look)
        look()
      }),
  }
  socket.on('data', (read) => {
    reads.push(read)
    wake()
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') said.ended = 'reset'
  })
  socket.on('close', () => {
    if (said.ended === 'open') said.ended = 'closed'
    wake()
  })
  return new Promise((resolve) => socket.once('connect', () => socket.write(bytes, () => resolve(said))))
}

/** Everything until the server ended the connection. */
export const toTheEnd = (said: Said): Promise<PlainResponse> => said.until(() => false)

/** Everything of a response that is whole. */
export const whole = (said: Said): Promise<PlainResponse> => said.until((response) => response.whole)

function responseIn(reads: readonly Buffer[]): PlainResponse {
  const all = Buffer.concat(reads)
  const at = all.indexOf('\r\n\r\n')
  if (at < 0)
    return { head: all.toString('latin1'), status: 0, body: Buffer.alloc(0), parts: [], whole: false }
  const head = all.toString('latin1', 0, at)
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  // Which bytes of the connection belong to the body.
  const spans =
    length === undefined
      ? chunks(all, at + 4)
      : { list: [[at + 4, all.length] as const], ended: all.length - at - 4 >= Number(length) }
  const parts: Buffer[] = []
  let start = 0
  for (const read of reads) {
    const end = start + read.length
    const part = Buffer.concat(
      spans.list.map(([from, to]) =>
        all.subarray(Math.max(from, start), Math.max(Math.max(from, start), Math.min(to, end))),
      ),
    )
    if (part.length > 0) parts.push(part)
    start = end
  }
  return { head, status, body: Buffer.concat(parts), parts, whole: spans.ended }
}

function chunks(all: Buffer, from: number): { list: (readonly [number, number])[]; ended: boolean } {
  const list: (readonly [number, number])[] = []
  for (let at = from; ; ) {
    const line = all.indexOf('\r\n', at)
    if (line < 0) return { list, ended: false }
    const size = Number.parseInt(all.toString('latin1', at, line), 16)
    if (size === 0) return { list, ended: true }
    if (Number.isNaN(size))
      throw new Error(`no chunk begins at ${JSON.stringify(all.toString('latin1', at, at + 20))}`)
    list.push([line + 2, Math.min(line + 2 + size, all.length)])
    at = line + 2 + size + 2
    if (at > all.length) return { list, ended: false }
  }
}

/** How the in-process body of a response came: each chunk, and the error that ended it. */
export async function readChunks(
  response: Response,
): Promise<{ readonly chunks: readonly Buffer[]; readonly error: Error | undefined }> {
  const chunks: Buffer[] = []
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { chunks, error: undefined }
      if (value.length > 0) chunks.push(Buffer.from(value))
    }
  } catch (error) {
    return { chunks, error: error as Error }
  }
}

/** The frames of a stream. */
export const frames = (text: string | Buffer): string[] =>
  String(text)
    .split(/(?<=\n\n)/)
    .filter((frame) => frame !== '')
