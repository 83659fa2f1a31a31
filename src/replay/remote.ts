/** A server at an address: any gateway, or a simulator, whose clock is then moved through its control API. */
import { randomUUID } from 'node:crypto'
import { type Clockwork, createPacer } from './pacer.ts'
import type { Fetch } from './send-request.ts'
import type { Target } from './target.ts'
import { createWallPacer } from './wall-pacer.ts'

/** What a server turned out to be. */
export interface Remote {
  /** Undefined for a server that is no simulator. */
  readonly simulator:
    | { readonly clock: 'manual' | 'auto' | 'real'; readonly scenarios: readonly string[] }
    | undefined
  /**
   * A target in a session of its own, where the server has sessions; that of the address where it names one.
   */
  open(): Promise<Target>
}

/** How the control API of a simulator is reached. */
export interface ControlAccess {
  /** What its calls must carry, where the server wants that. */
  readonly token?: string | undefined
  /** Where it stands; `/__sim` unless given. */
  readonly prefix?: string | undefined
}

/** A simulator stands there and its control API has refused a call; the message is its own. */
export class ControlRefusal extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** How long a server may take to say what it is, and to answer its control API, in real milliseconds. */
const patience = 10_000
/** How long nothing may move on a simulator before that counts as silence, in real milliseconds. */
const stillness = 2000
const look = 15

/**
 * Finds out what answers there. Rejects when nothing does; with `ControlRefusal` when a simulator does not
 * let itself be controlled.
 */
export async function probe(base: string, limit: number, access: ControlAccess = {}): Promise<Remote> {
  // A server that is no simulator must not see the token.
  const health = (await ask(base, 'health', { prefix: access.prefix })).body as
    | { readonly status?: unknown; readonly session?: unknown; readonly scenarios?: readonly string[] }
    | undefined
  const mode =
    health?.status === 'ok' && typeof health.session === 'string'
      ? ((await control(base, 'clock', access)) as { readonly mode?: unknown }).mode
      : undefined
  const clock = (['manual', 'auto', 'real'] as const).find((word) => word === mode)
  const simulator = clock === undefined ? undefined : { clock, scenarios: health?.scenarios ?? [] }
  return {
    simulator,
    async open() {
      if (simulator === undefined)
        return { name: base, base, movesTime: false, pacer: createWallPacer(limit), fetch: send }
      const given = /\/s\/[^/]+$/.test(base)
      // In a session of ours nobody needs to wait for the wall: its clock is moved, whatever that of the
      // server does.
      const clock = given || simulator.clock !== 'real' ? simulator.clock : 'manual'
      const own = given
        ? base
        : await newSession(base, access, clock === simulator.clock ? {} : { clock: 'manual' })
      const name = `${base} (gateway-sim, ${clock === simulator.clock ? `${clock} clock` : `${clock} clock in a session of its own`})`
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

/** The address of a new session: what earlier replays have left behind must not count. */
async function newSession(
  base: string,
  access: ControlAccess,
  more: { readonly clock?: 'manual' },
): Promise<string> {
  const name = `replay-${randomUUID().slice(0, 8)}`
  // Where only sessions that were created are let in, no call could make it.
  await control(base, 'sessions', access, { name, ...more })
  return `${base}/s/${name}`
}

const send: Fetch = (url, init) => fetch(url, init)

/** The clock of a session on a simulator elsewhere. */
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
    quiet: () => rest(look),
    async nextReply(still) {
      // What is still on its way to the server, or is being made there, waits on no clock yet.
      for (let waited = 0; waited <= stillness && still(); waited += look) {
        const { pending, next } = await state()
        if (pending > 0 && next !== null) return Date.parse(next)
        await rest(look)
      }
      return undefined
    },
    async nextChange() {
      const { next } = await state()
      return next === null ? undefined : Date.parse(next)
    },
    async advanceTo(at) {
      // What that lets go arrives before the answer does.
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

/** What the control API of a simulator answers. Throws `ControlRefusal` when it does not. */
async function control(base: string, path: string, access: ControlAccess, body?: unknown): Promise<unknown> {
  const { status, body: said } = await ask(base, path, access, body)
  if (said !== undefined && status < 300) return said
  const { detail } = (said ?? {}) as { readonly detail?: unknown }
  throw new ControlRefusal(
    typeof detail === 'string' ? detail : `The control API at ${base} answered ${status} to ${path}.`,
    status,
  )
}

/**
 * One call of the control API; the body is undefined where it is no JSON object. Rejects when the server
 * cannot be reached.
 */
async function ask(
  base: string,
  path: string,
  { token, prefix = '/__sim' }: ControlAccess,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: object | undefined }> {
  const response = await fetch(`${base}${prefix}/${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(patience),
    headers: {
      ...(token === undefined ? {} : { 'x-sim-token': token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, body: objectIn(await response.text()) }
}

function objectIn(text: string): object | undefined {
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
