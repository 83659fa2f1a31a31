/** Unpacks what zlib has packed to see how much it is: a decompression bomb is not unpacked to its end. */

/** Bytes that are unpacked at once; what is more is read as a stream. */
const maxAtOnce = 4 * 1024 * 1024

export interface Unpacked {
  readonly size: number
  /** The bytes, if few of them were unpacked at once. */
  readonly bytes?: Uint8Array
}

/**
 * How many bytes packed ones unpack to; it stops soon after `limit`, and says more than that. Undefined for
 * bytes that cannot be unpacked: each version of node words that differently. `native: false` does without
 * node's zlib.
 */
export async function unpackedSize(
  packed: Uint8Array,
  limit: number,
  { native = true }: { readonly native?: boolean } = {},
): Promise<Unpacked | undefined> {
  // Looked up at run time: an import would keep this file out of browsers. A stream takes fifty times as long
  // for a small file.
  const zlib = native ? globalThis.process?.getBuiltinModule?.('node:zlib') : undefined
  // It holds what it unpacks, which a stream only counts.
  if (zlib === undefined || limit === 0 || limit > maxAtOnce) return unpackStream(packed, limit)
  try {
    const chunkSize = Math.min(Math.max(limit, 64), 256 * 1024)
    const bytes = zlib.inflateSync(packed, { maxOutputLength: limit, chunkSize })
    return { size: bytes.length, bytes }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? { size: limit + 1 } : undefined
  }
}

async function unpackStream(packed: Uint8Array, limit: number): Promise<Unpacked | undefined> {
  // As one part: a Blob takes ten seconds for a million of them.
  const reader = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
    .getReader() as ReadableStreamDefaultReader<Uint8Array>
  let size = 0
  for (;;) {
    const part = await reader.read().catch(() => undefined)
    if (part === undefined) return undefined
    const { done, value } = part
    if (done) return { size }
    size += value.length
    if (size <= limit) continue
    await reader.cancel()
    return { size }
  }
}
