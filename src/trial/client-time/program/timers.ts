/**
 * The timers of a program whose time jumps. They stay timers of Node.js, which keep the program alive until
 * they fire or are cleared; but they are due by the time of the program.
 */
import type { Socket } from 'node:net'
import type { Sleep } from './messages.ts'
import { type NodeTimer, type NodeTimers, replaceEverywhere, replaceSocketTimers } from './replace-timers.ts'

interface Pending {
  readonly timer: NodeTimer
  readonly callback: NodeTimer['_onTimeout']
  readonly delay: number
  readonly isInterval: boolean
  due: number
  /** When it was set, in real time. */
  setAt: number
}

/** The longest delay of Node.js. A timer with it never fires by itself during a trial. */
const longest = 2 ** 31 - 1

export interface ProgramTime {
  /** The time of the program, in milliseconds. */
  now(): number
  realNow(): number
}

export class ProgramTimers {
  readonly #node: NodeTimers
  readonly #time: ProgramTime
  readonly #changed: () => void
  readonly #pending = new Set<Pending>()
  readonly #ignored = new WeakSet<Socket>()
  #workedAt: number
  /** How often timers and sockets have changed. */
  changes = 0
  /** How often sockets have read or written. */
  work = 0

  /** Replaces the timers of this program. `changed` is called when a timer is set, or a socket works. */
  constructor(node: NodeTimers, time: ProgramTime, changed: () => void) {
    this.#node = node
    this.#time = time
    this.#changed = changed
    this.#workedAt = time.realNow()
    const setTimeout = (callback: () => void, ms?: number, ...args: unknown[]): NodeTimer =>
      this.#follow(node.setTimeout(callback, longest, ...(args as [])) as NodeTimer, ms, false)
    const setInterval = (callback: () => void, ms?: number, ...args: unknown[]): NodeTimer =>
      this.#follow(node.setInterval(callback, longest, ...(args as [])) as unknown as NodeTimer, ms, true)
    replaceEverywhere(setTimeout, setInterval)
    replaceSocketTimers(setTimeout, node.clearTimeout, (socket) => {
      if (this.#ignored.has(socket)) return
      this.work++
      this.#workedAt = time.realNow()
      this.#note()
    })
  }

  /** What this socket does is no change. */
  ignore(socket: Socket): void {
    this.#ignored.add(socket)
  }

  /** Milliseconds until the next timer is due; undefined without one. */
  nextWait(): number | undefined {
    const next = this.#next(() => true)
    return next && this.#waitOf(next)
  }

  /** The next timer that keeps the program alive. */
  nextSleep(): Sleep | undefined {
    const next = this.#next(({ timer }) => timer.hasRef())
    const quietSince = Math.max(next?.setAt ?? 0, this.#workedAt)
    return next && { wait: this.#waitOf(next), quiet: this.#time.realNow() - quietSince }
  }

  /** Calls the timers that are due, each in a turn of the event loop. */
  fire(): void {
    const now = this.#time.now()
    const due = [...this.#pending].filter((one) => one.due <= now).sort((a, b) => a.due - b.due)
    this.#call(due[0], due.slice(1))
  }

  #waitOf({ due }: Pending): number {
    return Math.max(0, due - this.#time.now())
  }

  #next(isWanted: (one: Pending) => boolean): Pending | undefined {
    let next: Pending | undefined
    for (const one of this.#pending) {
      if (one.timer._onTimeout === null) this.#pending.delete(one)
      else if (isWanted(one) && (next === undefined || one.due < next.due)) next = one
    }
    return next
  }

  #call(one: Pending | undefined, rest: readonly Pending[]): void {
    if (one === undefined) return
    this.#node.setImmediate(() => this.#call(rest[0], rest.slice(1)))
    const { timer, callback, isInterval } = one
    if (timer._onTimeout === null || !this.#pending.has(one)) return
    if (isInterval) this.#start(one)
    else {
      this.#pending.delete(one)
      this.#node.clearTimeout(timer)
    }
    callback?.apply(timer, [...(timer._timerArgs ?? [])])
  }

  #follow(timer: NodeTimer, ms: number | undefined, isInterval: boolean): NodeTimer {
    const delay = ms !== undefined && ms >= 1 && ms <= longest ? Math.trunc(ms) : 1
    const { _onTimeout: callback } = timer
    const one: Pending = { timer, callback, delay, isInterval, due: 0, setAt: 0 }
    const refresh = timer.refresh.bind(timer)
    timer.refresh = () => {
      // A timer that has fired starts again.
      Object.assign(timer, { _idleTimeout: longest, _onTimeout: callback })
      refresh()
      this.#start(one)
      return timer
    }
    this.#start(one)
    return timer
  }

  #start(one: Pending): void {
    Object.assign(one, { due: this.#time.now() + one.delay, setAt: this.#time.realNow() })
    this.#pending.add(one)
    this.#note()
  }

  #note(): void {
    this.changes++
    this.#changed()
  }
}
