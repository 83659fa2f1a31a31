/**
 * The thread that renders media, so that other calls continue meanwhile. It starts on first use, does not
 * keep the process alive while idle, and is replaced if it dies.
 */
import type { Worker } from 'node:worker_threads'
import type { Media } from '../protocol/media.ts'
import type { MediaFile } from './render.ts'

export interface MediaWorker {
  /** Resolves to undefined if no thread can start: then the caller does the work itself. */
  render(media: Media): Promise<MediaFile | undefined>
  close(): Promise<void>
}

export interface Task {
  readonly id: number
  readonly media: Media
}

/** The result of a task. The first message, `ready`, has none. */
export type Outcome =
  | { readonly id: number; readonly file: MediaFile }
  | { readonly id: number; readonly error: string; readonly isRangeError: boolean }

export type Message = 'ready' | Outcome

interface Waiting {
  resolve(file: MediaFile | undefined): void
  reject(error: Error): void
}

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
  const start = (): Thread => {
    const { Worker } = threads as typeof import('node:worker_threads')
    const url = new URL(file as string, import.meta.url)
    const worker = new Worker(url, { name: 'gateway-sim media', execArgv: [], env: {} })
    const started = new Thread(worker, (wasReady) => {
      if (thread === started) thread = undefined
      // The package may have been bundled into another file, or threads may be forbidden.
      if (!wasReady) isImpossible = true
    })
    return started
  }
  return {
    async render(media) {
      if (isImpossible) return undefined
      try {
        thread ??= start()
      } catch {
        isImpossible = true
        return undefined
      }
      return thread.render(media)
    },
    async close() {
      await thread?.end()
    },
  }
}

class Thread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #onGone: (wasReady: boolean) => void
  #isReady = false
  #lastId = 0

  constructor(worker: Worker, onGone: (wasReady: boolean) => void) {
    this.#worker = worker
    this.#onGone = onGone
    worker.on('message', (message: Message) => this.#receive(message))
    worker.on('error', (error) => this.#leave(error.message))
    worker.on('exit', (code) => this.#leave(`the rendering worker exited with code ${code}`))
    worker.unref()
  }

  render(media: Media): Promise<MediaFile | undefined> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#worker.postMessage({ id, media } satisfies Task)
      this.#waiting.set(id, { resolve, reject })
      this.#worker.ref()
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #receive(message: Message): void {
    if (message === 'ready') {
      this.#isReady = true
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('file' in message) waiting?.resolve(message.file)
    else waiting?.reject(message.isRangeError ? new RangeError(message.error) : new Error(message.error))
  }

  #leave(reason: string): void {
    this.#onGone(this.#isReady)
    for (const { resolve, reject } of this.#waiting.values()) {
      if (this.#isReady) reject(new Error(`media: ${reason}`))
      else resolve(undefined)
    }
    this.#waiting.clear()
  }
}
