/**
 * Moves virtual time while steps wait for it. Steps run in lanes; when every lane waits (for a reply, for the
 * next event of a stream, or for an instant) and nothing is under way any more, time goes on to the next
 * instant at which something can happen, and no further: so each reply and each event is met at its own time,
 * whatever the machine does.
 */

/** A clock that somebody else keeps. Instants are milliseconds since the epoch. */
export interface Clockwork {
  now(): number
  /** Resolves when all that could happen at this instant has happened. */
  quiet(): Promise<void>
  /**
   * The next instant at which a waiting reply or stream goes on, or undefined when none will. `still` is
   * false once one has gone on.
   */
  nextReply(still: () => boolean): Promise<number | undefined>
  /** The next instant at which anything changes, resources included, or undefined. */
  nextChange(): Promise<number | undefined>
  /** Moves time; the changes of resources that it passed over. */
  advanceTo(at: number): Promise<readonly unknown[]>
}

/** What a wait gives when nothing will ever come. */
export const silence = Symbol('silence')
export type Silence = typeof silence

/** How long, in virtual milliseconds, a client waits for one reply or event. */
export const patience = 3_600_000

interface Wait {
  readonly deadline: number
  give(up: Silence): void
}

interface Sleep {
  readonly until: number
  wake(): void
}

export interface Pacer {
  now(): number
  /** Runs lanes beside each other; resolves when all have ended. */
  together<T>(lanes: readonly (() => Promise<T>)[]): Promise<T[]>
  /**
   * What the promise gives, with time moving on until then; `silence` when nothing will come, or not before
   * `deadline` (an hour from now). Its errors are the caller's.
   */
  await<T>(promise: Promise<T>, deadline?: number): Promise<T | Silence>
  /** Lets time pass. */
  sleep(ms: number): Promise<void>
  /** Goes on to the next change, or until nothing changes any more, for `limit` milliseconds at most. */
  sleepUntil(what: 'next' | 'idle', limit: number): Promise<void>
  /** Every change so far, in order. */
  readonly fired: readonly unknown[]
}

/** A pacer with one lane. */
export function createPacer(clock: Clockwork): Pacer {
  const waits = new Set<Wait>()
  const sleeps = new Set<Sleep>()
  const fired: unknown[] = []
  let lanes = 1
  // Counts what happens: while it moves, somebody still has something to do.
  let happened = 0
  let looking = false
  let broken: unknown

  const allWait = (): boolean => waits.size + sleeps.size >= lanes && lanes > 0

  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    try {
      while (allWait()) {
        const before = happened
        await clock.quiet()
        if (before !== happened) continue
        await move(before)
      }
    } catch (error) {
      broken = error
      for (const wait of [...waits]) wait.give(silence)
      for (const sleep of [...sleeps]) sleep.wake()
    } finally {
      looking = false
    }
  }

  const move = async (before: number): Promise<void> => {
    const now = clock.now()
    const reply = waits.size === 0 ? undefined : await clock.nextReply(() => before === happened)
    if (before !== happened) return
    const wake = Math.min(...[...sleeps].map(({ until }) => until), Infinity)
    const due = Math.min(reply ?? Infinity, wake)
    const late = [...waits].filter(({ deadline }) => due !== Infinity && due > deadline)
    if (late.length > 0) {
      for (const wait of late) wait.give(silence)
      return
    }
    if (due === Infinity) {
      for (const wait of [...waits]) wait.give(silence)
      return
    }
    if (due > now || reply !== undefined) fired.push(...(await clock.advanceTo(Math.max(due, now))))
    for (const sleep of [...sleeps]) if (sleep.until <= clock.now()) sleep.wake()
  }

  const check = (): void => {
    if (broken !== undefined) throw broken
  }

  const pacer: Pacer = {
    now: () => clock.now(),
    fired,
    async together(running) {
      lanes += running.length - 1
      let left = running.length
      return Promise.all(
        running.map(async (lane) => {
          try {
            return await lane()
          } finally {
            // The group is one lane again when its last one has ended.
            happened++
            if (--left > 0) {
              lanes--
              void look()
            }
          }
        }),
      )
    },
    async await<T>(promise: Promise<T>, deadline = clock.now() + patience) {
      const result = await new Promise<T | Silence>((resolve, reject) => {
        const end = (settle: () => void): void => {
          if (!waits.delete(wait)) return
          happened++
          settle()
        }
        const wait: Wait = { deadline, give: () => end(() => resolve(silence)) }
        waits.add(wait)
        promise.then(
          (value) => end(() => resolve(value)),
          (error: unknown) => end(() => reject(error as Error)),
        )
        void look()
      })
      check()
      return result
    },
    async sleep(ms) {
      await new Promise<void>((resolve) => {
        const sleep: Sleep = {
          until: clock.now() + ms,
          wake() {
            sleeps.delete(sleep)
            happened++
            resolve()
          },
        }
        sleeps.add(sleep)
        void look()
      })
      check()
    },
    async sleepUntil(what, limit) {
      const end = clock.now() + limit
      for (;;) {
        // Those that began together with this one have begun when their calls are on their way.
        await pacer.sleep(0)
        const next = await clock.nextChange()
        if (next === undefined || next > end) return
        await pacer.sleep(Math.max(0, next - clock.now()))
        if (what === 'next') return
      }
    },
  }
  return pacer
}
