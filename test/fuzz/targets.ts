/** Where steps are sent: a simulator in this process, or a server over sockets. */
import { connect, type Socket } from 'node:net'
import type { Simulator } from '../../src/index.ts'
import { type RawResponse, readResponse, Unreadable } from './responses.ts'
import type { BytesStep, CallStep } from './steps.ts'

/** What came of a step. Bodies hold one byte in each letter. */
export type Outcome =
  | { readonly kind: 'responses'; readonly responses: readonly PlainResponse[] }
  /** The connection broke, as faults make it do. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** Nothing came any more, so the client went: streams that wait for a clock do that. */
  | { readonly kind: 'left' }
  /** What nobody may send. */
  | { readonly kind: 'wrong'; readonly reason: string }

export type PlainResponse = Omit<RawResponse, 'end'>

export interface Target {
  send(step: CallStep | BytesStep): Promise<Outcome>
  close(): void
}

/** A client leaves when nothing has come for so many milliseconds, and nothing is being worked on. */
const patience = 60
/** … or after so many, whatever is being worked on. */
const mostPatience = 5000

/** Seconds of CPU that the other side has used; undefined where nobody can tell. */
export type Cpu = () => number | undefined

/** Calls `leave` when nothing seems to come any more; `heard` begins the wait anew. */
function waiting(cpu: Cpu, leave: () => void): { heard(): void; stop(): void } {
  let since = performance.now()
  // Asked only where there is a wait at all: most responses are there at once.
  let used: number | undefined
  const look = (): void => {
    const now = cpu() ?? 0
    if ((used !== undefined && now - used < 0.005) || performance.now() - since > mostPatience) return leave()
    used = now
    timer = setTimeout(look, patience)
  }
  let timer = setTimeout(look, patience)
  return {
    heard() {
      since = performance.now()
      clearTimeout(timer)
      timer = setTimeout(look, patience)
    },
    stop: () => clearTimeout(timer),
  }
}

/** The methods that a client may break off by itself. */
const breaks =
  /^(?:fetch failed|terminated|This operation was aborted|.*simulator was (?:closed|reset)|.*session .*)/

export function inProcess(sim: Pick<Simulator, 'fetch'>, cpu: Cpu): Target {
  return {
    async send(step) {
      if (step.kind !== 'call') return { kind: 'left' }
      const client = new AbortController()
      const wait = waiting(cpu, () => client.abort())
      try {
        const response = await sim.fetch(`http://gateway.test${step.path}`, {
          method: step.method,
          headers: step.headers,
          signal: client.signal,
          ...(step.body === undefined ? {} : { body: Buffer.from(step.body, 'latin1') }),
        })
        const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
        const headers = Object.fromEntries(response.headers)
        return { kind: 'responses', responses: [{ status: response.status, headers, body }] }
      } catch (error) {
        if (client.signal.aborted) return { kind: 'left' }
        const reason = error instanceof Error ? error.message : String(error)
        return breaks.test(reason)
          ? { kind: 'broken', reason }
          : { kind: 'wrong', reason: `fetch threw: ${reason}` }
      } finally {
        wait.stop()
      }
    },
    close() {},
  }
}

/** A client with one connection that is kept, as far as the server keeps it. */
export function overHttp(port: number, cpu: Cpu): Target {
  let kept: Socket | undefined
  const drop = (): void => {
    kept?.destroy()
    kept = undefined
  }
  return {
    async send(step) {
      if (step.kind === 'bytes') {
        const read = await sendBytes(port, step, cpu)
        if (step.end === 'reset') await noticed(port)
        return read
      }
      const socket = kept ?? (await opened(port))
      if (socket === undefined) return { kind: 'wrong', reason: 'the server takes no connection' }
      kept = socket
      const outcome = await exchange(socket, requestOf(step, port), step.method, cpu)
      if (outcome.kind !== 'responses' || outcome.responses[0]?.headers['connection'] === 'close') drop()
      if (outcome.kind === 'left') await noticed(port)
      return outcome
    },
    close: drop,
  }
}

/**
 * Resolves when the server has noticed that a client left: it learns that from another socket than the next
 * call, whose look into the journal would find the entry open or ended, as it happens.
 */
async function noticed(port: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++)
    await fetch(`http://127.0.0.1:${port}/__sim/ready`).then(
      (response) => response.text(),
      () => undefined,
    )
}

function requestOf({ method, path, headers, body }: CallStep, port: number): string {
  const lines = [`${method} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== undefined) lines.push(`content-length: ${body.length}`)
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

function opened(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1')
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

function exchange(socket: Socket, request: string, method: string, cpu: Cpu): Promise<Outcome> {
  return new Promise((resolve) => {
    const received = collected(socket, cpu, (outcome) => {
      if (outcome !== undefined) return done(outcome)
      const response = attempt(() => readResponse(received.text(), 0, method, received.over()))
      if (response instanceof Unreadable) return done({ kind: 'wrong', reason: response.message })
      if (response === undefined) return received.over() && done({ kind: 'broken', reason: 'closed' })
      const rest = received.text().slice(response.end)
      // An error of the parser may follow the response to a request that was not read to its end, and has a
      // body whatever was asked.
      if (rest !== '' && response.status !== 400 && !rest.startsWith('HTTP/1.1 400'))
        return done({ kind: 'wrong', reason: `more than a response: ${rest.slice(0, 80)}` })
      return done({ kind: 'responses', responses: [response] })
    })
    const done = (outcome: Outcome): void => {
      received.stop()
      resolve(outcome)
    }
    socket.write(request, 'latin1')
  })
}

/** Calls back whenever something came, and with an outcome when nothing will. */
function collected(socket: Socket, cpu: Cpu, heard: (outcome?: Outcome) => unknown) {
  let text = ''
  let ended = false
  const wait = waiting(cpu, () => heard({ kind: 'left' }))
  const data = (chunk: string): void => {
    text += chunk
    wait.heard()
    heard()
  }
  const over = (): void => {
    ended = true
    heard()
  }
  socket.on('data', data).on('end', over).on('close', over).on('error', over)
  return {
    text: () => text,
    over: () => ended,
    stop() {
      wait.stop()
      socket.off('data', data).off('end', over).off('close', over).off('error', over)
      socket.on('error', () => {})
    },
  }
}

const attempt = <T>(read: () => T): T | Unreadable => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) return error
    throw error
  }
}

/** Sends the chunks on a connection of their own, and reads all that comes until the other side is done. */
async function sendBytes(port: number, { chunks, end }: BytesStep, cpu: Cpu): Promise<Outcome> {
  const socket = await opened(port)
  if (socket === undefined) return { kind: 'wrong', reason: 'the server takes no connection' }
  const read = new Promise<Outcome>((resolve) => {
    const done = (outcome: Outcome): void => {
      received.stop()
      socket.destroy()
      resolve(outcome)
    }
    const received = collected(socket, cpu, (outcome) => {
      if (outcome === undefined && !received.over()) return
      done(attempted(received.text()))
    })
  })
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0) await new Promise(setImmediate)
    if (socket.writable) socket.write(chunk, 'latin1')
  }
  if (end === 'reset') socket.resetAndDestroy()
  else if (end === 'close') socket.end()
  return read
}

function attempted(text: string): Outcome {
  const responses: PlainResponse[] = []
  for (let at = 0; at < text.length; ) {
    const response = attempt(() => readResponse(text, at, undefined, true))
    if (response instanceof Unreadable) return { kind: 'wrong', reason: response.message }
    // The last one may be cut off: the client had gone.
    if (response === undefined) break
    responses.push(response)
    at = response.end
  }
  return { kind: 'responses', responses }
}
