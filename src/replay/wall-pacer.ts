/**
 * The time of a replay where nobody can move it: a real server, or a simulator whose clock follows the wall.
 * Real timers live here alone.
 */
import { type Pacer, silence } from './pacer.ts'

/** A pacer on the wall clock; `longest` milliseconds are waited for one reply or event at most. */
export function createWallPacer(longest: number): Pacer {
  const pacer: Pacer = {
    now: () => Date.now(),
    fired: [],
    together: (lanes) => Promise.all(lanes.map((lane) => lane())),
    await: (promise) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(silence), longest)
        promise.then(resolve, reject).finally(() => clearTimeout(timer))
      }),
    sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    sleepUntil: () => Promise.resolve(),
  }
  return pacer
}
