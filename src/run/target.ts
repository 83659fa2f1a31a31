/** The targets of a run: the simulator in this process, or a server at a URL. */
import type { Simulator } from '../index.ts'
import type { StepRequest } from './build-request.ts'
import { type Clockwork, createWallPacer, type Pacer, rest, VirtualPacer } from './pacer.ts'
import { createSender, type Fetch, type SendOptions, type SentExchange } from './send.ts'

export interface Target {
  readonly name: string
  /** The base URL, without a trailing slash. */
  readonly base: string
  /** Whether `advance` moves time. If not, GET requests after it are repeated until they match. */
  readonly movesTime: boolean
  readonly pacer: Pacer
  send(request: StepRequest, options?: SendOptions): Promise<SentExchange>
}

/**
 * Sends a request, and sends it again as long as `pauseAfter` names a pause in milliseconds. The result has
 * all exchanges; there is at least one.
 */
export async function sendRepeatedly(
  { send, pacer }: Target,
  request: StepRequest,
  options: SendOptions,
  pauseAfter: (exchange: SentExchange, count: number) => number | undefined,
): Promise<readonly SentExchange[]> {
  const exchanges: SentExchange[] = []
  for (;;) {
    const exchange = await send(request, options)
    exchanges.push(exchange)
    const pause = pauseAfter(exchange, exchanges.length)
    if (pause === undefined) return exchanges
    await pacer.sleep(pause)
  }
}

/** The base URL of the in-process simulator. */
export const inProcessUrl = 'http://gateway.test'

/** The event loop turns after which only timers of a clock are pending. */
const loopTurns = 4
/** The number of timers until an interrupted body ends. */
const maxTimers = 50

/** A simulator in this process. Its clock must not be `real`. */
export function inProcess(simulator: Simulator): Target {
  const { sessions } = simulator.core
  let bodies = 0
  let known = 0
  const open = (): number => sessions.all().reduce((sum, session) => sum + session.open.size, 0)
  const clock: Clockwork = {
    now: simulator.clock.now,
    async quiet() {
      await simulator.settled()
      for (let turn = 0; turn < loopTurns; turn++) await nextTurn()
      // The end of a broken body reaches its reader through a timer (http/web.ts).
      if (open() < known) await rest(0)
      for (let count = 0; bodies > open() && count < maxTimers; count++) await rest(0)
      known = open()
    },
    nextResponse: async () => sessions.get('default').sandbox.clock.nextDue(),
    advanceTo: async (at) => simulator.clock.advance({ to: at }).fired,
  }
  const pacer = new VirtualPacer(clock)
  const send = createSender({
    pacer,
    fetch: (url, init) => simulator.fetch(url, init),
    reading: (change) => void (bodies += change),
  })
  return { name: 'in-process', base: inProcessUrl, movesTime: true, pacer, send }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

export interface ServerOptions {
  readonly base: string
  readonly pacer: Pacer
  readonly fetch?: Fetch
  /** Removes real keys from what is received. */
  hide?(text: string): string
}

/** A server: a gateway in real time, or a simulator whose clock the pacer advances. */
export function serverTarget({ base, pacer, hide, fetch }: ServerOptions): Target {
  const send = createSender({
    pacer,
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    ...(hide && { hide }),
  })
  return { name: base, base, movesTime: pacer instanceof VirtualPacer, pacer, send }
}

/** A gateway in real time. No report shows its API key. `patience`: the longest wait for a response (ms). */
export const gatewayAt = (base: string, apiKey: string, patience = 60_000): Target =>
  serverTarget({ base, pacer: createWallPacer(patience), hide: keyRemover([apiKey]) })

/** A shorter key is no secret, and would be found in ordinary words. */
const shortestSecret = 8

/** Removes keys from a text, in any encoding: a server may repeat a key, and reports are shared. */
export function keyRemover(keys: readonly string[]): (text: string) => string {
  const forms = keys
    .filter(({ length }) => length >= shortestSecret)
    .flatMap((key) => [key, encodeURIComponent(key), Buffer.from(key).toString('base64')])
  // One key may start with another.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((hidden, key) => hidden.replaceAll(key, '<key>'), text)
}
