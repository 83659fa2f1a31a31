/** Takes in a body that is kept as it is: the bytes once in memory, their sums while they come. */

import { readImageFacts } from '../media/image/facts.ts'
import type { HeldBytes, Payload } from '../protocol/call.ts'
import { createByteBuffer } from './byte-buffer.ts'
import { createDigest } from './digests.ts'

export interface BodySink {
  /** The piece is copied: its memory may be used again. */
  add(piece: Uint8Array): void
  /** The payload of all that was added. */
  finish(): Payload
}

/** An intake of about `expected` bytes; a wrong guess costs a copy and nothing else. */
export function createBodySink(expected: number): BodySink {
  const gathered = createByteBuffer(expected)
  const sums = createSums()
  return {
    add(piece) {
      gathered.add(piece)
      sums.update(piece)
    },
    finish: () => ({ kind: 'bytes', bytes: heldBytesOf(gathered.join(), sums) }),
  }
}

/** Bytes that are there already. They are kept as they are: nobody may write into them any more. */
export function holdBytes(bytes: Uint8Array): HeldBytes {
  const sums = createSums()
  sums.update(bytes)
  return heldBytesOf(bytes, sums)
}

function createSums() {
  const md5 = createDigest('md5')
  const sha256 = createDigest('sha256')
  return {
    update(piece: Uint8Array) {
      md5.update(piece)
      sha256.update(piece)
    },
    read: () => ({ md5: md5.hex(), sha256: sha256.hex() }),
  }
}

function heldBytesOf(content: Uint8Array, sums: ReturnType<typeof createSums>): HeldBytes {
  const image = readImageFacts(content)
  return { size: content.length, ...sums.read(), ...(image === undefined ? {} : { image }), content }
}
