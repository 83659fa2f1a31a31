/**
 * The thread that renders media and inspects image files, so that other calls are answered meanwhile. It is
 * started when it is first needed, does not keep the process alive while it waits, ends after some time
 * without work, and is replaced when it dies.
 */
import type { Worker } from 'node:worker_threads'
import { isBytes } from '../engine/bytes.ts'
import type { ImageFacts } from '../protocol/call.ts'
import type { Media } from '../protocol/media.ts'
import type { MediaFile } from './render.ts'

/**
 * Does one task after the other, in the order of asking: who has many files to render asks for one at a time,
 * so that an inspection waits for one at most. Resolves to undefined where no thread can be started: the
 * caller has to do it itself then.
 */
export interface MediaWorker {
  /** Rejects as rendering does, and when the thread dies twice. */
  render(media: Media): Promise<MediaFile | undefined>
  /** The facts with what the pixels say. Rejects when the thread dies twice. */
  inspectPixels(facts: ImageFacts, bytes: Uint8Array): Promise<ImageFacts | undefined>
  /** Ends the thread when it has finished what it was asked for before. */
  close(): Promise<void>
}

export type Task =
  | { readonly kind: 'render'; readonly media: Media }
  | { readonly kind: 'inspect'; readonly facts: ImageFacts; readonly bytes: Uint8Array }

export type Outcome =
  | { readonly file: MediaFile }
  | { readonly facts: ImageFacts }
  | { readonly error: string; readonly isRangeError: boolean }

/** Milliseconds without work after which the thread ends. */
const maxIdle = 10_000

/**
 * The thread's file as seen from this file's chunk. Set by the build; absent when the sources run as they
 * are.
 */
declare const GATEWAY_SIM_MEDIA_WORKER: string

/** `file` is relative to this one, or a whole URL; that of the built package unless given. */
export function createMediaWorker(
  file: string | undefined = typeof GATEWAY_SIM_MEDIA_WORKER === 'undefined'
    ? undefined
    : GATEWAY_SIM_MEDIA_WORKER,
): MediaWorker {
  // Looked up at run time: an import would keep this file out of browsers.
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads')
  let thread: Thread | undefined
  let isImpossible = threads === undefined || file === undefined
  let busy: Promise<unknown> = Promise.resolve()
  let idle: ReturnType<typeof setTimeout> | undefined

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    await ending?.worker.terminate()
  }
  const start = (): Thread => {
    // No `resourceLimits`: they bound the heap, and pixels lie outside of it.
    const { Worker } = threads as typeof import('node:worker_threads')
    const worker = new Worker(new URL(file as string, import.meta.url), {
      name: 'gateway-sim media',
      execArgv: [],
      env: {},
    })
    const started = threadOf(worker)
    const forget = (): void => {
      if (thread === started) thread = undefined
    }
    worker.once('error', forget)
    worker.once('exit', forget)
    return started
  }
  const ready = async (): Promise<Thread | undefined> => {
    if (isImpossible) return undefined
    clearTimeout(idle)
    try {
      const running = (thread ??= start())
      running.worker.ref()
      if ((await running.ready) !== 'ready') throw new Error('media: the rendering worker did not start')
      return running
    } catch {
      // The package may have been bundled into another file, or threads be forbidden.
      isImpossible = true
      thread = undefined
      return undefined
    }
  }
  const perform = async (task: Task): Promise<Exclude<Outcome, { error: string }> | undefined> => {
    const running = await ready()
    if (running === undefined) return undefined
    try {
      // Posted before an answer is awaited: posting throws for what cannot be cloned.
      running.worker.postMessage(...messageOf(task))
      const outcome = await running.next()
      if (outcome === 'ready') throw new Error('media: the rendering worker has restarted')
      if ('error' in outcome)
        throw outcome.isRangeError ? new RangeError(outcome.error) : new Error(outcome.error)
      return outcome
    } finally {
      running.worker.unref()
      idle = setTimeout(() => void end(), maxIdle)
      idle.unref?.()
    }
  }
  // Whatever ended the thread, a new one may do what it was asked for; not again, if that is what it died of.
  const performTwice = async (task: Task): ReturnType<typeof perform> => {
    try {
      return await perform(task)
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      return perform(task)
    }
  }
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = busy.then(work)
    busy = done.catch(() => undefined)
    return done
  }
  return {
    async render(media) {
      const outcome = await inTurn(() => performTwice({ kind: 'render', media }))
      return outcome !== undefined && 'file' in outcome ? outcome.file : undefined
    },
    async inspectPixels(facts, bytes) {
      const outcome = await inTurn(() => performTwice({ kind: 'inspect', facts, bytes }))
      return outcome !== undefined && 'facts' in outcome ? outcome.facts : undefined
    },
    close: () => inTurn(end),
  }
}

type Answer = 'ready' | Outcome

class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

interface Thread {
  readonly worker: Worker
  /** The first thing it posts; rejects when it cannot start. */
  readonly ready: Promise<Answer>
  /** What it posts next; rejects when it dies before. */
  next(): Promise<Answer>
}

function threadOf(worker: Worker): Thread {
  interface Waiting {
    readonly resolve: (answer: Answer) => void
    readonly reject: (error: Error) => void
  }
  let waiting: Waiting | undefined
  const next = (): Promise<Answer> => new Promise((resolve, reject) => (waiting = { resolve, reject }))
  const settle = (how: (waiting: Waiting) => void): void => {
    const settled = waiting
    waiting = undefined
    if (settled !== undefined) how(settled)
  }
  worker.on('message', (answer: Answer) => settle(({ resolve }) => resolve(answer)))
  worker.on('error', (error) => settle(({ reject }) => reject(new ThreadEnded(`media: ${error.message}`))))
  worker.on('exit', (code) =>
    settle(({ reject }) => reject(new ThreadEnded(`media: the rendering worker exited with code ${code}`))),
  )
  return { worker, ready: next(), next }
}

/** What is posted, and the memory that is transferred instead of copied. */
function messageOf(task: Task): [Task, ArrayBuffer[]] {
  if (task.kind === 'render') return [{ kind: 'render', media: withOwnBytes(task.media) }, []]
  // A copy that may be given away: the file itself may be needed here.
  const bytes = new Uint8Array(task.bytes)
  return [{ ...task, bytes }, [bytes.buffer]]
}

/**
 * Bytes are cloned with the whole buffer that they are a part of, so a part of a large body is copied out of
 * it first (`slice` of a Buffer copies nothing).
 */
function withOwnBytes<T>(value: T): T {
  if (isBytes(value)) return (value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value) as T
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withOwnBytes(field)])) as T
}
