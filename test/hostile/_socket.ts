/** A bare TCP client: what no HTTP client would send, and what comes back. */
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Answer } from './_judge.ts'

export interface Wire {
  readonly socket: Socket
  send(text: string | Uint8Array): Promise<void>
  /** What has come so far. */
  received(): string
  /** Resolves when the text has come. */
  until(text: string): Promise<void>
  /** Resolves when the other side has closed or broken the connection. */
  closed(): Promise<void>
}

/** A connection to a simulator's server. */
export async function wire(port: number): Promise<Wire> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  const chunks: string[] = []
  let waiting: (() => void)[] = []
  let over = false
  const wake = (): void => {
    const all = waiting
    waiting = []
    for (const next of all) next()
  }
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    chunks.push(chunk)
    wake()
  })
  const end = (): void => {
    over = true
    wake()
  }
  // A reset is one way to end; what came before it counts all the same.
  socket.on('error', end)
  socket.on('end', end)
  socket.on('close', end)
  onTestFinished(() => void socket.destroy())
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const change = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  return {
    socket,
    send: (text) => new Promise((resolve) => socket.write(text, () => resolve())),
    received: () => chunks.join(''),
    async until(text) {
      while (!chunks.join('').includes(text)) {
        if (over)
          throw new Error(
            `the connection ended before ${JSON.stringify(text)} came; it said ${JSON.stringify(chunks.join('').slice(0, 500))}`,
          )
        await change()
      }
    },
    async closed() {
      while (!over) await change()
    },
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
