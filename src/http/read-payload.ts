/** Turns the bytes of a body into a payload by its content type. Every failure becomes a payload that says what is wrong. */
import type { FilePart, FormField, Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Settings } from '../protocol/settings.ts'
import type { SimulatorCore } from '../simulator.ts'
import { createDigest } from './digests.ts'
import { holdBytes } from './hold-bytes.ts'
import { readImageFacts } from './image-facts.ts'

// Made once: it keeps nothing between two texts.
const utf8 = new TextDecoder('utf-8', { fatal: true })
const jsonType = /^application\/(?:[\w.+-]+\+)?json$/

/** What of a simulator it takes to read a body. */
export type Reading = Pick<SimulatorCore, 'settings' | 'lookAtPixels'>

/** What a body may be at most: by what its content type says, unless the endpoint takes bytes of any type. */
export function bodyLimit(contentType: string | undefined, settings: Settings, endpoint?: Endpoint): number {
  if (takesBytes(endpoint)) return Math.min(settings.limits.fileBytes, settings.memory.fileBytes)
  return mediaType(contentType) === 'multipart/form-data' ? settings.limits.formBytes : settings.limits.jsonBytes
}

/** The payload for a body over the limit. */
export function tooLarge(limit: number, contentType: string | undefined, endpoint?: Endpoint): Payload {
  const setting = takesBytes(endpoint) ? 'limits.fileBytes, or memory.fileBytes when that is less' : mediaType(contentType) === 'multipart/form-data' ? 'limits.formBytes' : 'limits.jsonBytes'
  return { kind: 'refused', type: 'request_too_large', message: `The body is larger than ${limit} bytes (setting ${setting}): send less, or raise the limit.` }
}

/** Whether bodies of any type are kept as they are. */
export function takesBytes(endpoint: Endpoint | undefined): boolean {
  return endpoint?.accepts.includes('bytes') === true
}

/** The payload of a body that the caller hands over as text; what its bytes would have been decides, as for any other body. */
export function readString(text: string, headers: Readonly<Record<string, string | undefined>>, endpoint: Endpoint, settings: Settings): Payload {
  const limit = bodyLimit(headers['content-type'], settings)
  // A letter takes three bytes at most, so that the usual body need not be measured.
  if (text.length > limit || (text.length * 3 > limit && byteLength(text) > limit)) return tooLarge(limit, headers['content-type'])
  if (text === '') return { kind: 'none' }
  // On the way through bytes a byte order mark is dropped and half a surrogate pair becomes U+FFFD.
  return compressed(headers) ?? readText((text.startsWith('\uFEFF') ? text.slice(1) : text).toWellFormed(), headers['content-type'], endpoint)
}

function compressed(headers: Readonly<Record<string, string | undefined>>): Payload | undefined {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity') return undefined
  return { kind: 'refused', type: 'unsupported_media_type', message: `The body is sent with content-encoding: ${encoding.slice(0, 40)}; send it uncompressed.` }
}

/** How many bytes a text takes in UTF-8. */
export function byteLength(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes++
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 4
      i++
    } else bytes += 3
  }
  return bytes
}

/** The payload of a body of text (JSON). */
export function readText(text: string, contentType: string | undefined, endpoint: Endpoint): Payload {
  if (text === '') return { kind: 'none' }
  const type = mediaType(contentType)
  const isJson = type === '' || jsonType.test(type) || endpoint.anyContentType === true
  if (isJson && endpoint.accepts.includes('json')) return readJson(text)
  return unsupported(type, endpoint)
}

/** The payload of a body of bytes. */
export function readBytes(bytes: Uint8Array, headers: Readonly<Record<string, string | undefined>>, endpoint: Endpoint, core: Reading): Payload | Promise<Payload> {
  const contentType = headers['content-type']
  if (takesBytes(endpoint)) return { kind: 'bytes', bytes: holdBytes(bytes) }
  if (bytes.length === 0) return { kind: 'none' }
  const unreadable = compressed(headers)
  if (unreadable !== undefined) return unreadable
  if (mediaType(contentType) === 'multipart/form-data' && endpoint.accepts.includes('form')) return readForm(bytes, contentType ?? '', endpoint, core)
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    const type = mediaType(contentType)
    if (type !== '' && !jsonType.test(type)) return unsupported(type, endpoint)
    return { kind: 'refused', type: 'invalid_request_error', message: 'The body is not valid UTF-8: send JSON in UTF-8.' }
  }
  return readText(text, contentType, endpoint)
}

