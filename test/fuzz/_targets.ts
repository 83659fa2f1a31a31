/** Where calls are sent: a simulator in this process, or its server over a socket. */
import type { Simulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import { answerOf } from '../hostile/_judge.ts'
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

function why(error: unknown, client: AbortController): Outcome {
  if (client.signal.aborted) return { kind: 'left' }
  const { message, cause } = error as { message: string; cause?: { name?: string; message?: string } }
  // What is no HTTP breaks no connection: the parser of the client rejects it.
  const isBroken = breaks.test(message) && cause?.name !== 'HTTPParserError'
  return isBroken
    ? { kind: 'broken', reason: message }
    : { kind: 'wrong', reason: `fetch threw: ${message} ${cause?.message ?? ''}` }
}

const sendVia =
  (call: typeof fetch, url: string): Target['send'] =>
  async ({ method, path, headers, body }, patience) => {
    const client = new AbortController()
    const timer = setTimeout(() => client.abort(), patience)
    try {
      const response = await call(url + path, {
        method,
        headers,
        signal: client.signal,
        ...(body === undefined ? {} : { body: Buffer.from(body, 'latin1') }),
      })
      const { status, text } = await answerOf(response)
      return { kind: 'answered', status, headers: Object.fromEntries(response.headers), body: text }
    } catch (error) {
      return why(error, client)
    } finally {
      clearTimeout(timer)
    }
  }

export function inProcess(): Target {
  const { sim, complaint } = newSimulator()
  const send = sendVia(sim.fetch as typeof fetch, 'http://gateway.test')
  return { send, complaint, close: () => sim.close() }
}

export async function overHttp(): Promise<Target> {
  const { sim, complaint } = newSimulator()
  const { url, close } = await listen(sim)
  return { send: sendVia(fetch, url), complaint, close }
}
