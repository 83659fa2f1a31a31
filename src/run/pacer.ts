/**
 * Advances virtual time while steps wait for it. Steps run in lanes. When every lane waits (for a response,
 * the next event of a stream, or a time) and the target is quiet, time advances to the next time at which
 * something can happen, and no further: each response and event arrives at its own time, on any machine.
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

interface Wait {
  readonly deadline: number
  giveUp(): void
}

interface Sleep {
  readonly until: number
  wake(): void
}

export interface Pacer {
  now(): number
  /** How long a client waits for one response or event, in milliseconds. */
  readonly patience: number
  /** Runs lanes concurrently; resolves when all have ended. */
  together<T>(lanes: readonly (() => Promise<T>)[]): Promise<T[]>
  /**
   * Awaits a promise while time advances. Resolves with `silence` if nothing will arrive, or nothing before
   * `deadline`. Rejections are passed on.
   */
  await<T>(promise: Promise<T>, deadline: number): Promise<T | Silence>
  sleep(ms: number): Promise<void>
  readonly fired: readonly unknown[]
}

/** A pacer with one lane. */
export class VirtualPacer implements Pacer {
  readonly patience = virtualPatience
  readonly fired: unknown[] = []
  readonly #clock: Clockwork
  readonly #waits = new Set<Wait>()
  readonly #sleeps = new Set<Sleep>()
  #lanes = 1
  /** Counts what happens: while it grows, some lane still has something to do. */
  #activity = 0
  #isAdvancing = false
  #error: unknown

  constructor(clock: Clockwork) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  async together<T>(lanes: readonly (() => Promise<T>)[]): Promise<T[]> {
    this.#lanes += lanes.length - 1
    let running = lanes.length
    return Promise.all(
      lanes.map(async (lane) => {
        try {
          return await lane()
        } finally {
          // When the last one ends, the group is one lane again.
          this.#activity++
          if (--running > 0) {
            this.#lanes--
            void this.#advance()
          }
        }
      }),
    )
  }

  async await<T>(promise: Promise<T>, deadline: number): Promise<T | Silence> {
    const result = await new Promise<T | Silence>((resolve, reject) => {
      const settle = (act: () => void): void => {
        if (!this.#waits.delete(wait)) return
        this.#activity++
        act()
      }
      const wait: Wait = { deadline, giveUp: () => settle(() => resolve(silence)) }
      this.#waits.add(wait)
      promise.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error as Error)),
      )
      void this.#advance()
    })
    this.#throwError()
    return result
  }

  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const sleep: Sleep = {
        until: this.now() + ms,
        wake: () => {
          this.#sleeps.delete(sleep)
          this.#activity++
          resolve()
        },
      }
      this.#sleeps.add(sleep)
      void this.#advance()
    })
    this.#throwError()
  }

  /** Advances time while every lane waits. */
  async #advance(): Promise<void> {
    if (this.#isAdvancing) return
    this.#isAdvancing = true
    try {
      while (this.#lanes > 0 && this.#waits.size + this.#sleeps.size >= this.#lanes) {
        const before = this.#activity
        await this.#clock.quiet()
        if (before === this.#activity) await this.#moveToNext(before)
      }
    } catch (error) {
      this.#error = error
      for (const wait of [...this.#waits]) wait.giveUp()
      for (const sleep of [...this.#sleeps]) sleep.wake()
    } finally {
      this.#isAdvancing = false
    }
  }

  async #moveToNext(before: number): Promise<void> {
    const isWaiting = (): boolean => before === this.#activity
    const response = this.#waits.size === 0 ? undefined : await this.#clock.nextResponse(isWaiting)
    if (!isWaiting()) return
    const now = this.now()
    const wake = Math.min(...[...this.#sleeps].map(({ until }) => until), Infinity)
    const next = Math.min(response ?? Infinity, wake)
    const overdue = [...this.#waits].filter(({ deadline }) => next > deadline || next === Infinity)
    if (overdue.length > 0 || next === Infinity) {
      for (const wait of overdue) wait.giveUp()
      return
    }
    if (next > now || response !== undefined)
      this.fired.push(...(await this.#clock.advanceTo(Math.max(next, now))))
    for (const sleep of [...this.#sleeps]) if (sleep.until <= this.now()) sleep.wake()
  }

  #throwError(): void {
    if (this.#error !== undefined) throw this.#error
  }
}

/** Real time; `patience` is for one response or event, in milliseconds. */
export function createWallPacer(patience: number): Pacer {
  return {
    now: () => Date.now(),
    patience,
    fired: [],
    together: (lanes) => Promise.all(lanes.map((lane) => lane())),
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
