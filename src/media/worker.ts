/**
 * The thread of media (see make-elsewhere.ts): an entry of the build of its own. One piece of work in, what
 * has come of it out.
 */
import { parentPort } from 'node:worker_threads'
import { withPixels } from './image/facts.ts'
import type { Outcome, Work } from './make-elsewhere.ts'
import { createMediaMaker } from './make-media.ts'

const make = createMediaMaker()

const outcomeOf = async (work: Work): Promise<[Outcome, ArrayBuffer[]]> => {
  if (work.kind === 'look') return [{ seen: await withPixels(work.facts, work.bytes) }, []]
  const { bytes, type } = await make(work.media)
  // A copy of its own: what encoders give may be a part of their memory, which must stay here.
  const own = new Uint8Array(bytes)
  return [{ made: { bytes: own, type } }, [own.buffer]]
}

parentPort?.on('message', (work: Work) => {
  outcomeOf(work).then(
    (said) => parentPort?.postMessage(...said),
    (error: unknown) =>
      parentPort?.postMessage({
        error: error instanceof Error ? error.message : String(error),
        range: error instanceof RangeError,
      } satisfies Outcome),
  )
})
parentPort?.postMessage('ready')
