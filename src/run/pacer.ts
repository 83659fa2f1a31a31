/**
 * Advances virtual time while a step waits (for a response, the next event of a stream, or a time). When the
 * target is quiet, time advances to the next time at which something can happen, and no further: each
 * response and event arrives at its own time, on any machine.
 */

/** The clock of the target. Times are milliseconds since the epoch. */
export interface Clockwork {
  now(): number
  /** Resolves when everything that can happen at this time has happened. */
  quiet(): Promise<void>
  /** When a pending response or stream continues next, if ever. Its use ends when `isWaiting` is false. */
  nextResponse(isWaiting: () => boolean): Promise<number | undefined>
  /** Advances time and returns the resource changes. */
  advanceTo(at: number): Promise<readonly unknown[]>
}

export const silence = Symbol('silence')
export type Silence = typeof silence

/** How long a client waits for one response or event, in virtual milliseconds. */
const virtualPatience = 3_600_000

export interface Pacer {
  now(): number
  /** How long a client waits for one response or event, in milliseconds. */
  readonly patience: number
  /**
   * Awaits a promise while time advances. Resolves with `silence` if nothing will arrive, or nothing before
   * `deadline`. Rejections are passed on.
   */
  await<T>(promise: Promise<T>, deadline: number): Promise<T | Silence>
  sleep(ms: number): Promise<void>
  /** The resource changes while time advanced. */
  readonly fired: readonly unknown[]
}

export class VirtualPacer implements Pacer {
  readonly patience = virtualPatience
  readonly fired: unknown[] = []
  readonly #clock: Clockwork
  /** The last advance: a response may arrive before the clock has confirmed it. */
  #advance: Promise<void> = Promise.resolve()

  constructor(clock: Clockwork) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  await<T>(promise: Promise<T>, deadline: number): Promise<T | Silence> {
    let isWaiting = true
    const end = (): void => void (isWaiting = false)
    promise.then(end, end)
    return Promise.race([promise, this.#silence(deadline, () => isWaiting)])
  }

  async sleep(ms: number): Promise<void> {
    const until = this.now() + ms
    await this.#rest()
    if (until > this.now()) await this.#advanceTo(until)
  }

  /** Advances time to each next response; resolves when there is none before the deadline. */
  async #silence(deadline: number, isWaiting: () => boolean): Promise<Silence> {
    while (isWaiting()) {
      await this.#rest()
      const next = isWaiting() ? await this.#clock.nextResponse(isWaiting) : undefined
      if (!isWaiting() || next === undefined || next > deadline) break
      await this.#advanceTo(Math.max(next, this.now()))
    }
    return silence
  }

  async #rest(): Promise<void> {
    await this.#advance
    await this.#clock.quiet()
  }

  #advanceTo(at: number): Promise<void> {
    this.#advance = this.#clock.advanceTo(at).then((fired) => void this.fired.push(...fired))
    return this.#advance
  }
}

/** Real time; `patience` is for one response or event, in milliseconds. */
export function createWallPacer(patience: number): Pacer {
  return {
    now: () => Date.now(),
    patience,
    fired: [],
    await(promise, deadline) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(silence), Math.max(1, deadline - this.now()))
        promise.then(resolve, reject).finally(() => clearTimeout(timer))
      })
    },
    sleep: rest,
  }
}

/** Real time passes. */
export const rest = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))
