/**
 * Where a replay runs: something that answers requests, and a clock. In-process here; over a network in
 * `remote.ts`.
 */

import { nextDue } from '../engine/next-due.ts'
import type { Simulator } from '../index.ts'
import { type Clockwork, createPacer, type Pacer } from './pacer.ts'
import type { Fetch } from './send-request.ts'

export interface Target {
  /** As reports name it. */
  readonly name: string
  /** Where the gateway is, without a trailing slash. */
  readonly base: string
  /**
   * Whether `advance` moves time: where it does not, the next look is repeated until it shows what is
   * expected.
   */
  readonly movesTime: boolean
  readonly pacer: Pacer
  readonly fetch: Fetch
  /** Hears of bodies that are being read. */
  reading?(change: 1 | -1): void
  /** Takes out of what is received what nobody may see. */
  hide?(text: string): string
}

/** The address of the simulator inside this process: nothing leaves it. */
export const inProcessAddress = 'http://gateway.test'

// So many turns of the event loop are enough for whatever does not wait on a clock.
const turns = 4
/** How many real timers may pass until the end of a body that was broken off arrives. */
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
      for (let turn = 0; turn < turns; turn++) await turnOfTheLoop()
      // What is broken off reaches its reader through a timer (http/web.ts).
      if (open() < known) await timer()
      for (let count = 0; bodies > open() && count < maxTimers; count++) await timer()
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

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

function timer(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0))
}
