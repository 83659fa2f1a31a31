/** Makes a recorded exchange from a proxied call, with secrets redacted. */

import { type Fields, jsonIn } from '../../engine/fields.ts'
import { pointerTo } from '../../engine/pointer.ts'
import {
  asBody,
  type Exchange,
  type ExchangeBody,
  type ExchangeResponse,
  type Headers,
  headerIn,
} from '../../exchange/exchange.ts'
import { fromLatin1, redactedWord, type Secrets, toLatin1 } from './secrets.ts'

export interface CapturedBody {
  /** `at`: milliseconds since the request was sent. */
  readonly chunks: readonly { readonly at: number; readonly bytes: Uint8Array }[]
  readonly size: number
  /** The body exceeded the limit: `chunks` is empty. */
  readonly lost: boolean
}

/** One call as it passed; header names in lower case. */
export interface CapturedCall
  extends Pick<Exchange, 'at' | 'firstByteAfter' | 'endedAfter' | 'ended' | 'key'> {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: CapturedBody
  readonly response:
    | {
        readonly status: number
        readonly statusText: string
        readonly headers: Headers
        readonly body: CapturedBody
      }
    | undefined
  readonly error: string | undefined
}

export interface RedactedCall {
  readonly exchange: Exchange
  readonly statusText: string
  readonly error: string | undefined
}

/** `seq` numbers the calls. */
export function redactCall(call: CapturedCall, seq: number, secrets: Secrets): RedactedCall {
  secrets.learnFrom(call.headers, call.url)
  if (call.response !== undefined) secrets.learnFrom(call.response.headers, call.url)
  // Bodies first: secrets found there are redacted in headers and URLs, too.
  const requestBody = redactBody(call, secrets)
  const responseBody = call.response && redactBody(call.response, secrets)
  const headers = redactHeaders(call.headers, secrets)
  const url = redactLine(call.url, secrets)
  const responseHeaders = redactHeaders(call.response?.headers ?? [], secrets)
  const places = [
    ...headers.places,
    ...queryPlaces(call.url, url),
    ...(requestBody?.places ?? []),
    ...[...responseHeaders.places, ...(responseBody?.places ?? [])].map((place) => `response:${place}`),
  ]
  const response: ExchangeResponse | undefined = call.response && {
    status: call.response.status,
    headers: responseHeaders.headers,
    body: responseBody?.body ?? { size: call.response.body.size, isComplete: false },
    chunks: responseBody?.chunks,
  }
  const { at, firstByteAfter, endedAfter, method, ended, key, error } = call
  const body = call.body.size === 0 ? undefined : requestBody?.body
  return {
    exchange: {
      seq,
      at,
      firstByteAfter,
      endedAfter,
      request: { method, url, headers: headers.headers, body },
      response,
      ended,
      key,
      redacted: [...new Set(places)],
    },
    statusText: redactLine(call.response?.statusText ?? '', secrets),
    error: error === undefined ? undefined : redactLine(error, secrets),
  }
}

const redactLine = (text: string, secrets: Secrets): string =>
  fromLatin1(redactText(toLatin1(text), 'text', secrets))

function queryPlaces(before: string, after: string): string[] {
  const old = [...new URL(before).searchParams]
  const now = [...new URL(after).searchParams]
  return old.flatMap(([name, value], at) => (now[at]?.[1] === value ? [] : [`query:${name}`]))
}

// A known scheme is not secret.
const scheme = /^(?:bearer|basic|digest|token|apikey)\s+/i

function redactHeaders(
  headers: Headers,
  secrets: Secrets,
): { readonly headers: Headers; readonly places: readonly string[] } {
  const places: string[] = []
  const redacted = headers.map(([name, value]): readonly [string, string] => {
    const kept = secrets.isHeader(name)
      ? `${scheme.exec(value)?.[0] ?? ''}${redactedWord}`
      : redactText(value, 'text', secrets)
    if (kept !== value) places.push(`header:${name}`)
    return [name, kept]
  })
  return { headers: redacted, places }
}

interface RedactedBody {
  readonly body: ExchangeBody
  readonly chunks: ExchangeResponse['chunks']
  readonly places: readonly string[]
}

/** Undefined for a body that was too large, or that cannot be searched because it is compressed. */
function redactBody(
  { body: { chunks, lost }, headers }: { readonly body: CapturedBody; readonly headers: Headers },
  secrets: Secrets,
): RedactedBody | undefined {
  if (lost || isCompressed(headers)) return undefined
  const whole = Buffer.concat(chunks.map(({ bytes }) => bytes))
  const before = whole.toString('latin1')
  const after = redactText(before, formOf(headerIn(headers, 'content-type') ?? '', whole), secrets)
  const bytes = Buffer.from(after, 'latin1')
  // A redacted body has another length, and chunks of about the same shares.
  let position = 0
  let end = 0
  const sizes = chunks.map((chunk) => {
    const start = end
    position += chunk.bytes.length
    end = Math.round((position / whole.length) * bytes.length)
    return { at: chunk.at, bytes: end - start }
  })
  return { body: asBody(bytes), chunks: sizes, places: changedPlaces(before, after) }
}

