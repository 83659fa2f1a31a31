/** Collects a body that is kept as it is, and hashes it while it comes. */
import { readImageFacts } from '../media/image/facts.ts'
import type { HeldBytes, Payload } from '../protocol/call.ts'
import { createByteBuffer } from './byte-buffer.ts'
import { createDigest } from './digests.ts'

export interface BodySink {
  /** Copies the piece: its memory may be reused. */
  add(piece: Uint8Array): void
  finish(): Payload
}

/** `expected` is a guess of the size; a wrong one costs a copy and nothing else. */
export function createBodySink(expected: number): BodySink {
  const buffer = createByteBuffer(expected)
  const hashes = createHashes()
  return {
    add(piece) {
      buffer.add(piece)
      hashes.update(piece)
    },
    finish: () => ({ kind: 'bytes', bytes: heldBytesOf(buffer.join(), hashes) }),
  }
}

/** Holds bytes that are there already, without a copy: nobody may write into them any more. */
export function holdBytes(bytes: Uint8Array): HeldBytes {
  const hashes = createHashes()
  hashes.update(bytes)
  return heldBytesOf(bytes, hashes)
}

function createHashes() {
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

function heldBytesOf(content: Uint8Array, hashes: ReturnType<typeof createHashes>): HeldBytes {
  const image = readImageFacts(content)
  return { size: content.length, ...hashes.read(), ...(image === undefined ? {} : { image }), content }
}
