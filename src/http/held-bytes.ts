/** Bytes kept unchanged: collected and hashed in chunks, or written in a scenario. */
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { fromBase64 } from '../engine/bytes.ts'
import { defined } from '../engine/fields.ts'
import { randomFrom } from '../engine/random.ts'
import { flatPng } from '../media/codecs/png.ts'
import { readImageFacts } from '../media/image/facts.ts'
import type { HeldBytes, Payload } from '../protocol/call.ts'

/**
 * Hashes bytes in chunks with node's crypto or, in browsers, with plain JavaScript, which is 30 times slower.
 */
export interface Digest {
  update(chunk: Uint8Array): void
  /** In hexadecimal. Nothing can be added afterwards. */
  hex(): string
}

const plain = { md5, sha256 } as const

/** `native: false` does not use node's crypto. */
export function createDigest(
  algorithm: keyof typeof plain,
  { native = true }: { readonly native?: boolean } = {},
): Digest {
  // Looked up at run time: an import would keep this file out of browsers.
  const crypto = native ? globalThis.process?.getBuiltinModule?.('node:crypto') : undefined
  if (crypto !== undefined) {
    const hash = crypto.createHash(algorithm)
    return { update: (chunk) => void hash.update(chunk), hex: () => hash.digest('hex') }
  }
  const hash = plain[algorithm].create()
  return { update: (chunk) => void hash.update(chunk), hex: () => bytesToHex(hash.digest()) }
}

export interface BodySink {
  /** Copies the chunk: its memory may be reused. */
  add(chunk: Uint8Array): void
  finish(): Payload
}

/** `expected` estimates the size; a wrong estimate costs one copy. */
export function createBodySink(expected: number): BodySink {
  const buffer = createByteBuffer(expected)
  const hashes = createHashes()
  return {
    add(chunk) {
      buffer.add(chunk)
      hashes.update(chunk)
    },
    finish: () => ({ kind: 'bytes', bytes: heldBytesOf(buffer.join(), hashes) }),
  }
}

/** Holds existing bytes without a copy: they must not be modified afterwards. */
export function holdBytes(bytes: Uint8Array): HeldBytes {
  const hashes = createHashes()
  hashes.update(bytes)
  return heldBytesOf(bytes, hashes)
}

function createHashes() {
  const md5 = createDigest('md5')
  const sha256 = createDigest('sha256')
  return {
    update(chunk: Uint8Array) {
      md5.update(chunk)
      sha256.update(chunk)
    },
    read: () => ({ md5: md5.hex(), sha256: sha256.hex() }),
  }
}

function heldBytesOf(content: Uint8Array, hashes: ReturnType<typeof createHashes>): HeldBytes {
  return { size: content.length, ...hashes.read(), ...defined({ image: readImageFacts(content) }), content }
}

/** Joins chunks without holding them twice: blocks are released while they are copied into the whole. */

export interface ByteBuffer {
  /** Copies the chunk: its memory may be reused. */
  add(chunk: Uint8Array): void
  /** All bytes, in memory of exactly their size. Can be called once; nothing can be added afterwards. */
  join(): Uint8Array
}

/** Beyond a megabyte, one more block costs less than allocating a larger one. */
const maxBlockBytes = 1024 * 1024

/** `expected` estimates the size; other sizes are copied once. */
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
    add(chunk) {
      for (let rest = chunk; rest.length > 0; ) {
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

// Resizable memory can be released immediately; other memory stays until garbage collection, when the result
// exists too. Engines without resizable memory ignore the option.
function createBlock(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    bytes < maxBlockBytes ? new ArrayBuffer(bytes) : new ArrayBuffer(bytes, { maxByteLength: bytes }),
  )
}

function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (buffer.resizable) buffer.resize(0)
}

/** Has one of its keys. */
interface WrittenContent {
  readonly text?: string | undefined
  readonly base64?: string | undefined
  /** Pixels. */
  readonly image?:
    | { readonly width: number; readonly height: number; readonly transparent?: boolean | undefined }
    | undefined
  /** The content of a file on disk, read with the scenario. */
  readonly bytes?: Uint8Array | undefined
}

/** Images of the same size differ in colour by `seed`. Throws a `TypeError` for content without a key. */
export function contentBytes({ text, base64, image, bytes }: WrittenContent, seed: string): Uint8Array {
  if (text !== undefined) return new TextEncoder().encode(text)
  if (base64 !== undefined) return fromBase64(base64)
  if (bytes !== undefined) return bytes
  if (image === undefined)
    throw new TypeError('hold-content: expected one of `text`, `base64`, `image` and `bytes`')
  const random = randomFrom(`given image ${seed}`)
  const shade = (): number => random.integer(40, 220)
  return flatPng({
    width: image.width,
    height: image.height,
    transparent: image.transparent ?? false,
    colour: [shade(), shade(), shade()],
  })
}

/** The bytes with their hashes, and with the facts about an image. */
export function holdContent(content: WrittenContent, seed: string): HeldBytes {
  return holdBytes(contentBytes(content, seed))
}
