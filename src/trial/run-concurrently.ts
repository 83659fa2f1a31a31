/** Runs of programs side by side: those that only wait leave their place to others. */

/** Called with true when a run starts to wait for a time-out or a back-off, with false when it goes on. */
export type OnIdle = (isIdle: boolean) => void

/** The maximum number of runs at a time, if that is more than `jobs`. Most of them only wait. */
const maxRuns = 32

export interface Concurrency {
  /** The maximum number of runs that are busy. 1: a run starts when the one before it has ended. */
  readonly jobs: number
  /** Whether to start no more runs. */
  isStopped(): boolean
}

/** Starts a run for each item, in order. Rejects with the first error; other runs may still be running. */
export function runConcurrently<Item>(
  items: readonly Item[],
  { jobs, isStopped }: Concurrency,
  run: (item: Item, onIdle: OnIdle) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  let busy = 0
  let idle = 0
  const most = jobs === 1 ? 1 : Math.max(jobs, maxRuns)
  const hasRoom = (): boolean => busy < jobs && busy + idle < most
  return new Promise((resolve, reject) => {
    const start = (item: Item): void => {
      let isIdle = false
      const count = (change: 1 | -1): void => void (isIdle ? (idle += change) : (busy += change))
      const onIdle = (next: boolean): void => {
        if (next === isIdle) return
        count(-1)
        isIdle = next
        count(1)
        startMore()
      }
      count(1)
      run(item, onIdle).then(() => {
        count(-1)
        startMore()
      }, reject)
    }
    const startMore = (): void => {
      for (let next = waiting[0]; next !== undefined && hasRoom() && !isStopped(); next = waiting[0]) {
        waiting.shift()
        start(next)
      }
      if (busy + idle === 0) resolve()
    }
    startMore()
  })
}