/** How many values (numbers, texts, lists, objects) a JSON body may hold: thirty million zeros fit into its bytes, and what is said of each does not fit into memory. */
const mostValues = 250_000

function readJson(text: string): Payload {
  // A value and what parts it from the next take two characters at least.
  if (text.length > 2 * mostValues && countValues(text) > mostValues) {
    return { kind: 'refused', type: 'request_too_large', message: `The body holds more than ${mostValues} JSON values: send fewer.`, text: text.slice(0, 2000) }
  }
  try {
    return { kind: 'json', value: JSON.parse(text), text }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not JSON'
    return { kind: 'refused', type: 'invalid_request_error', message: `The body is not valid JSON (${reason.slice(0, 160)}).`, text: text.slice(0, 2000) }
  }
}

/** The commas and opening brackets outside of texts, which are as many as there are values, or more; counted no further than needed. */
function countValues(text: string): number {
  let count = 0
  for (let at = 0; at < text.length && count <= mostValues; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 44 || unit === 91 || unit === 123) count++
    else if (unit === 34) at = endOfText(text, at)
  }
  return count
}

/** Where the text that begins at a quotation mark ends. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

function unsupported(type: string, endpoint: Endpoint): Payload {
  const wanted = endpoint.accepts.map((kind) => (kind === 'json' ? 'application/json' : 'multipart/form-data')).join(' or ')
  return { kind: 'refused', type: 'unsupported_media_type', message: `content-type: expected ${wanted || 'no body'}, got ${type === '' ? 'none' : type.slice(0, 80)}.` }
}

/** The type without parameters, in lower case; empty when there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === 'application/json') return contentType
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

async function readForm(bytes: Uint8Array, contentType: string, endpoint: Endpoint, { lookAtPixels }: Reading): Promise<Payload> {
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType)
  if (boundary === null) return { kind: 'refused', type: 'invalid_request_error', message: 'content-type: multipart/form-data without a boundary; let the client set this header by itself.' }
  const { parseMultipart } = await import('@remix-run/multipart-parser')
  const fields: FormField[] = []
  const contents = new Map<FilePart, Uint8Array>()
  try {
    const limits = { maxFileSize: bytes.length + 1, maxTotalSize: bytes.length + 1, maxParts: 1000, maxHeaderSize: 16 * 1024 }
    for (const part of parseMultipart(bytes, { boundary: (boundary[1] ?? boundary[2]) as string, ...limits })) {
      if (part.name === undefined || part.name === '') return malformedForm('a part has no name')
      if (part.isFile) {
        // Where it lies in the body: asking the part for its bytes would copy them.
        const content = part.content.length === 1 ? (part.content[0] as Uint8Array) : part.bytes
        const image = readImageFacts(content)
        const sum = createDigest('sha256')
        sum.update(content)
        const file = { filename: part.filename ?? '', type: mediaType(part.mediaType), size: content.length, sha256: sum.hex() }
        const facts: FilePart = image === undefined ? file : { ...file, image }
        contents.set(facts, content)
        fields.push({ name: part.name, file: facts })
      } else {
        fields.push({ name: part.name, value: part.text })
      }
    }
  } catch (error) {
    return malformedForm(error instanceof Error ? error.message : 'it cannot be read')
  }
  const completed = new Map<FilePart, FilePart>()
  const complete = (file: FilePart, more: Partial<FilePart>): void => void completed.set(file, { ...(completed.get(file) ?? file), ...more })
  for (const file of endpoint.decodes?.(fields) ?? []) {
    if (file.image !== undefined) complete(file, { image: await lookAtPixels(file.image, contents.get(file) as Uint8Array) })
  }
  for (const file of endpoint.keeps?.(fields) ?? []) {
    // A copy: a part of the body would keep all of it in memory.
    if (file.image !== undefined) complete(file, { content: new Uint8Array(contents.get(file) as Uint8Array) })
  }
  if (completed.size === 0) return { kind: 'form', fields }
  return { kind: 'form', fields: fields.map((field) => ('file' in field ? { ...field, file: completed.get(field.file) ?? field.file } : field)) }
}

function malformedForm(reason: string): Payload {
  return { kind: 'refused', type: 'invalid_request_error', message: `The form is malformed: ${reason.slice(0, 160)}.` }
}
