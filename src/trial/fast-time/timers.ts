/**
 * The timers of a program in fast time. They stay timers of node, which keep the program alive until they fire
 * or are cleared; but their time is that of the program, which jumps.
 */
import { Socket } from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'

/** The parts of a timer of node that it documents only by its behaviour. */
type NodeTimer = NodeJS.Timeout & {
  /** Null after it was cleared. */
  _onTimeout: ((...args: unknown[]) => void) | null
  _idleTimeout: number
  readonly _timerArgs?: readonly unknown[]
}

interface Pending {
  readonly timer: NodeTimer
  readonly callback: NodeTimer['_onTimeout']
  readonly delay: number
  readonly isInterval: boolean
  due: number
}

/** The longest delay of node. A timer with it never fires by itself during a trial. */
const longest = 2 ** 31 - 1

export interface ProgramTimers {
  /** Milliseconds until the next timer is due; undefined without one. `alive`: that keeps the program alive. */
  nextWait(which: 'any' | 'alive'): number | undefined
  /** Calls the timers that are due, each in a turn of the event loop. */
  fire(): void
  /** How often timers and sockets have changed. */
  changes(): number
  /** How often sockets have read or written. */
  work(): number
  /** What this socket does is no change. */
  ignore(socket: Socket): void
}

/** Node's functions as they were. */
export type NodeTimers = Pick<typeof timers, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'setImmediate'>

/** Replaces the timers of this program. `now` is its time; `changed` is called when a timer is set. */
export function replaceTimers(node: NodeTimers, now: () => number, changed: () => void): ProgramTimers {
  const pending = new Set<Pending>()
  let changes = 0
  let work = 0
  const ignored = new WeakSet<Socket>()
  const note = (): void => {
    changes++
    changed()
  }
  const follow = (timer: NodeTimer, ms: number | undefined, isInterval: boolean): NodeTimer => {
    const delay = ms !== undefined && ms >= 1 && ms <= longest ? Math.trunc(ms) : 1
    const { _onTimeout: callback } = timer
    const one: Pending = { timer, callback, delay, isInterval, due: now() + delay }
    const refresh = timer.refresh.bind(timer)
    timer.refresh = () => {
      // A timer that has fired starts again.
      Object.assign(timer, { _idleTimeout: longest, _onTimeout: callback })
      refresh()
      one.due = now() + delay
      pending.add(one)
      note()
      return timer
    }
    pending.add(one)
    note()
    return timer
  }
  const setTimeout = (callback: () => void, ms?: number, ...args: unknown[]): NodeTimer =>
    follow(node.setTimeout(callback, longest, ...(args as [])) as NodeTimer, ms, false)
  const setInterval = (callback: () => void, ms?: number, ...args: unknown[]): NodeTimer =>
    follow(node.setInterval(callback, longest, ...(args as [])) as unknown as NodeTimer, ms, true)
  replaceEverywhere(setTimeout, setInterval)
  replaceSocketTimers(setTimeout, node.clearTimeout, (socket) => {
    if (ignored.has(socket)) return
    work++
    note()
  })

  const call = (one: Pending | undefined, rest: readonly Pending[]): void => {
    if (one === undefined) return
    node.setImmediate(call, rest[0], rest.slice(1))
    const { timer, callback, isInterval, delay } = one
    if (timer._onTimeout === null || !pending.has(one)) return
    if (isInterval) one.due = now() + delay
    else {
      pending.delete(one)
      node.clearTimeout(timer)
    }
    callback?.apply(timer, [...(timer._timerArgs ?? [])])
  }
  return {
    nextWait(which) {
      for (const one of pending) if (one.timer._onTimeout === null) pending.delete(one)
      const dues = [...pending].filter(({ timer }) => which === 'any' || timer.hasRef()).map(({ due }) => due)
      return dues.length === 0 ? undefined : Math.max(0, Math.min(...dues) - now())
    },
    fire() {
      const due = [...pending].filter((one) => one.due <= now()).sort((a, b) => a.due - b.due)
      call(due[0], due.slice(1))
    },
    changes: () => changes,
    work: () => work,
    ignore: (socket) => void ignored.add(socket),
  }
}

type SetTimeout = (callback: () => void, ms?: number, ...args: unknown[]) => NodeTimer

const abortError = (): Error => new DOMException('The operation was aborted', 'AbortError')

interface WaitOptions {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

/** In the globals, the modules of node, and `AbortSignal`. */
function replaceEverywhere(setTimeout: SetTimeout, setInterval: SetTimeout): void {
  const wait = <Value>(ms?: number, value?: Value, { signal, ref = true }: WaitOptions = {}) =>
    new Promise<Value | undefined>((resolve, reject) => {
      if (signal?.aborted) return reject(abortError())
      const stop = (): void => {
        clearTimeout(timer)
        reject(abortError())
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve(value)
      }, ms)
      if (!ref) timer.unref()
      signal?.addEventListener('abort', stop, { once: true })
    })
  async function* waits<Value>(ms?: number, value?: Value, options?: WaitOptions) {
    for (;;) yield await wait(ms, value, options)
  }
  Object.assign(setTimeout, { [promisify.custom]: wait })
  Object.assign(timersPromises, { setTimeout: wait, setInterval: waits })
  Object.assign(timersPromises.scheduler, {
    wait: (ms: number, options?: WaitOptions) => wait(ms, undefined, options),
  })
  Object.assign(globalThis, { setTimeout, setInterval })
  Object.assign(timers, { setTimeout, setInterval })
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController()
    const reason = (): DOMException =>
      new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    setTimeout(() => controller.abort(reason()), ms).unref()
    return controller.signal
  }
}

type TimedSocket = Socket & { _onTimeout?(): void; readonly _parent?: TimedSocket | null; timeout?: number }

/** Sockets have timers that no function of node's modules sets: they start again with each read and write. */
function replaceSocketTimers(
  setTimeout: SetTimeout,
  clearTimeout: NodeTimers['clearTimeout'],
  note: (socket: Socket) => void,
): void {
  const limits = new WeakMap<TimedSocket, { readonly ms: number; timer?: NodeTimer }>()
  const start = (socket: TimedSocket): void => {
    const limit = limits.get(socket)
    if (limit === undefined) return
    clearTimeout(limit.timer)
    limit.timer = setTimeout(() => socket._onTimeout?.(), limit.ms)
    limit.timer.unref()
  }
  Object.assign(Socket.prototype, {
    setTimeout(this: TimedSocket, ms: number, callback?: () => void): TimedSocket {
      clearTimeout(limits.get(this)?.timer)
      this.timeout = ms
      if (ms > 0) {
        limits.set(this, { ms })
        start(this)
      } else limits.delete(this)
      if (callback !== undefined && ms > 0) this.once('timeout', callback)
      else if (callback !== undefined) this.removeListener('timeout', callback)
      return this
    },
    _unrefTimer(this: TimedSocket): void {
      note(this)
      for (let one: TimedSocket | null | undefined = this; one; one = one._parent) start(one)
    },
  })
}
