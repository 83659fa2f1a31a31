/**
 * Finds out what the pixels of pictures say: in the thread of media where there is one, sooner here where
 * that takes a moment.
 */
import type { ImageFacts } from '../protocol/call.ts'
import { withPixels } from './image/facts.ts'
import type { Elsewhere } from './make-elsewhere.ts'

/** The facts with what the pixels say (`pixels`, or `damage`). Never rejects for what a file may hold. */
export type LookAtPixels = (facts: ImageFacts, bytes: Uint8Array) => Promise<ImageFacts>

/** Looks in the thread of `elsewhere`, where that is given and can be had. */
export function createPixelLook(elsewhere?: Pick<Elsewhere, 'look'>): LookAtPixels {
  return async (facts, bytes) => {
    if (elsewhere === undefined || facts.damage !== undefined || isQuick(facts, bytes))
      return withPixels(facts, bytes)
    try {
      return (await elsewhere.look(facts, bytes)) ?? (await withPixels(facts, bytes))
    } catch {
      // The thread has died, perhaps of this file: here it would take everything along.
      return { ...facts, pixels: 'unseen' }
    }
  }
}

/**
 * Whether it takes a few milliseconds at most: by pixels for what unpacks to much, by bytes for what is made
 * of many parts. Of JPEG and GIF files nothing is unpacked.
 */
function isQuick({ format, width, height }: ImageFacts, bytes: Uint8Array): boolean {
  return format === 'jpeg' || format === 'gif' || (width * height <= 128 * 128 && bytes.length <= 16 * 1024)
}
