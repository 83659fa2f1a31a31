/**
 * Parses a multipart form while it arrives: its fields, and facts about its files. A file larger than the
 * endpoint can accept is measured and hashed, but not kept.
 */

import type { MultipartParser, MultipartPart } from '@remix-run/multipart-parser'
import { defined } from '../engine/fields.ts'
import { readImageFacts } from '../media/image/facts.ts'
import type { InspectPixels } from '../media/inspect-pixels.ts'
import { loadOnce } from '../media/load-once.ts'
import type { FilePart, FormField, Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { type ByteBuffer, createByteBuffer, createDigest, type Digest } from './held-bytes.ts'
import { rejected } from './request-context.ts'

export interface FormReader {
  /** The chunk must not be written to afterwards. */
  add(chunk: Uint8Array): void
  /** The payload of everything added; a promise if pixels are inspected. */
  finish(): Payload | Promise<Payload>
}

const loadParser = loadOnce(() => import('@remix-run/multipart-parser'))

// Shared: it has no state between two calls.
const utf8 = new TextDecoder('utf-8', { fatal: true })

const maxParts = 1000
const maxHeaderBytes = 16 * 1024

/**
 * How many bytes of a part the parser may buffer before they are taken. More than the maximum header, which
 * guarantees that the parser is inside a part.
 */
const cutAfter = 256 * 1024

/**
 * A reader for forms of this content type; a promise until the parser is loaded. A malformed form becomes a
 * payload with the reason.
 */
export function createFormReader(
  contentType: string,
  endpoint: Endpoint,
  inspectPixels: InspectPixels,
): FormReader | Promise<FormReader> {
  const written = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType)
  const boundary = written?.[1] ?? written?.[2]
  if (boundary === undefined)
    return rejecting('content-type: multipart/form-data without a boundary: let your HTTP client set it.')
  const parser = loadParser()
  return parser instanceof Promise
    ? parser.then((loaded) => readerWith(loaded, boundary, endpoint, inspectPixels))
    : readerWith(parser, boundary, endpoint, inspectPixels)
}

function readerWith(
  { MultipartParser: Parser }: Awaited<ReturnType<typeof loadParser>>,
  boundary: string,
  endpoint: Endpoint,
  inspectPixels: InspectPixels,
): FormReader {
  // Parts are counted here, because inserted boundaries create more of them.
  const parser: MultipartParser = new Parser(boundary, {
    maxFileSize: Number.MAX_SAFE_INTEGER,
    maxTotalSize: Number.MAX_SAFE_INTEGER,
    maxParts: Number.MAX_SAFE_INTEGER,
    maxHeaderSize: maxHeaderBytes,
  })
  // Headers are Latin-1, and the parser searches the boundary as Latin-1.
  const cut = Uint8Array.from(`\r\n--${boundary}\r\nContent-Disposition: form-data\r\n\r\n`, (letter) =>
    letter.charCodeAt(0),
  )
  const marker = boundary.length + 4
  const fields: FormField[] = []
  const contents = new Map<FilePart, Uint8Array>()
  let malformed: string | undefined
  let size = 0
  let sincePart = 0
  let part: OpenPart | undefined

  const take = (given: MultipartPart, ends: boolean): void => {
    part ??= openPart(given, endpoint.files?.maxBytes)
    part.add(given.content)
    if (!ends) return
    if (fields.length === maxParts) throw new Error(`it has more than ${maxParts} parts`)
    fields.push(part.close(contents))
    part = undefined
  }
  const write = (chunk: Uint8Array, ends: boolean): void => {
    sincePart += chunk.length
    for (const given of parser.write(chunk)) {
      take(given, ends)
      sincePart = 0
    }
  }
  /**
   * The parser returns a part only once it is complete. An inserted boundary makes it return the bytes so
   * far; the rest arrives as another part, which is joined to the first.
   */
  const cutPart = (): void => {
    write(cut, false)
    sincePart = 0
  }
  const attempt = (work: () => void): void => {
    if (malformed !== undefined) return
    try {
      work()
    } catch (error) {
      // Data after the last part is ignored, but the parser rejects it in a separate chunk.
      if (!isWhole(parser)) malformed = error instanceof Error ? error.message : 'it cannot be parsed'
    }
  }

  return {
    add(chunk) {
      size += chunk.length
      attempt(() => {
        const at = sincePart + chunk.length > cutAfter ? placeToCut(chunk, marker) : undefined
        if (at === undefined) return write(chunk, true)
        write(chunk.subarray(0, at), true)
        if (sincePart > cutAfter) cutPart()
        if (at < chunk.length) write(chunk.subarray(at), true)
      })
    },
    finish() {
      if (size === 0) return { kind: 'none' }
      attempt(() => parser.finish())
      if (malformed !== undefined) return rejected(`The form is malformed: ${malformed.slice(0, 160)}.`)
      return contents.size === 0
        ? { kind: 'form', fields }
        : completed(fields, contents, endpoint, inspectPixels)
    },
  }
}

