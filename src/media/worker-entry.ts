/** The entry of the media thread (worker.ts): processes one task at a time and posts its result. */
import { parentPort } from 'node:worker_threads'
import { inspectPixels } from './image/pixels.ts'
import { createRenderer } from './render.ts'
import type { Outcome, Task } from './worker.ts'

const render = createRenderer()

const perform = async (task: Task): Promise<[Outcome, ArrayBuffer[]]> => {
  if (task.kind === 'inspect') return [{ facts: await inspectPixels(task.facts, task.bytes) }, []]
  const { bytes, type } = await render(task.media)
  // A copy, because encoders may return a part of their own memory, which must not be transferred.
  const own = new Uint8Array(bytes)
  return [{ file: { bytes: own, type } }, [own.buffer]]
}

parentPort?.on('message', (task: Task) => {
  perform(task).then(
    (answer) => parentPort?.postMessage(...answer),
    (error: unknown) =>
      parentPort?.postMessage({
        error: error instanceof Error ? error.message : String(error),
        isRangeError: error instanceof RangeError,
      } satisfies Outcome),
  )
})
parentPort?.postMessage('ready')
