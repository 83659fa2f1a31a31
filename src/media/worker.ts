/**
 * The thread that renders media and inspects image files, so that other calls continue meanwhile. It starts
 * on first use, does not keep the process alive while idle, ends after some time without work, and is
 * replaced if it dies.
 */
import type { Worker } from 'node:worker_threads'
import type { ImageFacts } from '../protocol/call.ts'
import type { Media } from '../protocol/media.ts'
import type { MediaFile } from './render.ts'

/**
 * Processes tasks in order. Callers with many files request one at a time, so that an inspection waits for
 * one file at most. Resolves to undefined if no thread can start: then the caller does the work itself.
 */
export interface MediaWorker {
  /** Rejects like rendering, and if the thread dies twice. */
  render(media: Media): Promise<MediaFile | undefined>
  /** The facts, completed from the pixels. Rejects if the thread dies twice. */
  inspectPixels(facts: ImageFacts, bytes: Uint8Array): Promise<ImageFacts | undefined>
  /** Ends the thread after its pending tasks. */
  close(): Promise<void>
}

export type Task =
  | { readonly kind: 'render'; readonly media: Media }
  | { readonly kind: 'inspect'; readonly facts: ImageFacts; readonly bytes: Uint8Array }

export type Outcome =
  | { readonly file: MediaFile }
  | { readonly facts: ImageFacts }
  | { readonly error: string; readonly isRangeError: boolean }

/** The idle time in milliseconds after which the thread ends. */
const maxIdle = 10_000

/**
 * The thread's file relative to this file's chunk. Set by the build; undefined if the sources run directly.
 */
declare const GATEWAY_SIM_MEDIA_WORKER: string

/** `file` is relative to this file, or a complete URL. Default: the file of the built package. */
export function createMediaWorker(
  file: string | undefined = typeof GATEWAY_SIM_MEDIA_WORKER === 'undefined'
    ? undefined
    : GATEWAY_SIM_MEDIA_WORKER,
): MediaWorker {
  // Looked up at run time: an import would make this file unusable in browsers.
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
    // No `resourceLimits`: they limit the heap, and pixels are outside the heap.
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
      // The package may have been bundled into another file, or threads may be forbidden.
      isImpossible = true
      thread = undefined
      return undefined
    }
  }
  const perform = async (task: Task): Promise<Exclude<Outcome, { error: string }> | undefined> => {
    const running = await ready()
    if (running === undefined) return undefined
    try {
      // Posted before awaiting a result: posting throws for values that cannot be cloned.
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
  // A new thread retries the task once, whatever ended the previous thread.
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
  /** The first message of the thread; rejects if the thread cannot start. */
  readonly ready: Promise<Answer>
  /** The next message of the thread; rejects if the thread dies first. */
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

/** The message, and the memory to transfer instead of copying it. */
function messageOf(task: Task): [Task, ArrayBuffer[]] {
  if (task.kind === 'render') return [task, []]
  // A copy to transfer, because the file may still be needed here.
  const bytes = new Uint8Array(task.bytes)
  return [{ ...task, bytes }, [bytes.buffer]]
}
