/** Measures the unpacked size of zlib data without unpacking a decompression bomb to its end. */

/** The maximum number of bytes to unpack in one step. Larger data is read as a stream. */
const maxAtOnce = 4 * 1024 * 1024

export interface Unpacked {
  readonly size: number
  /** The bytes, if there are few enough to unpack in one step. */
  readonly bytes?: Uint8Array
}

/**
 * The unpacked size. Stops soon after `limit` and then returns more than `limit`. Undefined for invalid data,
 * because each Node version words the error differently. `native: false` avoids Node's zlib.
 */
export async function unpackedSize(
  packed: Uint8Array,
  limit: number,
  { native = true }: { readonly native?: boolean } = {},
): Promise<Unpacked | undefined> {
  // Looked up at run time: an import would make this file unusable in browsers. A stream takes fifty times as
  // long for a small file.
  const zlib = native ? globalThis.process?.getBuiltinModule?.('node:zlib') : undefined
  // Unlike the stream, this keeps the unpacked bytes.
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
  // As one part: a Blob takes ten seconds for a million parts.
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
