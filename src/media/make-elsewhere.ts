/**
 * Makes media, and looks at the pixels of files, in a thread of its own, so that other calls are answered
 * meanwhile. The thread is started when it is first needed, does not keep the process alive while it waits,
 * ends when nothing came for a while, and is replaced when it dies.
 */
import type { Worker } from 'node:worker_threads'
import { isBytes } from '../engine/bytes.ts'
import type { ImageFacts } from '../protocol/call.ts'
import type { Media } from '../protocol/media.ts'
import type { MadeMedia } from './make-media.ts'

/**
 * One thing after the other, in the order of asking. Whoever has many media to make asks for one at a time,
 * so that a look waits for one at most. Undefined when no thread can be had here: then, and from then on, the
 * caller has to do it itself.
 */
export interface Elsewhere {
  /** Rejects as the maker does, and when the thread dies. */
  make(media: Media): Promise<MadeMedia | undefined>
  /** The facts with what the pixels say. Rejects when the thread dies. */
  look(facts: ImageFacts, bytes: Uint8Array): Promise<ImageFacts | undefined>
  /** Ends the thread when it has done what it was asked for before. Asked again, another one is started. */
  close(): Promise<void>
}

/** What the thread is to do. */
export type Work =
  | { readonly kind: 'make'; readonly media: Media }
  | { readonly kind: 'look'; readonly facts: ImageFacts; readonly bytes: Uint8Array }

/** What has come of it. */
export type Outcome =
  | { readonly made: MadeMedia }
  | { readonly seen: ImageFacts }
  | { readonly error: string; readonly range: boolean }

/** Milliseconds without work after which the thread ends. */
const idleAfter = 10_000

type Answer = 'ready' | Outcome

/**
 * Where the build puts the thread's file, as seen from this file's chunk; not there when the sources run as
 * they are.
 */
declare const GATEWAY_SIM_MEDIA_WORKER: string

/** The file of the thread in the built package; undefined in its sources. */
export function workerFile(): string | undefined {
  return typeof GATEWAY_SIM_MEDIA_WORKER === 'undefined' ? undefined : GATEWAY_SIM_MEDIA_WORKER
}

/** Undefined where there is no node. `file` is relative to this one, or a whole URL. */
export function startElsewhere(file: string): Elsewhere | undefined {
  // Asked for at run time: an import would keep this file out of browsers.
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads')
  if (threads === undefined) return undefined
  let impossible = false
  let running: Thread | undefined
  let busy: Promise<unknown> = Promise.resolve()
  let idle: ReturnType<typeof setTimeout> | undefined

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const thread = running
    running = undefined
    await thread?.worker.terminate()
  }
  const start = (): Thread => {
    // Without `resourceLimits`: they bound the heap, and pixels lie outside of it. A thread whose heap is
    // full dies alone.
    const thread = threadOf(
      new threads.Worker(new URL(file, import.meta.url), {
        name: 'gateway-sim media',
        execArgv: [],
        env: {},
      }),
    )
    // A dead one is replaced when there is more to do.
    const gone = (): void => {
      if (running === thread) running = undefined
    }
    thread.worker.once('error', gone)
    thread.worker.once('exit', gone)
    return thread
  }
  const doThere = async (work: Work): Promise<Outcome | undefined> => {
    if (impossible) return undefined
    clearTimeout(idle)
    let thread: Thread
    try {
      thread = running ??= start()
      thread.worker.ref()
      if ((await thread.ready) !== 'ready') throw new Error('expected the thread to say that it is ready')
    } catch {
      // The package may have been bundled into another file, or threads be forbidden.
      impossible = true
      running = undefined
      return undefined
    }
    try {
      // First, since it throws for what cannot go over: nobody may wait for an answer then, or the end of the
      // thread would reject in vain.
      thread.worker.postMessage(...message(work))
      const said = await thread.next()
      if (said === 'ready') throw new Error('render-media: the thread began anew')
      if ('error' in said) throw said.range ? new RangeError(said.error) : new Error(said.error)
      return said
    } finally {
      thread.worker.unref()
      idle = setTimeout(() => void end(), idleAfter)
      idle.unref?.()
    }
  }
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = busy.then(work)
    busy = done.catch(() => undefined)
    return done
  }
  return {
    async make(media) {
      const outcome = await inTurn(() => doThere({ kind: 'make', media }))
      return outcome !== undefined && 'made' in outcome ? outcome.made : undefined
    },
    async look(facts, bytes) {
      const outcome = await inTurn(() => doThere({ kind: 'look', facts, bytes }))
      return outcome !== undefined && 'seen' in outcome ? outcome.seen : undefined
    },
    close: () => inTurn(end),
  }
}

interface Thread {
  readonly worker: Worker
  /** The first thing it says; rejects when it cannot start. */
  readonly ready: Promise<Answer>
  /** What it says next; rejects when it dies before. */
  next(): Promise<Answer>
}

function threadOf(worker: Worker): Thread {
  let waiting:
    | { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void }
    | undefined
  const next = (): Promise<Answer> => new Promise((resolve, reject) => (waiting = { resolve, reject }))
  const settle = (
    how: (waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void }) => void,
  ): void => {
    const settled = waiting
    waiting = undefined
    if (settled !== undefined) how(settled)
  }
  worker.on('message', (answer: Answer) => settle(({ resolve }) => resolve(answer)))
  worker.on('error', (error) => settle(({ reject }) => reject(error)))
  worker.on('exit', (code) =>
    settle(({ reject }) => reject(new Error(`render-media: the thread has ended with ${code}`))),
  )
  return { worker, ready: next(), next }
}

/** What is posted, and the memory that goes over instead of being copied. */
function message(work: Work): [Work, ArrayBuffer[]] {
  if (work.kind === 'make') return [{ kind: 'make', media: withOwnBytes(work.media) }, []]
  // A copy, which may be given away: the file itself may be wanted here.
  const bytes = new Uint8Array(work.bytes)
  return [{ ...work, bytes }, [bytes.buffer]]
}

/**
 * Bytes go over with all the memory that they are a part of: a part of a large body is copied out of it first
 * (`slice` of a Buffer copies nothing).
 */
function withOwnBytes<T>(value: T): T {
  if (isBytes(value)) return (value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value) as T
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withOwnBytes(field)])) as T
}
