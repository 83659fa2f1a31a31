/** Bytes kept unchanged: collected in chunks, or written in a scenario. */
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { fromBase64, joinBytes } from '../engine/bytes.ts'
import { defined } from '../engine/fields.ts'
import { randomFrom } from '../engine/random.ts'
import { readImageFacts } from '../media/image/facts.ts'
import { flatPng } from '../media/image/png.ts'
import type { HeldBytes, Payload } from '../protocol/call.ts'

const plain = { md5, sha256 } as const

/**
 * The checksum of bytes in hexadecimal, with node's crypto or, in browsers, with plain JavaScript, which is
 * 30 times slower. `native: false` does not use node's crypto.
 */
export function checksum(algorithm: keyof typeof plain, bytes: Uint8Array, native = true): string {
  // Looked up at run time: an import would keep this file out of browsers.
  const crypto = native ? globalThis.process?.getBuiltinModule?.('node:crypto') : undefined
  return crypto === undefined
    ? bytesToHex(plain[algorithm](bytes))
    : crypto.createHash(algorithm).update(bytes).digest('hex')
}

export interface BodySink {
  /** Copies the chunk: its memory may be reused. */
  add(chunk: Uint8Array): void
  finish(): Payload
}

export function createBodySink(): BodySink {
  const buffer = createByteBuffer()
  return {
    add: buffer.add,
    finish: () => ({ kind: 'bytes', bytes: holdBytes(buffer.join()) }),
  }
}

export interface ByteBuffer {
  /** Copies the chunk: its memory may be reused. */
  add(chunk: Uint8Array): void
  /** All bytes as one block. Nothing can be added afterwards. */
  join(): Uint8Array
}

export function createByteBuffer(): ByteBuffer {
  const chunks: Uint8Array[] = []
  return {
    add: (chunk) => void chunks.push(new Uint8Array(chunk)),
    join: () => joinBytes(chunks.splice(0)),
  }
}

/** Holds existing bytes without a copy: they must not be modified afterwards. */
export function holdBytes(content: Uint8Array): HeldBytes {
  const image = readImageFacts(content)
  return {
    size: content.length,
    md5: checksum('md5', content),
    sha256: checksum('sha256', content),
    ...defined({ image }),
    content,
  }
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
