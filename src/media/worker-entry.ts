/** The entry of the media thread (worker.ts): renders files and posts their bytes. */
import { parentPort } from 'node:worker_threads'
import { createRenderer } from './render.ts'
import type { Message, Task } from './worker.ts'

const render = createRenderer()

const perform = async ({ id, media }: Task): Promise<void> => {
  try {
    const { bytes, type } = await render(media)
    // A copy, because encoders may return a part of their own memory, which must not be transferred.
    const copy = new Uint8Array(bytes)
    parentPort?.postMessage({ id, file: { bytes: copy, type } } satisfies Message, [copy.buffer])
  } catch (error) {
    parentPort?.postMessage({
      id,
      error: error instanceof Error ? error.message : String(error),
      isRangeError: error instanceof RangeError,
    } satisfies Message)
  }
}

parentPort?.on('message', (task: Task) => void perform(task))
parentPort?.postMessage('ready' satisfies Message)
