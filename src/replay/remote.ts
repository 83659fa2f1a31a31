/** A server: any gateway, or a simulator, whose clock is moved through its control API. */
import { randomUUID } from 'node:crypto'
import { type Clockwork, createPacer } from './pacer.ts'
import type { Fetch } from './send-request.ts'
import type { Target } from './target.ts'
import { createWallPacer } from './wall-pacer.ts'

/** A server that was probed. */
export interface Remote {
  /** Undefined if it is not a simulator. */
  readonly simulator:
    | { readonly clock: 'manual' | 'auto' | 'real'; readonly scenarios: readonly string[] }
    | undefined
  /** A target: on a simulator in a new session, unless the base URL names one. */
  open(): Promise<Target>
}

/** Access to the control API of a simulator. */
export interface ControlAccess {
  readonly token?: string | undefined
  /** Its path prefix, by default `/__sim`. */
  readonly prefix?: string | undefined
}

/** The control API of a simulator refused a call. */
export class ControlRefusal extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Timeout of control API calls, in real milliseconds. */
const controlTimeout = 10_000
/** A simulator without activity for this long has nothing more to send, in real milliseconds. */
const stillness = 2000
const pollInterval = 15

/** Finds out what a server is. Rejects if it cannot be reached, or with `ControlRefusal`. */
export async function probe(base: string, limit: number, access: ControlAccess = {}): Promise<Remote> {
  // Without the token: the server may not be a simulator.
  const health = (await ask(base, 'health', { prefix: access.prefix })).body as
    | { readonly status?: unknown; readonly session?: unknown }
    | undefined
  const mode =
    health?.status === 'ok' && typeof health.session === 'string'
      ? ((await control(base, 'clock', access)) as { readonly mode?: unknown }).mode
      : undefined
  const clock = (['manual', 'auto', 'real'] as const).find((word) => word === mode)
  const simulator = clock === undefined ? undefined : { clock, scenarios: await titles(base, access) }
  return {
    simulator,
    async open() {
      if (simulator === undefined)
        return { name: base, base, movesTime: false, pacer: createWallPacer(limit), fetch: send }
      const hasSession = /\/s\/[^/]+$/.test(base)
      // A session of our own gets a manual clock, so that a real one need not be waited for.
      const clock = hasSession || simulator.clock !== 'real' ? simulator.clock : 'manual'
      const own = hasSession
        ? base
        : await newSession(base, access, clock === simulator.clock ? {} : { clock: 'manual' })
      const where = clock === simulator.clock ? '' : ' in a session of its own'
      const name = `${base} (gateway-sim, ${clock} clock${where})`
      if (clock === 'real')
        return { name, base: own, movesTime: false, pacer: createWallPacer(limit), fetch: send }
      return {
        name,
        base: own,
        movesTime: true,
        pacer: createPacer(await remoteClock(own, access)),
        fetch: send,
      }
    },
  }
}

/** The base URL of a new session, so that state of earlier replays does not matter. */
async function newSession(
  base: string,
  access: ControlAccess,
  more: { readonly clock?: 'manual' },
): Promise<string> {
  const name = `replay-${randomUUID().slice(0, 8)}`
  // Explicitly, since a server may refuse sessions that were not created.
  await control(base, 'sessions', access, { name, ...more })
  return `${base}/s/${name}`
}

const send: Fetch = (url, init) => fetch(url, init)

/** The clock of a session on a remote simulator. */
async function remoteClock(base: string, access: ControlAccess): Promise<Clockwork> {
  interface State {
    readonly now: string
    readonly next: string | null
    readonly pending: number
  }
  const state = async (): Promise<State> => (await control(base, 'clock', access)) as State
  let now = Date.parse((await state()).now)
  return {
    now: () => now,
    quiet: () => rest(pollInterval),
    async nextReply(isWaiting) {
      // A request on its way, or being answered, does not wait for a clock yet.
      for (let waited = 0; waited <= stillness && isWaiting(); waited += pollInterval) {
        const { pending, next } = await state()
        if (pending > 0 && next !== null) return Date.parse(next)
        await rest(pollInterval)
      }
      return undefined
    },
    async nextChange() {
      const { next } = await state()
      return next === null ? undefined : Date.parse(next)
    },
    async advanceTo(at) {
      // Replies that this releases arrive before the answer to this call.
      now = at
      const moved = (await control(base, 'clock/advance', access, { to: at })) as {
        readonly now: string
        readonly fired?: readonly unknown[]
      }
      now = Date.parse(moved.now)
      return moved.fired ?? []
    },
  }
}

/** The titles of the scenarios in use, which health tells those who may know. */
async function titles(base: string, access: ControlAccess): Promise<readonly string[]> {
  const health = (await control(base, 'health', access)) as { readonly scenarios?: readonly string[] }
  return health.scenarios ?? []
}

/** Calls the control API. Throws `ControlRefusal`. */
async function control(base: string, path: string, access: ControlAccess, body?: unknown): Promise<unknown> {
  const { status, body: answer } = await ask(base, path, access, body)
  if (answer !== undefined && status < 300) return answer
  const { detail } = (answer ?? {}) as { readonly detail?: unknown }
  throw new ControlRefusal(
    typeof detail === 'string' ? detail : `The control API at ${base} answered ${status} to ${path}.`,
    status,
  )
}

/** One call of the control API; `body` is undefined unless it is a JSON object. */
async function ask(
  base: string,
  path: string,
  { token, prefix = '/__sim' }: ControlAccess,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: object | undefined }> {
  const response = await fetch(`${base}${prefix}/${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(controlTimeout),
    headers: {
      ...(token === undefined ? {} : { 'x-sim-token': token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, body: parseObject(await response.text()) }
}

function parseObject(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return value !== null && typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
