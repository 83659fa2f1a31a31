/** Inspects the pixels of an image file, in a thread unless it takes only a few milliseconds. */
import type { ImageFacts } from '../protocol/call.ts'
import { loadOnce } from './load-once.ts'

/** The facts, completed from the pixels (`pixels` or `damage`). Never rejects, whatever the file contains. */
export type InspectPixels = (facts: ImageFacts, bytes: Uint8Array) => Promise<ImageFacts>

/** `inspectElsewhere` resolves to undefined if there is no thread, and rejects if the thread dies. */
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
      // The thread may have died because of this file: decoding it here could end the whole process.
      return { ...facts, pixels: 'unseen' }
    }
  }
}

/**
 * Whether the inspection takes only a few milliseconds: limited by pixels for formats that unpack to more,
 * and by bytes for formats with many parts. JPEG and GIF files are not unpacked.
 */
function isQuick({ format, width, height }: ImageFacts, bytes: Uint8Array): boolean {
  return format === 'jpeg' || format === 'gif' || (width * height <= 128 * 128 && bytes.length <= 16 * 1024)
}
