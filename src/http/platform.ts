/** The platform for node and browsers: loading, rendering, real time, and turns of the event loop. */

import { createTokens } from '../behaviours/tokens/tokens.ts'
import type { CreatePlatform, LoadedFacilities } from '../core/platform.ts'
import type { Clock } from '../engine/clock.ts'
import { createMedia } from '../media/media.ts'
import type { Facilities, Need } from '../protocol/endpoint.ts'

export const createPlatform: CreatePlatform = () => ({
  facilities: createFacilities(),
  media: createMedia({ cacheBytes: 64 * 1024 * 1024 }),
  drive,
  turn,
})

/** The longest timer in milliseconds: longer ones fire immediately. */
const longest = 2_000_000_000

/** Arms one timer for the earliest scheduled time. No timer is left when nothing is scheduled any more. */
function drive(clock: Clock): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let armedFor: number | undefined
  let isRunning = false

  const arm = (shifted: boolean): void => {
    // Running tasks schedule others: one timer is set after all of them.
    if (isRunning) return
    const due = clock.frozen ? undefined : clock.nextDue()
    if (due === armedFor && timer !== undefined && !shifted) return
    clearTimeout(timer)
    timer = undefined
    armedFor = due
    if (due === undefined) return
    timer = setTimeout(fire, Math.min(longest, Math.max(0, Math.ceil((due - clock.now()) / clock.speed))))
  }
  const fire = (): void => {
    timer = undefined
    armedFor = undefined
    isRunning = true
    try {
      clock.run()
    } finally {
      isRunning = false
      arm(false)
    }
  }
  clock.onSchedule = arm
}

/** Resolves after all pending promises and received socket data have been processed. */
async function turn(): Promise<void> {
  // The first resumes among the sockets of this turn, the second after them.
  await message()
  await message()
}

/**
 * Keeps node running until the returned function is called. The timer of `AbortSignal.timeout` does not: a
 * program that waits for it would end too early.
 */
export function stayAwake(): () => void {
  const ports = openPorts()
  if (ports === undefined) return ignore
  const [port] = ports
  // A listening port keeps the event loop alive.
  port.onmessage = ignore
  return () => port.close()
}

/** Resolves in a later task, after the timers and sockets that are due. */
export function message(): Promise<void> {
  const ports = openPorts()
  if (ports === undefined) return new Promise((resolve) => void setTimeout(resolve, 0))
  const [port, other] = ports
  return new Promise((resolve) => {
    port.onmessage = () => {
      port.close()
      resolve()
    }
    other.postMessage(undefined)
  })
}

/** The part of `MessagePort` that node and browsers share. */
interface Port {
  onmessage: (() => void) | null
  postMessage(value: unknown): void
  close(): void
}

/** Two connected ports; undefined under jsdom, which has none. */
function openPorts(): readonly [Port, Port] | undefined {
  if (typeof MessageChannel === 'undefined') return undefined
  const { port1, port2 } = new MessageChannel()
  return [port1, port2] as unknown as readonly [Port, Port]
}

function ignore(): void {}

/** Dependencies, none of them loaded yet. */
function createFacilities(): LoadedFacilities {
  const loaded: Facilities = {}
  const loading = new Map<Need, Promise<void>>()

  const loadOne = (need: Need): Promise<void> => {
    const known = loading.get(need)
    if (known !== undefined) return known
    const started = loaders[need]().then(
      (facility) => {
        loaded[need] = facility
      },
      (error: unknown) => {
        // The files, or file descriptors for them, may be available for the next call.
        loading.delete(need)
        throw error
      },
    )
    loading.set(need, started)
    return started
  }

  const load = async (needs: readonly Need[]): Promise<void> => {
    await Promise.all(needs.map(loadOne))
  }
  return {
    loaded,
    load,
  }
}

const loaders: Readonly<Record<Need, () => Promise<unknown>>> = {
  async tokens() {
    const { tokenTable } = await import('./token-table.ts')
    return createTokens(await tokenTable())
  },
  async schemas() {
    const [{ faker }, { schemaFiller }] = await Promise.all([
      import('@faker-js/faker/locale/en'),
      import('../behaviours/json-schema/schemas.ts'),
    ])
    return schemaFiller(faker)
  },
  har: async () => (await import('../exchange/journal-har.ts')).journalHar,
  trace: async () => (await import('../trace/collect-trace.ts')).traceJson,
}
