/**
 * A call that never ends on the event loop cannot fail its test: another thread ends the run, and says what
 * was being done.
 */
import { Worker } from 'node:worker_threads'

/** Seconds without a sign of life. */
const patience = 60
const longest = 20_000
const watch = `
const { workerData: { counter, text, pid, patience } } = require('node:worker_threads')
let [last, since] = [0, 0]
setInterval(() => {
  const now = Atomics.load(counter, 0)
  since = now === last ? since + 1 : 0
  last = now
  if (now % 2 === 0 || since < patience) return
  const call = Buffer.from(text).toString('utf8').replace(/\\0.*/s, '')
  require('node:fs').writeSync(2, 'no end after ' + patience + ' seconds: ' + call + '\\n')
  process.kill(pid, 'SIGKILL')
}, 1000)
`
const counter = new Int32Array(new SharedArrayBuffer(4))
const text = new Uint8Array(new SharedArrayBuffer(longest))
let worker: Worker | undefined

/** Says what begins now; disposing of it says that it has ended. */
export function doing(what: string): Disposable {
  worker ??= new Worker(watch, { eval: true, workerData: { counter, text, pid: process.pid, patience } })
  worker.unref()
  text.fill(0)
  new TextEncoder().encodeInto(what, text)
  // Odd while something is being done.
  Atomics.add(counter, 0, 1)
  return { [Symbol.dispose]: () => void Atomics.add(counter, 0, 1) }
}
