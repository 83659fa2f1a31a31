/** The thread that media are made in (see make-elsewhere.ts): an entry of the build of its own. One description in, bytes or an error out. */
import { parentPort } from 'node:worker_threads'
import type { Media } from '../protocol/media.ts'
import { createMediaMaker } from './make-media.ts'

const make = createMediaMaker()

parentPort?.on('message', (media: Media) => {
  make(media).then(
    ({ bytes, type }) => {
      // A copy of its own: what encoders give may be a part of their memory, which must stay here.
      const own = bytes.slice()
      parentPort?.postMessage({ bytes: own, type }, [own.buffer])
    },
    (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error), range: error instanceof RangeError }),
  )
})
parentPort?.postMessage('ready')
