/** Puts timers in the place of those of Node.js: in the globals, in its modules, and in sockets. */
import { Socket } from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { promisify } from 'node:util'

/** The parts of a timer of Node.js that it documents only by its behaviour. */
export type NodeTimer = NodeJS.Timeout & {
  /** Null after it was cleared. */
  _onTimeout: ((...args: unknown[]) => void) | null
  _idleTimeout: number
  readonly _timerArgs?: readonly unknown[]
}

/** The functions of Node.js as they were. */
export type NodeTimers = Pick<typeof timers, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'setImmediate'>

export type SetTimeout = (callback: () => void, ms?: number, ...args: unknown[]) => NodeTimer

const abortError = (): Error => new DOMException('The operation was aborted', 'AbortError')

interface WaitOptions {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

/** In the globals, the modules of node, and `AbortSignal`. */
export function replaceEverywhere(setTimeout: SetTimeout, setInterval: SetTimeout): void {
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
export function replaceSocketTimers(
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
