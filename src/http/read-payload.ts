/** Turns the bytes of a body into a payload by content type, or into a rejection with the reason. */

import type { SimulatorCore } from '../core/simulator.ts'
import type { Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Settings } from '../protocol/settings.ts'
import { holdBytes } from './held-bytes.ts'
import { createFormReader, type FormReader, mediaType } from './read-form.ts'
import { rejected } from './request-context.ts'

// Created once: it keeps no state between two calls.
const utf8 = new TextDecoder('utf-8', { fatal: true })
const jsonType = /^application\/(?:[\w.+-]+\+)?json$/

/** The parts of a simulator needed to read a body. */
export type Reading = Pick<SimulatorCore, 'settings' | 'traffic'>

/** The maximum size of a form, in bytes: two files of the largest size. */
export function formLimit({ limits }: Settings): number {
  return 2 * limits.fileBytes
}

/** The maximum size of a body, by content type unless the endpoint accepts bytes of any type. */
export function bodyLimit(contentType: string | undefined, settings: Settings, endpoint?: Endpoint): number {
  if (endpoint?.accepts.includes('bytes') === true) return settings.limits.fileBytes
  if (contentType !== 'application/json' && mediaType(contentType) === 'multipart/form-data')
    return formLimit(settings)
  return Math.min(settings.limits.jsonBytes, endpoint?.maxBody ?? Infinity)
}

/** The payload for a body over the limit. */
export function tooLarge(limit: number, contentType: string | undefined, endpoint?: Endpoint): Payload {
  if (endpoint?.maxBody === limit)
    return rejected(
      `The body is larger than ${limit} bytes, the maximum for ${endpoint.operation}: send a smaller body.`,
      'request_too_large',
    )
  const isFile =
    endpoint?.accepts.includes('bytes') === true || mediaType(contentType) === 'multipart/form-data'
  const setting = isFile ? 'limits.fileBytes' : 'limits.jsonBytes'
  return rejected(
    `The body is larger than ${limit} bytes (setting ${setting}): send a smaller body, or raise the limit.`,
    'request_too_large',
  )
}

/** The payload of a body passed as a string, as if read from bytes. */
export function readString(
  text: string,
  headers: Readonly<Record<string, string | undefined>>,
  endpoint: Endpoint,
  settings: Settings,
): Payload {
  const limit = bodyLimit(headers['content-type'], settings, endpoint)
  // A character takes at most three bytes, so most bodies need not be measured.
  if (text.length > limit || (text.length * 3 > limit && byteLength(text) > limit))
    return tooLarge(limit, headers['content-type'], endpoint)
  // Encoding to bytes drops a byte order mark and turns lone surrogates into U+FFFD.
  return readText((text.startsWith('\uFEFF') ? text.slice(1) : text).toWellFormed(), headers, endpoint)
}

function compressed(headers: Readonly<Record<string, string | undefined>>): Payload | undefined {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity') return undefined
  return rejected(
    `The body is encoded (content-encoding: ${encoding.slice(0, 40)}): send it uncompressed.`,
    'unsupported_media_type',
  )
}

/** The size of a string in UTF-8, in bytes. */
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

/** The payload of a body of text (JSON), given as text or in UTF-8. */
export function readText(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | undefined>>,
  endpoint: Endpoint,
): Payload {
  if (body.length === 0) return { kind: 'none' }
  const unreadable = headers['content-encoding'] === undefined ? undefined : compressed(headers)
  if (unreadable !== undefined) return unreadable
  const contentType = headers['content-type']
  let text: string
  try {
    text = typeof body === 'string' ? body : utf8.decode(body)
  } catch {
    const type = mediaType(contentType)
    if (type !== '' && !jsonType.test(type)) return unsupported(type, endpoint)
    return rejected('The body is not valid UTF-8: send JSON in UTF-8.')
  }
  if (text === '') return { kind: 'none' }
  const type = contentType === 'application/json' ? contentType : mediaType(contentType)
  const isJson = jsonType.test(type) || (type === '' && endpoint.declaresJson !== true)
  if (!isJson || !endpoint.accepts.includes('json')) return unsupported(type, endpoint)
  // A value and its separator take at least two characters.
  if (text.length > 2 * maxValues && countValues(text) > maxValues) {
    return {
      kind: 'rejected',
      type: 'request_too_large',
      message: `The body has more than ${maxValues} JSON values: send fewer values.`,
      text: text.slice(0, 2000),
    }
  }
  try {
    return { kind: 'json', value: JSON.parse(text), text }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not JSON'
    return {
      kind: 'rejected',
      type: 'invalid_request_error',
      message: `The body is not valid JSON (${reason.slice(0, 160)}).`,
      text: text.slice(0, 2000),
    }
  }
}

/** The reader for a form; undefined for other bodies. */
export function formReader(
  headers: Readonly<Record<string, string | undefined>>,
  endpoint: Endpoint,
): FormReader | Promise<FormReader> | undefined {
  const contentType = headers['content-type']
  if (
    !endpoint.accepts.includes('form') ||
    mediaType(contentType) !== 'multipart/form-data' ||
    compressed(headers) !== undefined
  )
    return undefined
  return createFormReader(contentType ?? '')
}

/** The payload of a body of bytes. */
export function readBytes(
  bytes: Uint8Array,
  headers: Readonly<Record<string, string | undefined>>,
  endpoint: Endpoint,
): Payload | Promise<Payload> {
  if (endpoint.accepts.includes('bytes')) return { kind: 'bytes', bytes: holdBytes(bytes) }
  const form = bytes.length === 0 ? undefined : formReader(headers, endpoint)
  if (form === undefined) return readText(bytes, headers, endpoint)
  const read = ({ add, finish }: FormReader): Payload => {
    add(bytes)
    return finish()
  }
  return form instanceof Promise ? form.then(read) : read(form)
}

/**
 * The maximum number of values (numbers, strings, arrays, objects) in a JSON body: its size limit admits
 * thirty million zeros, whose validation errors would not fit into memory.
 */
const maxValues = 250_000

/** The number of commas and opening brackets outside of strings: at least the number of values. */
function countValues(text: string): number {
  let count = 0
  for (let at = 0; at < text.length && count <= maxValues; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 44 || unit === 91 || unit === 123) count++
    else if (unit === 34) at = endOfText(text, at)
  }
  return count
}

/** The end of the string that starts at a quotation mark. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

function unsupported(type: string, endpoint: Endpoint): Payload {
  const wanted = endpoint.accepts
    .map((kind) => (kind === 'json' ? 'application/json' : 'multipart/form-data'))
    .join(' or ')
  return rejected(
    `content-type: expected ${wanted || 'no body'}, got ${type.slice(0, 80) || 'none'}.` +
      // The default of `curl -d`.
      (endpoint.declaresJson === true && wanted !== '' ? ' With curl: --json instead of -d.' : ''),
    'unsupported_media_type',
  )
}
