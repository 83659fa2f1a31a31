/** Finds out what the pixels of an image file say, in a thread unless that is done in a moment. */
import type { ImageFacts } from '../protocol/call.ts'
import { loadOnce } from './load-once.ts'

/** The facts with what the pixels say (`pixels`, or `damage`). Never rejects, whatever the file holds. */
export type InspectPixels = (facts: ImageFacts, bytes: Uint8Array) => Promise<ImageFacts>

/** `inspectElsewhere` resolves to undefined where there is no thread, and rejects when the thread dies. */
export function createPixelInspector(
  inspectElsewhere: (facts: ImageFacts, bytes: Uint8Array) => Promise<ImageFacts | undefined>,
): InspectPixels {
  const load = loadOnce(() => import('./image/pixels.ts'))
  const inspectHere: InspectPixels = async (facts, bytes) => (await load()).inspectPixels(facts, bytes)
  return async (facts, bytes) => {
    if (facts.damage !== undefined || isQuick(facts, bytes)) return inspectHere(facts, bytes)
    try {
      return (await inspectElsewhere(facts, bytes)) ?? (await inspectHere(facts, bytes))
    } catch {
      // The thread has died, perhaps of this file: decoded here, it could end the whole process.
      return { ...facts, pixels: 'unseen' }
    }
  }
}

/**
 * Whether it takes a few milliseconds at most: by pixels for what unpacks to much, by bytes for what has many
 * parts. JPEG and GIF files are not unpacked at all.
 */
function isQuick({ format, width, height }: ImageFacts, bytes: Uint8Array): boolean {
  return format === 'jpeg' || format === 'gif' || (width * height <= 128 * 128 && bytes.length <= 16 * 1024)
}
