/** Parses a multipart form: its fields, and facts about its files. */

import type { MultipartPart } from '@remix-run/multipart-parser'
import { joinBytes } from '../engine/bytes.ts'
import { defined } from '../engine/fields.ts'
import { readImageFacts } from '../media/image/facts.ts'
import { loadOnce } from '../media/load-once.ts'
import type { FilePart, FormField, Payload } from '../protocol/call.ts'
import { checksum, createByteBuffer } from './held-bytes.ts'
import { rejected } from './request-context.ts'

export interface FormReader {
  add(chunk: Uint8Array): void
  /** The payload of everything added. */
  finish(): Payload
}

const loadParser = loadOnce(() => import('@remix-run/multipart-parser'))

// Shared: it has no state between two calls.
const utf8 = new TextDecoder('utf-8', { fatal: true })

const maxParts = 1000
const maxHeaderBytes = 16 * 1024

/**
 * A reader for forms of this content type; a promise until the parser is loaded. A malformed form becomes a
 * payload with the reason.
 */
export function createFormReader(contentType: string): FormReader | Promise<FormReader> {
  const parser = loadParser()
  return parser instanceof Promise
    ? parser.then((loaded) => readerWith(loaded, contentType))
    : readerWith(parser, contentType)
}

type Parser = Exclude<ReturnType<typeof loadParser>, Promise<unknown>>

function readerWith(parser: Parser, contentType: string): FormReader {
  const buffer = createByteBuffer()
  return {
    add: buffer.add,
    finish() {
      const form = buffer.join()
      if (form.length === 0) return { kind: 'none' }
      const boundary = parser.getMultipartBoundary(contentType)
      if (boundary === null)
        return rejected('content-type: multipart/form-data without a boundary: let your HTTP client set it.')
      try {
        return { kind: 'form', fields: readFields(parser, form, boundary) }
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'it cannot be parsed'
        return rejected(`The form is malformed: ${reason.slice(0, 160)}.`)
      }
    },
  }
}

function readFields({ parseMultipart }: Parser, form: Uint8Array, boundary: string): FormField[] {
  const fields: FormField[] = []
  const limits = {
    maxParts,
    maxHeaderSize: maxHeaderBytes,
    maxFileSize: form.length,
    maxTotalSize: form.length,
  }
  const start = startOf(form, boundary)
  if (start < 0) throw new Error(`it has no part with the boundary ${JSON.stringify(boundary.slice(0, 80))}`)
  for (const part of parseMultipart([form.subarray(start)], { boundary, ...limits }))
    fields.push(fieldOf(part))
  return fields
}

/** Where the first boundary begins: clients may send lines before it, which do not count. */
function startOf(form: Uint8Array, boundary: string): number {
  const wanted = new TextEncoder().encode(`--${boundary}`)
  for (let at = form.indexOf(wanted[0] as number); at >= 0; at = form.indexOf(wanted[0] as number, at + 1)) {
    const startsLine = at === 0 || form[at - 1] === 0x0a
    if (startsLine && wanted.every((byte, offset) => form[at + offset] === byte)) return at
  }
  return -1
}

/** Throws for a part that no form may contain. */
function fieldOf(part: MultipartPart): FormField {
  const { name } = part
  if (name === undefined || name === '') throw new Error('a part has no name')
  const type = mediaType(part.headers['content-type'])
  const bytes = joinBytes(part.content)
  if (part.filename === undefined && type !== 'application/octet-stream')
    return { name, value: utf8.decode(bytes) }
  const file: FilePart = {
    filename: part.filename ?? '',
    contentType: type,
    size: bytes.length,
    sha256: checksum('sha256', bytes),
    ...defined({ image: readImageFacts(bytes) }),
  }
  return { name, file }
}

/** The type without parameters, in lower case; empty if there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === 'application/json') return contentType
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
