/**
 * Joins pieces of bytes without ever holding them twice: they are copied into blocks, whose memory is
 * released while they are copied into the whole.
 */

export interface ByteBuffer {
  /** Bytes so far. */
  readonly size: number
  /** Copies the piece: its memory may be reused. */
  add(piece: Uint8Array): void
  /** All bytes, in memory of exactly their size. To be called once; nothing can be added after. */
  join(): Uint8Array
}

/** Beyond a megabyte, one more block costs less than allocating a larger one. */
const maxBlockBytes = 1024 * 1024

/** `expected` is a guess of the size, where there is one: what is longer or shorter is copied once. */
export function createByteBuffer(expected = 0): ByteBuffer {
  let blocks: Uint8Array<ArrayBuffer>[] = []
  let block = new Uint8Array(Number.isSafeInteger(expected) && expected > 0 ? expected : 0)
  let filled = 0
  let size = 0
  const next = (wanted: number): void => {
    if (filled > 0) blocks.push(block.subarray(0, filled))
    block = createBlock(Math.min(maxBlockBytes, Math.max(wanted, size)))
    filled = 0
  }
  return {
    get size() {
      return size
    },
    add(piece) {
      for (let rest = piece; rest.length > 0; ) {
        if (filled === block.length) next(rest.length)
        const fitting = rest.subarray(0, block.length - filled)
        block.set(fitting, filled)
        filled += fitting.length
        size += fitting.length
        rest = rest.subarray(fitting.length)
      }
    },
    join() {
      if (blocks.length === 0 && filled === block.length && !block.buffer.resizable) return block
      const whole = new Uint8Array(size)
      let at = 0
      for (const each of [...blocks, block.subarray(0, filled)]) {
        whole.set(each, at)
        at += each.length
        release(each)
      }
      blocks = []
      return whole
    },
  }
}

// Resizable memory can be released at once; other memory stays until the garbage collector runs, by when the
// whole exists too. Engines that do not know resizable memory ignore the option.
function createBlock(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    bytes < maxBlockBytes ? new ArrayBuffer(bytes) : new ArrayBuffer(bytes, { maxByteLength: bytes }),
  )
}

function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (buffer.resizable) buffer.resize(0)
}
