/** What a replay runs against: a server and its clock. In-process here, over a network in `remote.ts`. */
import { nextDue } from '../engine/next-due.ts'
import type { Simulator } from '../index.ts'
import { type Clockwork, createPacer, type Pacer } from './pacer.ts'
import type { Fetch } from './send-request.ts'

export interface Target {
  /** Its name in reports. */
  readonly name: string
  /** The base URL, without a trailing slash. */
  readonly base: string
  /** Whether `advance` moves time. If not, GET requests after it are repeated until they are as expected. */
  readonly movesTime: boolean
  readonly pacer: Pacer
  readonly fetch: Fetch
  /** Called with 1 when a body begins to be read, with -1 when it has ended. */
  reading?(change: 1 | -1): void
  /** Removes real keys from what is received. */
  hide?(text: string): string
}

/** The base URL of the in-process simulator. */
export const inProcessAddress = 'http://gateway.test'

/** Turns of the event loop after which everything that does not wait for a clock has happened. */
const loopTurns = 4
/** Timers to wait for the end of a body that was broken off. */
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
      if (open() < known) await nextTimer()
      for (let count = 0; bodies > open() && count < maxTimers; count++) await nextTimer()
      known = open()
    },
    async nextReply() {
      return sessions.get('default').world.clock.nextDue()
    },
    async nextChange() {
      return nextDue(sessions.get('default').world, simulator.clock.now())
    },
    async advanceTo(at) {
      return simulator.clock.advance({ to: at }).fired
    },
  }
  return {
    name: 'in-process',
    base: inProcessAddress,
    movesTime: true,
    pacer: createPacer(clock),
    fetch: (url, init) => simulator.fetch(url, init),
    reading: (change) => void (bodies += change),
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

function nextTimer(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0))
}
