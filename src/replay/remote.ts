/** A server at an address: any gateway, or a simulator, whose clock is then moved through its control API. Knows no steps. */
import { randomUUID } from 'node:crypto'
import { createPacer, type Clockwork } from './pacer.ts'
import type { Fetch } from './send-request.ts'
import type { Target } from './target.ts'
import { createWallPacer } from './wall-pacer.ts'

/** What a server turned out to be. */
export interface Remote {
  /** Undefined for a server that is no simulator. */
  readonly simulator: { readonly clock: 'manual' | 'auto' | 'real'; readonly scenarios: readonly string[] } | undefined
  /** A target in a session of its own, where the server has sessions. */
  open(): Promise<Target>
}

/** How long a server may take to say what it is, and to answer its control API, in real milliseconds. */
const patience = 10_000
/** How long nothing may move on a simulator before that counts as silence, in real milliseconds. */
const stillness = 2000
const look = 15

/** Finds out what answers there. Rejects when nothing does. */
export async function probe(base: string, limit: number): Promise<Remote> {
  const health = (await control(base, 'health')) as { readonly status?: unknown; readonly session?: unknown; readonly scenarios?: readonly string[] } | undefined
  const clock = health?.status === 'ok' && typeof health.session === 'string' ? ((await control(base, 'clock')) as { readonly mode?: unknown } | undefined) : undefined
  const mode = (['manual', 'auto', 'real'] as const).find((word) => word === clock?.mode)
  const simulator = mode === undefined ? undefined : { clock: mode, scenarios: health?.scenarios ?? [] }
  return {
    simulator,
    async open() {
      if (simulator === undefined) return { name: base, base, movesTime: false, pacer: createWallPacer(limit), fetch: send }
      // What earlier replays have left behind must not count; a session that the address names is meant.
      const own = /\/s\/[^/]+$/.test(base) ? base : `${base}/s/replay-${randomUUID().slice(0, 8)}`
      const name = `${base} (gateway-sim, ${simulator.clock} clock)`
      if (simulator.clock === 'real') return { name, base: own, movesTime: false, pacer: createWallPacer(limit), fetch: send }
      return { name, base: own, movesTime: true, pacer: createPacer(await remoteClock(own)), fetch: send }
    },
  }
}

const send: Fetch = (url, init) => fetch(url, init)

/** The clock of a session on a simulator elsewhere. */
async function remoteClock(base: string): Promise<Clockwork> {
  interface State {
    readonly now: string
    readonly next: string | null
    readonly pending: number
  }
  const state = async (): Promise<State> => (await control(base, 'clock')) as State
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
      const moved = (await control(base, 'clock/advance', { to: at })) as { readonly now?: string; readonly fired?: readonly unknown[] } | undefined
      if (typeof moved?.now !== 'string') throw new Error(`replay: the simulator at ${base} did not move its clock`)
      now = Date.parse(moved.now)
      return moved.fired ?? []
    },
  }
}

/** What the control API answers; undefined where there is none. Rejects when the server cannot be reached. */
async function control(base: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${base}/__sim/${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(patience),
    ...(body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
