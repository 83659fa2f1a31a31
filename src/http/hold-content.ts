/** The bytes of content as scenario files write it: a text, base64, an image that is made, or a file. */
import { fromBase64 } from '../engine/base64.ts'
import { randomFrom } from '../engine/random.ts'
import { flatPng } from '../media/image/flat-png.ts'
import type { HeldBytes } from '../protocol/call.ts'
import { holdBytes } from './body-sink.ts'

/** Has one of its keys. */
export interface WrittenContent {
  readonly text?: string | undefined
  readonly base64?: string | undefined
  /** Pixels. */
  readonly picture?:
    | { readonly width: number; readonly height: number; readonly transparent?: boolean | undefined }
    | undefined
  /** What a file on disk holds, read with the scenario. */
  readonly bytes?: Uint8Array | undefined
}

/** Images of the same size differ in colour by `seed`. Throws a `TypeError` for content without a key. */
export function contentBytes({ text, base64, picture, bytes }: WrittenContent, seed: string): Uint8Array {
  if (text !== undefined) return new TextEncoder().encode(text)
  if (base64 !== undefined) return fromBase64(base64)
  if (bytes !== undefined) return bytes
  if (picture === undefined)
    throw new TypeError('hold-content: expected one of `text`, `base64`, `picture` and `bytes`')
  const random = randomFrom(`given picture ${seed}`)
  const shade = (): number => random.integer(40, 220)
  return flatPng({
    width: picture.width,
    height: picture.height,
    transparent: picture.transparent ?? false,
    colour: [shade(), shade(), shade()],
  })
}

/** The same with their hashes, and with the facts of an image. */
export function holdContent(content: WrittenContent, seed: string): HeldBytes {
  return holdBytes(contentBytes(content, seed))
}
