/** Real time for a replay: against a real server, or a simulator on a real clock. */
import { type Pacer, silence } from './pacer.ts'

/** `timeout` is for one reply or event, in milliseconds. */
export function createWallPacer(timeout: number): Pacer {
  return {
    now: () => Date.now(),
    fired: [],
    together: (lanes) => Promise.all(lanes.map((lane) => lane())),
    await: (promise) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(silence), timeout)
        promise.then(resolve, reject).finally(() => clearTimeout(timer))
      }),
    sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    sleepUntil: () => Promise.resolve(),
  }
}
