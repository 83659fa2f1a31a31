/** Detects whether a server is a simulator, and loads scenarios into it through its control API. */

import { randomUUID } from 'node:crypto'
import { defined, type Fields, isFields, jsonIn, listOf } from '../engine/fields.ts'
import { controlPrefix } from '../protocol/paths.ts'
import { type Clockwork, createWallPacer, rest, VirtualPacer } from './pacer.ts'
import { causeOf } from './send.ts'
import { serverTarget, type Target } from './target.ts'

export interface Remote {
  readonly kind: 'gateway' | 'simulator'
  /** A simulator gets a new session with the scenario, unless the base URL names one. */
  open(scenario: OpenedScenario): Promise<Opened>
}

export interface OpenedScenario {
  readonly title: string
  readonly clock: 'manual' | 'auto'
  /** The scenario without its steps. */
  readonly written: Readonly<Record<string, unknown>>
  /** Removes real keys from what is received. */
  hide(text: string): string
}

export interface Opened {
  readonly target: Target
  /** Where the scenario is loaded: in the server, in a session, or nowhere. */
  readonly scenario: 'served' | 'loaded' | 'absent'
  /** The remedy if the scenario is loaded nowhere. */
  readonly remedy: string
}

export interface ControlAccess {
  readonly token?: string | undefined
}

export class ControlRejection extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

export class Unreachable extends Error {}

/** Timeout of control API calls, in real milliseconds. */
const controlTimeout = 10_000
/** A simulator without activity for this long has nothing more to send, in real milliseconds. */
const stillness = 2000
const pollInterval = 15

/** Detects what kind of server it is. Rejects with `Unreachable` or `ControlRejection`. */
export async function probe(base: string, limit: number, access: ControlAccess = {}): Promise<Remote> {
  // Without the token: the server may not be a simulator.
  const { body: health = {} } = await ask(base, 'health', {})
  if (health['status'] !== 'ok' || typeof health['session'] !== 'string') return gatewayAt(base, limit)
  const { mode } = await control(base, 'clock', access)
  const clock = (['manual', 'auto', 'real'] as const).find((word) => word === mode)
  return clock === undefined ? gatewayAt(base, limit) : simulatorAt({ base, limit, access, clock })
}

function gatewayAt(base: string, limit: number): Remote {
  const remedy = 'omit --base-url, or pass the base URL of a gateway-sim server'
  return {
    kind: 'gateway',
    async open({ hide }) {
      const target = serverTarget({ base, pacer: createWallPacer(limit), hide })
      return { target, scenario: 'absent', remedy }
    },
  }
}

interface SimulatorServer {
  readonly base: string
  readonly limit: number
  readonly access: ControlAccess
  readonly clock: 'manual' | 'auto' | 'real'
}

function simulatorAt({ base, limit, access, clock }: SimulatorServer): Remote {
  return {
    kind: 'simulator',
    async open({ title, clock: wanted, written, hide }) {
      const targetOf = async (url: string, mode: typeof clock, words: string): Promise<Target> => {
        const name = `${base} (gateway-sim, ${words})`
        const pacer =
          mode === 'real' ? createWallPacer(limit) : new VirtualPacer(await remoteClock(url, access))
        return serverTarget({ base: url, name, pacer, hide })
      }
      const served = (await titles(base, access)).includes(title)
      if (/\/s\/[^/]+$/.test(base))
        return {
          target: await targetOf(base, clock, `${clock} clock`),
          scenario: served ? 'served' : 'absent',
          remedy: 'omit /s/… from --base-url: replay then loads the scenario into a new session',
        }
      // The new session gets a clock that can be advanced: a real clock would need waiting.
      const movable = clock === 'real' ? 'manual' : clock
      const where = movable === clock ? '' : ' in a new session'
      const alone = async (): Promise<Target> =>
        targetOf(
          await newSession(base, access, movable === clock ? {} : { clock: movable }),
          movable,
          `${movable} clock${where}`,
        )
      if (served) return { target: await alone(), scenario: 'served', remedy: '' }
      try {
        const url = await newSession(base, access, { clock: wanted, scenarios: [written] })
        const words = `scenario loaded, ${wanted} clock`
        return { target: await targetOf(url, wanted, words), scenario: 'loaded', remedy: '' }
      } catch (error) {
        if (!(error instanceof ControlRejection)) throw error
        const remedy = `the gateway-sim server rejected the scenario: ${error.message}`
        return { target: await alone(), scenario: 'absent', remedy }
      }
    },
  }
}

/** The base URL of a new session, without the state of earlier replays. */
async function newSession(
  base: string,
  access: ControlAccess,
  more: { readonly clock?: 'manual' | 'auto'; readonly scenarios?: readonly object[] },
): Promise<string> {
  const name = `replay-${randomUUID().slice(0, 8)}`
  // Explicitly, since a server may reject sessions that were not created.
  await control(base, 'sessions', access, { name, ...more })
  return `${base}/s/${name}`
}

/** The clock of a session on a remote simulator. */
async function remoteClock(base: string, access: ControlAccess): Promise<Clockwork> {
  const timestamp = (text: unknown): number | undefined =>
    typeof text === 'string' ? Date.parse(text) : undefined
  const state = async () => {
    const { now, next, pending } = await control(base, 'clock', access)
    return { now: timestamp(now) ?? 0, next: timestamp(next), isPending: Number(pending) > 0 }
  }
  let { now } = await state()
  return {
    now: () => now,
    quiet: () => rest(pollInterval),
    async nextResponse(isWaiting) {
      // A request in transit or in progress does not wait for a clock yet.
      for (let waited = 0; waited <= stillness && isWaiting(); waited += pollInterval) {
        const { isPending, next } = await state()
        if (isPending && next !== undefined) return next
        await rest(pollInterval)
      }
      return undefined
    },
    nextChange: async () => (await state()).next,
    async advanceTo(at) {
      // The responses that this releases arrive before the response to this call.
      now = at
      const moved = await control(base, 'clock/advance', access, { to: at })
      now = timestamp(moved['now']) ?? at
      return listOf(moved['fired'])
    },
  }
}

/** The titles of the scenarios in use, which health shows to authorised clients. */
const titles = async (base: string, access: ControlAccess): Promise<readonly unknown[]> =>
  listOf((await control(base, 'health', access))['scenarios'])

async function control(base: string, path: string, access: ControlAccess, body?: unknown): Promise<Fields> {
  const { status, body: answer } = await ask(base, path, access, body)
  if (answer !== undefined && status < 300) return answer
  const { detail } = answer ?? {}
  throw new ControlRejection(
    typeof detail === 'string'
      ? detail
      : `The control API at ${base} responded to ${path} with status ${status}.`,
    status,
  )
}

/** One call of the control API; `body` is undefined unless it is a JSON object. Throws `Unreachable`. */
async function ask(
  base: string,
  path: string,
  { token }: ControlAccess,
  body?: unknown,
): Promise<{ readonly status: number; readonly body: Fields | undefined }> {
  try {
    const response = await fetch(`${base}${controlPrefix}/${path}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(controlTimeout),
      headers: defined({
        'x-sim-token': token,
        'content-type': body === undefined ? undefined : 'application/json',
      }),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const value = jsonIn(await response.text())
    return { status: response.status, body: isFields(value) ? value : undefined }
  } catch (error) {
    throw new Unreachable(causeOf(error))
  }
}
