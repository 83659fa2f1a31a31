/**
 * Gathers bytes that come piece by piece into one block, without ever holding them twice: pieces go into
 * blocks of their own, whose memory is given back while they are copied into the whole.
 */

export interface ByteBuffer {
  /** How many bytes there are. */
  readonly size: number
  /** The piece is copied: its memory may be used again. */
  add(piece: Uint8Array): void
  /** All of them, in memory of exactly their size. Nothing can be added after, and it gives them once. */
  join(): Uint8Array
}

/** Beyond a megabyte, a block more costs less than looking for one that is larger. */
const maxBlockBytes = 1024 * 1024

/** Of about `expected` bytes, where that is known: what goes on longer, or ends sooner, is copied once. */
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

// Memory that can be made smaller goes back to the system at once; any other stays until the garbage
// collector comes by, which is when the whole is there. Engines that do not know such memory give the usual
// one.
function createBlock(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    bytes < maxBlockBytes ? new ArrayBuffer(bytes) : new ArrayBuffer(bytes, { maxByteLength: bytes }),
  )
}

function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (buffer.resizable) buffer.resize(0)
}
