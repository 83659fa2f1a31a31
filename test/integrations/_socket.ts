/** Raw sockets for tests of what really goes over the wire. */
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A connected socket; destroyed when the test ends. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

/**
 * Sends bytes and resolves to everything the server said until it closed. Rejects when the connection was
 * reset.
 */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = await openSocket(port)
  return new Promise((resolve, reject) => {
    let said = ''
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => (said += text))
    socket.on('error', reject)
    socket.on('close', () => resolve(said))
    socket.write(bytes)
  })
}

/** What a socket has said so far, and a promise for when it has said something, or has closed. */
export function listenTo(
  socket: Socket,
  encoding: 'utf8' | 'latin1' = 'utf8',
): {
  text(): string
  until(what: string | RegExp): Promise<string>
  closed: Promise<void>
} {
  let said = ''
  let ended = false
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of [...waiting]) look()
  }
  socket.setEncoding(encoding)
  socket.on('data', (text: string) => {
    said += text
    wake()
  })
  const closed = new Promise<void>((resolve) =>
    socket.on('close', () => {
      ended = true
      wake()
      resolve()
    }),
  )
  return {
    text: () => said,
    closed,
    until: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof what === 'string' ? said.includes(what) : what.test(said)) {
            waiting.delete(look)
            resolve(said)
          } else if (ended) {
            waiting.delete(look)
            reject(new Error(`the server closed before it said ${String(what)}: ${JSON.stringify(said)}`))
          }
        }
        waiting.add(look)
        look()
      }),
  }
}