const rejecting = (message: string): FormReader => ({ add() {}, finish: () => rejected(message) })

/** Whether the last part has ended. */
function isWhole(parser: MultipartParser): boolean {
  try {
    parser.finish()
    return true
  } catch {
    return false
  }
}

/** The last position in a chunk at which no boundary can have begun; undefined when there is none. */
function placeToCut(chunk: Uint8Array, marker: number): number | undefined {
  for (let at = chunk.length; at >= marker; ) {
    const found = chunk.lastIndexOf(13, at - 1)
    if (found < at - marker) return at
    at = found
  }
  return undefined
}

/** A part whose content is still to come. */
interface OpenPart {
  add(content: readonly Uint8Array[]): void
  /** The field; the bytes of a file go to `contents`. Throws for a part that no form may contain. */
  close(contents: Map<FilePart, Uint8Array>): FormField
}

function openPart(part: MultipartPart, maxBytes: number | undefined): OpenPart {
  const { name, filename, type } = headOf(part)
  if (name === undefined || name === '') throw new Error('a part has no name')
  const isFile = filename !== undefined || type === 'application/octet-stream'
  let gathered: ByteBuffer | undefined = createByteBuffer()
  const sum: Digest | undefined = isFile ? createDigest('sha256') : undefined
  let size = 0
  let image: FilePart['image']
  const letGo = (): void => {
    const facts = gathered === undefined ? undefined : readImageFacts(gathered.join())
    // It is incomplete because of an inserted boundary.
    if (facts !== undefined)
      image = {
        format: facts.format,
        width: facts.width,
        height: facts.height,
        hasTransparency: facts.hasTransparency,
        pixels: 'unseen',
      }
    gathered = undefined
  }
  return {
    add(content) {
      for (const chunk of content) {
        size += chunk.length
        sum?.update(chunk)
        gathered?.add(chunk)
        if (isFile && maxBytes !== undefined && size > maxBytes) letGo()
      }
    },
    close(contents) {
      const content = gathered?.join()
      if (sum === undefined) return { name, value: utf8.decode(content) }
      if (content !== undefined) image = readImageFacts(content)
      const file: FilePart = {
        filename: filename ?? '',
        contentType: mediaType(type),
        size,
        sha256: sum.hex(),
        ...defined({ image }),
      }
      if (content !== undefined) contents.set(file, content)
      return { name, file }
    },
  }
}

/** The fields with the inspected pixels that the endpoint needs. */
async function completed(
  fields: readonly FormField[],
  contents: ReadonlyMap<FilePart, Uint8Array>,
  endpoint: Endpoint,
  inspectPixels: InspectPixels,
): Promise<Payload> {
  const completing = new Map<FilePart, FilePart>()
  for (const file of endpoint.files?.inspect?.(fields) ?? []) {
    const content = contents.get(file)
    if (file.image !== undefined && content !== undefined)
      completing.set(file, { ...file, image: await inspectPixels(file.image, content) })
  }
  return {
    kind: 'form',
    fields: fields.map((field) =>
      'file' in field ? { ...field, file: completing.get(field.file) ?? field.file } : field,
    ),
  }
}

/** The parsed head of a part. */
interface PartHead {
  readonly name: string | undefined
  /** Undefined unless the part is a file. */
  readonly filename: string | undefined
  readonly type: string | undefined
}

/** The form that nearly all clients use. */
const usualDisposition = /^form-data; name="([^"\\]+)"(?:; filename="([^"\\]*)")?$/
const usualType = /^[\w.+-]+\/[\w.+-]+$/

// The parser's own accessors parse the head again each time, with general regular expressions.
function headOf(part: MultipartPart): PartHead {
  const { 'content-disposition': disposition = '', 'content-type': type } = part.headers
  const usual = usualDisposition.exec(disposition)
  return {
    name: usual === null ? part.name : usual[1]?.trim(),
    filename: usual === null ? fileNameOf(part, disposition) : usual[2]?.trim(),
    type: type === undefined || usualType.test(type) ? type : part.mediaType,
  }
}

// The parser logs a warning for an unknown character set, with the same result.
function fileNameOf(part: MultipartPart, disposition: string): string | undefined {
  const [, charset, encoded = ''] = /filename\*\s*=\s*"?([\w-]+)'[^']*'([^;"]+)/i.exec(disposition) ?? []
  if (charset === undefined || isCharset(charset)) return part.filename
  return encoded.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

function isCharset(label: string): boolean {
  try {
    new TextDecoder(label)
    return true
  } catch {
    return false
  }
}

/** The type without parameters, in lower case; empty if there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === 'application/json') return contentType
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
