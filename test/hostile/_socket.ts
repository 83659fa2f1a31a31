/** A bare TCP client: what no HTTP client would send, and what comes back. */
import type { Socket } from 'node:net'
import { listenTo, openSocket } from '../integrations/_socket.ts'
import type { Answer } from './_judge.ts'

export interface Wire {
  readonly socket: Socket
  send(text: string | Uint8Array): Promise<void>
  /** What has come so far. */
  received(): string
  /** Resolves when the text has come. */
  until(text: string): Promise<unknown>
  /** Resolves when the other side has closed or broken the connection. */
  closed(): Promise<void>
}

/** A connection to a simulator's server. */
export async function wire(port: number): Promise<Wire> {
  const socket = await openSocket(port)
  socket.setNoDelay(true)
  // A letter for each byte, as lengths count them.
  const server = listenTo(socket, 'latin1')
  return {
    socket,
    send: (text) => new Promise((resolve) => socket.write(text, () => resolve())),
    received: () => server.text(),
    until: (text) => server.until(text),
    closed: () => server.closed,
  }
}

/** The responses in what came over a connection; those with a length only. */
export function responsesIn(text: string): Answer[] {
  const responses: Answer[] = []
  let rest = text
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n([\s\S]*?)\r\n\r\n/.exec(rest)
    if (head === null) return responses
    const [all, status = '', headers = ''] = head
    const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1] ?? 0)
    const body = rest.slice(all.length, all.length + length)
    // 100 Continue announces a response and is none.
    if (status !== '100')
      responses.push({
        status: Number(status),
        type: /^content-type: (.*)$/im.exec(headers)?.[1] ?? '',
        text: Buffer.from(body, 'latin1').toString('utf8'),
      })
    rest = rest.slice(all.length + length)
  }
}
