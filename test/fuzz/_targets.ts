/** Where calls are sent: a simulator in this process, or its server over a socket. */
import { Agent, request } from 'node:http'
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import type { Call } from './_calls.ts'

export type Outcome =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** The connection broke, as faults make it do. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** The client lost its patience. */
  | { readonly kind: 'left' }
  /** What nobody may send. */
  | { readonly kind: 'wrong'; readonly reason: string }

export interface Target {
  /** A client that leaves after so many milliseconds. */
  send(call: Call, patience: number): Promise<Outcome>
  /** A bug that the simulator has warned of. */
  complaint(): string | undefined
  close(): Promise<void>
}

/** What fast-check shall find makes no other test fail. */
function newSimulator(): { readonly sim: Simulator; complaint(): string | undefined } {
  const bugs: string[] = []
  const sim = simulator({
    seed: 'fuzz',
    clock: 'auto',
    settings: { limits: { activeImageJobs: 1_000_000 } },
    // It stands still: what it writes would differ from run to run.
    wallClock: () => 1_767_225_600_000,
    onWarning(message) {
      if (message.startsWith('internal error in gateway-sim')) bugs.push(message)
    },
  })
  return { sim, complaint: () => bugs.shift() }
}

/** How a client says that a connection broke. */
const breaks = /^(?:fetch failed|terminated|.*simulator was (?:closed|reset)|.*session .*)/

/** The text, or the beginning of the feed of events, which never ends. */
async function textOf(response: Response): Promise<string> {
  const isFeed = response.headers.get('cache-control') === 'no-cache, no-transform'
  if (!isFeed || response.body === null) return response.text()
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

export function inProcess(): Target {
  const { sim, complaint } = newSimulator()
  return {
    async send({ method, path, headers, body }, patience) {
      const client = new AbortController()
      const timer = setTimeout(() => client.abort(), patience)
      try {
        const response = await sim.fetch(`http://gateway.test${path}`, {
          method,
          headers,
          signal: client.signal,
          ...(body === undefined ? {} : { body: Buffer.from(body, 'latin1') }),
        })
        const text = await textOf(response)
        return {
          kind: 'answered',
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body: text,
        }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (client.signal.aborted) return { kind: 'left' }
        return breaks.test(reason)
          ? { kind: 'broken', reason }
          : { kind: 'wrong', reason: `fetch threw: ${reason}` }
      } finally {
        clearTimeout(timer)
      }
    },
    complaint,
    close: () => sim.close(),
  }
}

/** With one connection that is kept, as far as the server keeps it. */
export async function overHttp(): Promise<Target> {
  const { sim, complaint } = newSimulator()
  const { port, close } = await listen(sim)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    send: (call, patience) => exchange({ port, agent }, call, patience),
    complaint,
    async close() {
      agent.destroy()
      await close()
    },
  }
}

function exchange(
  to: { readonly port: number; readonly agent: Agent },
  call: Call,
  patience: number,
): Promise<Outcome> {
  const { method, path, headers, body } = call
  return new Promise((resolve) => {
    const sent = request({ ...to, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      const answered = (): void =>
        resolve({
          kind: 'answered',
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(chunks).toString('utf8'),
        })
      response.on('error', broken)
      response.on('end', answered)
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (response.headers['cache-control'] !== 'no-cache, no-transform') return
        answered()
        sent.destroy()
      })
    })
    const broken = ({ code = '', message }: NodeJS.ErrnoException): void => {
      // A server may close a connection that is kept; its client asks once more.
      if (sent.reusedSocket && code === 'ECONNRESET') return resolve(exchange(to, call, patience))
      const kind = code.startsWith('HPE_') ? 'wrong' : 'broken'
      return resolve({ kind, reason: message })
    }
    const timer = setTimeout(() => {
      resolve({ kind: 'left' })
      sent.destroy()
    }, patience)
    sent.on('error', broken)
    sent.on('close', () => clearTimeout(timer))
    sent.end(body === undefined ? undefined : Buffer.from(body, 'latin1'))
  })
}
