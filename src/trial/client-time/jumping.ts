/**
 * Time that jumps to the client's next timer while the client only waits. Node.js loads a module into each
 * program of the client, which asks before it jumps.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ClientTime, Hang, RunServer } from './client-time.ts'
import { type Answer, type Message, messageReader } from './program/messages.ts'

type Waiting = Extract<Message, { kind: 'waits' }>

/** How many times as fast as real time is, at most, while the simulator holds no call. */
const fastest = 50
/** The same for a program that another has started, which may wait for that one instead of a timer. */
const fastestChild = 10

/** `patience`: how long the client may wait, in milliseconds of its time. */
export function jumpingTime(patience: number): ClientTime {
  const hang = new AbortController()
  const programs = new Set<Socket>()
  let server: Server | undefined
  let ahead = 0
  let hasParent = false
  let hasProgram = false
  let isSlow = false

  const jumpOf = ({ next, sleep }: Waiting, run: RunServer): number => {
    // Nobody sees how several programs wait for each other, and a gateway in real time responds by itself.
    if (programs.size > 1 || isReal(run.core)) return 0
    const isHeld = run.entries.some(({ ended }) => ended === 'open')
    const speed = hasParent ? fastestChild : fastest
    // Without a held call, a request may still be on its way: only a long silence shows that it is not.
    const isAsleep = sleep !== undefined && sleep.quiet * speed >= sleep.wait
    const jump = isHeld || isAsleep ? next : 0
    let why: Hang | undefined
    if (jump === undefined && !hasParent) why = 'for ever'
    if (ahead + (jump ?? 0) > patience) why = 'patience'
    if (why !== undefined) hang.abort(why)
    return why === undefined ? (jump ?? 0) : 0
  }
  const answer = async (socket: Socket, waiting: Waiting, { run, open }: Observed): Promise<void> => {
    await receiveAll()
    await run.core.settled()
    const held = run.entries.filter(({ ended }) => ended === 'open').length
    const jump = held === open() && !socket.destroyed ? jumpOf(waiting, run) : 0
    ahead += jump
    const response: Answer = { jump }
    socket.write(`${JSON.stringify(response)}\n`)
  }
  return {
    now: () => Date.now() + ahead,
    async start(run, env) {
      const open = countOpen(run.server, () => {
        isSlow ||= programs.size !== 1
      })
      server = createServer((socket) => {
        programs.add(socket)
        hasProgram = true
        const start = ahead
        const read = (message: Message): void => {
          if (message.kind === 'starts another') hasParent = true
          else ahead = start + message.ahead
          if (message.kind === 'waits') void answer(socket, message, { run, open })
        }
        const reader = messageReader(read)
        socket.setEncoding('utf8').on('data', (text: string) => {
          try {
            reader(text)
          } catch {
            // It is no program of this run.
            socket.destroy()
          }
        })
        socket.on('error', () => {})
        socket.on('close', () => programs.delete(socket))
      })
      await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      return {
        NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --require=${JSON.stringify(preload)}`.trim(),
        GATEWAY_SIM_CLIENT_TIME: String(port),
      }
    },
    hang: hang.signal,
    isFast: () => hasProgram && !isSlow,
    close() {
      for (const socket of programs) socket.destroy()
      server?.close()
    },
  }
}

interface Observed {
  readonly run: RunServer
  /** The number of responses that have not ended. */
  open(): number
}

const isReal = (core: RunServer['core']): boolean =>
  core.sessions.all().some(({ sandbox }) => sandbox.clock.mode === 'real')

/** Counts the requests whose responses have not ended. */
function countOpen(server: RunServer['server'], onRequest: () => void): () => number {
  let open = 0
  server.on('request', (_request, response) => {
    open++
    onRequest()
    response.on('close', () => open--)
  })
  return () => open
}

/** The turns of the event loop in which a connection is accepted and its request is read, and more. */
const receivingTurns = 8

/** Resolves when the requests that were sent before a message have been read. */
async function receiveAll(): Promise<void> {
  for (let turn = 0; turn < receivingTurns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

declare const GATEWAY_SIM_CLIENT_TIME: string

/** Where Node.js finds the module that it loads into a program. */
const preload = fileURLToPath(
  new URL(
    typeof GATEWAY_SIM_CLIENT_TIME === 'undefined'
      ? '../../../dist/client-time.cjs'
      : GATEWAY_SIM_CLIENT_TIME,
    import.meta.url,
  ),
)