/** Compressed bodies cannot be searched. */
export const isCompressed = (headers: Headers): boolean =>
  (headerIn(headers, 'content-encoding') ?? 'identity') !== 'identity'

/** JSON pointers to the values that differ; one empty pointer if the text is not JSON. */
export function changedPlaces(before: string, after: string): string[] {
  if (before === after) return []
  const places: string[] = []
  const compare = (was: unknown, is: unknown, path: readonly string[]): void => {
    if (is !== null && typeof is === 'object')
      for (const [name, value] of Object.entries(is))
        compare((was as Fields | null | undefined)?.[name], value, [...path, name])
    else if (was !== is) places.push(pointerTo(path))
  }
  compare(jsonIn(fromLatin1(before)), jsonIn(fromLatin1(after)), [])
  return places.length === 0 ? [''] : places
}

/** The format of a body: JSON, events with JSON, a form, other text, or binary. */
export type TextForm = 'json' | 'events' | 'form' | 'text' | 'bytes'

function formOf(contentType: string, body: Uint8Array): TextForm {
  // For responses without a content type, and for rejections of stream requests.
  const braces = body[0] === 123 || body[0] === 91
  const type = contentType.toLowerCase()
  if (type.includes('json')) return 'json'
  if (type.startsWith('text/event-stream')) return braces ? 'json' : 'events'
  if (type.startsWith('multipart/') || type.startsWith('application/x-www-form-urlencoded')) return 'form'
  if (/^(?:image|video|audio|font)\/(?!svg)/.test(type)) return 'bytes'
  if (/^application\/(?:octet-stream|zip|gzip|pdf)/.test(type)) return 'bytes'
  return braces ? 'json' : 'text'
}

const maxSignature = 2000

/** Texts are bytes as Latin-1, so that bytes that are no text pass unchanged. */
export function redactText(text: string, form: TextForm, secrets: Secrets): string {
  const learn = (value: string): string => {
    if (value.length < maxSignature) secrets.learnSigned(fromLatin1(value))
    return redactedWord
  }
  let redacted = text
  if (form === 'json') redacted = redactFields(text, secrets, learn)
  if (form === 'events') redacted = text.replace(/^data:.*$/gm, (line) => redactFields(line, secrets, learn))
  if (form === 'form')
    redacted = text.replace(formField, (all: string, before: string, name: string, value: string) =>
      secrets.isQuery(name) && value !== '' ? before + learn(value) : all,
    )
  if (form !== 'bytes')
    redacted = redacted
      .replace(queryPattern(secrets.query, form), (_, name: string, value: string) => name + learn(value))
      .replace(password, `://${redactedWord}@`)
  for (const { text: secret, instead } of secrets.spellings()) redacted = redacted.replaceAll(secret, instead)
  return redacted
}

const formField = /(\bname="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)([^\r\n]*)/g
const password = /:\/\/[^/\s"'@\\]+:[^/\s"'@\\]+@/g

// A URL may be in JSON that escapes `&`, in HTML, or in the query of another URL.
const separator = String.raw`[?&]|\\+u0026|\\+u003f|&amp;|%(?:25)*(?:3f|26)`
const equals = String.raw`=|%(?:25)*3d|\\+u003d`
const end = String.raw`[&\s"'<>#]|\\+(?![\\/]|u00)|\\+u00(?:26|22|27|3c|3e|23)|%(?:25)*(?:26|23|22)`

function queryPattern(names: string, form: TextForm): RegExp {
  const before = form === 'form' ? `^|${separator}` : separator
  return new RegExp(`((?:${before})(?:${names})(?:${equals}))((?:(?!${end})[^])+)`, 'gi')
}

/** The text with the values of secret fields redacted. It may be any sequence of JSON, or cut. */
function redactFields(text: string, secrets: Secrets, learn: (value: string) => string): string {
  const parts: string[] = []
  let kept = 0
  let at = text.indexOf('"')
  while (at >= 0) {
    const end = stringEnd(text, at)
    const start = matchEnd(/\s*:\s*/y, text, end)
    if (start > end && secrets.isField(text.slice(at + 1, end - 1), text[start])) {
      const stop = valueEnd(text, start)
      const value = text.slice(start, stop)
      parts.push(text.slice(kept, start), `"${learn(value.replace(/^"(.*)"$/s, '$1'))}"`)
      kept = stop
      at = text.indexOf('"', stop)
    } else at = text.indexOf('"', end)
  }
  return parts.join('') + text.slice(kept)
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

function valueEnd(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const letter = text[at] ?? ' '
    if (letter === '"') at = stringEnd(text, at)
    else if ('{['.includes(letter)) {
      depth += 1
      at += 1
    } else if ('}]'.includes(letter)) {
      depth -= 1
      at += 1
    } else at = Math.max(at + 1, matchEnd(/[\w.+-]*/y, text, at))
  } while (depth > 0 && at < text.length)
  return at
}

/** The position after the closing quote; the end of the text if there is none. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote >= 0) {
    let escapes = 0
    while (text[quote - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return quote + 1
    quote = text.indexOf('"', quote + 1)
  }
  return text.length
}
