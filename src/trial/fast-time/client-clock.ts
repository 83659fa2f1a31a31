/**
 * The time of a client in a trial, which jumps while the client only waits. Each program of the client asks
 * before it jumps; the answer is yes if the simulator holds every open call on purpose.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { lineReader } from './lines.ts'

/** A program that only waits asks to jump, in milliseconds; or it starts another program, and asks no more. */
export interface Question {
  readonly isParent?: true
  /** How far its time is ahead of real time. */
  readonly ahead?: number
  /** Until its next timer; undefined without one. */
  readonly next?: number | undefined
  /** Until its next timer that keeps it alive. */
  readonly nextAlive?: number | undefined
}

/** The milliseconds to jump; 0: not now. */
export interface Answer {
  readonly jump: number
}

export interface ClientClock {
  /** The port that programs ask at. */
  readonly port: number
  /** How far the client's time is ahead of real time, in milliseconds. */
  ahead(): number
  close(): void
}

/** The calls of the simulator, as the clock sees them. */
export interface OpenCalls {
  /** The number of calls without an end. */
  open(): number
  /** The number of them that wait on purpose. */
  held(): number
}

/**
 * `onHang` is called if nothing that is scheduled can end the client, or its time would exceed `patience`
 * milliseconds.
 */
export async function startClientClock(
  calls: OpenCalls,
  patience: number,
  onHang: () => void,
): Promise<ClientClock> {
  let ahead = 0
  let hasParent = false
  const programs = new Set<Socket>()
  const jumpOf = ({ next, nextAlive }: Question): number => {
    const open = calls.open()
    // Nobody sees how several programs wait for each other.
    if (programs.size > 1 || calls.held() !== open) return 0
    const jump = open > 0 ? next : nextAlive
    const isForEver = open > 0 && next === undefined && !hasParent
    if (isForEver || ahead + (jump ?? 0) > patience) {
      onHang()
      return 0
    }
    return jump ?? 0
  }
  const server = createServer((socket) => {
    programs.add(socket)
    const start = ahead
    const answer = async (question: Question): Promise<void> => {
      if (question.isParent) {
        hasParent = true
        return
      }
      await receiveAll()
      // A program that was disturbed did not jump.
      ahead = start + (question.ahead ?? 0)
      const reply: Answer = { jump: jumpOf(question) }
      ahead += reply.jump
      socket.write(`${JSON.stringify(reply)}\n`)
    }
    socket.setEncoding('utf8').on('data', lineReader(answer))
    socket.on('error', () => {})
    socket.on('close', () => programs.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    for (const socket of programs) socket.destroy()
    server.close()
  }
  return { port, ahead: () => ahead, close }
}

/** The turns of the event loop in which a connection is accepted and its request is read, and more. */
const receivingTurns = 8

/** Resolves when the requests that were sent before a question have been read. */
async function receiveAll(): Promise<void> {
  for (let turn = 0; turn < receivingTurns; turn++) await new Promise((resolve) => setImmediate(resolve))
}
