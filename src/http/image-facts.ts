/** What the bytes of a picture say about it: format, size, transparency. Knows nothing of what the picture is for. */
import type { ImageFacts } from '../protocol/call.ts'

const formats: Readonly<Record<string, ImageFacts['format']>> = { png: 'png', jpg: 'jpeg', webp: 'webp', gif: 'gif' }

/** The facts, or undefined when the bytes are no picture of a known format. */
export async function readImageFacts(bytes: Uint8Array): Promise<ImageFacts | undefined> {
  const { imageSize } = await import('image-size')
  try {
    const { type, width, height } = imageSize(bytes)
    const format = type === undefined ? undefined : formats[type]
    if (format === undefined || !(width > 0) || !(height > 0)) return undefined
    return { format, width, height, hasTransparency: canBeTransparent(format, bytes) }
  } catch {
    // The library throws for bytes it does not know or that end too early.
    return undefined
  }
}

// Whether the file has an alpha channel at all; whether a pixel uses it is not looked at here.
function canBeTransparent(format: ImageFacts['format'], bytes: Uint8Array): boolean {
  if (format === 'jpeg') return false
  if (format === 'gif') return true
  if (format === 'png') {
    const colourType = bytes[25] ?? 0
    return colourType === 4 || colourType === 6 || indexOf(bytes, 'tRNS', 4096) >= 0
  }
  const chunk = String.fromCharCode(...bytes.subarray(12, 16))
  return chunk === 'VP8X' ? ((bytes[20] ?? 0) & 0x10) !== 0 : chunk === 'VP8L'
}

function indexOf(bytes: Uint8Array, word: string, within: number): number {
  const end = Math.min(bytes.length, within) - word.length
  for (let at = 0; at <= end; at++) {
    let same = true
    for (let i = 0; i < word.length && same; i++) same = bytes[at + i] === word.charCodeAt(i)
    if (same) return at
  }
  return -1
}
