/** Makes a recorded exchange from a proxied call, with secrets redacted. */

import {
  asBody,
  type Exchange,
  type ExchangeBody,
  type ExchangeResponse,
  type Headers,
  headerIn,
} from '../../exchange/exchange.ts'
import { scanJson } from './scan-json.ts'
import { redactedWord, type Secrets, type Spelling } from './secrets.ts'

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
  const plain = <Text extends string | undefined>(text: Text) =>
    (text === undefined ? undefined : redactLine(text, secrets)) as Text
  const { at, firstByteAfter, endedAfter, method, ended, key } = call
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
    statusText: plain(call.response?.statusText ?? ''),
    error: plain(call.error),
  }
}

/** A line of text without secrets, for logs and messages. */
function redactLine(text: string, secrets: Secrets): string {
  return fromLatin1(redactText(toLatin1(text), 'text', secrets).text)
}

const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const fromLatin1 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')

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
      : redactText(value, 'text', secrets).text
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
  const coding = headerIn(headers, 'content-encoding') ?? 'identity'
  if (lost || coding !== 'identity') return undefined
  const whole = Buffer.concat(chunks.map(({ bytes }) => bytes))
  const type = headerIn(headers, 'content-type') ?? ''
  const { text, places, moved } = redactText(whole.toString('latin1'), formOf(type, whole), secrets)
  let position = 0
  const sizes = chunks.map(({ at, bytes }) => {
    const from = moved(position)
    position += bytes.length
    return { at, bytes: moved(position) - from }
  })
  const body = asBody(places.length === 0 ? whole : Buffer.from(text, 'latin1'))
  return { body, chunks: sizes, places }
}

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

interface Edit {
  readonly start: number
  readonly end: number
  readonly instead: string
}

interface Redacted {
  readonly text: string
  /** JSON pointers of the replaced values; one empty pointer if the text is not JSON. */
  readonly places: readonly string[]
  /** Maps a position of the old text to the new one. */
  readonly moved: (position: number) => number
}

/** The format of a body: JSON, events with JSON, a form, other text, or binary. */
export type TextForm = 'json' | 'events' | 'form' | 'text' | 'bytes'

const maxSignature = 2000
const maxPlaces = 200

/** Texts are bytes as Latin-1: positions in a text equal positions in the bytes. */
export function redactText(text: string, form: TextForm, secrets: Secrets): Redacted {
  const edits =
    form === 'bytes' ? [] : [...fieldEdits(text, form, secrets), ...queryEdits(text, form, secrets)]
  for (const { start, end } of edits)
    if (end - start < maxSignature) secrets.learnSigned(text.slice(start, end))
  for (const spelling of secrets.spellings()) findSpelling(text, spelling, edits)
  if (edits.length === 0) return { text, places: [], moved: (position) => position }
  const merged = merge(edits)
  return {
    text: apply(text, merged),
    places: form === 'json' ? pointersOf(text, merged) : [''],
    moved: (position) => move(position, merged),
  }
}

function findSpelling(text: string, { text: secret, instead }: Spelling, edits: Edit[]): void {
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
    edits.push({ start: at, end: at + secret.length, instead })
}

function fieldEdits(text: string, form: TextForm, secrets: Secrets): Edit[] {
  const edits: Edit[] = []
  const scan = (from: number, to: number): void =>
    scanJson(
      text,
      ({ start, end, kind, name }) => {
        const rule = secrets.isField(name)
        if (rule === 'any' || (rule === 'text' && kind === 'string'))
          edits.push({ start, end, instead: `"${redactedWord}"` })
      },
      from,
      to,
    )
  if (form === 'json') scan(0, text.length)
  if (form === 'events')
    for (const { index, 0: line } of text.matchAll(/^data: ?[{[].*$/gm))
      scan(index + line.search(/[{[]/), index + line.length)
  if (form === 'form')
    for (const { index, 0: all, 1: name = '', 2: value = '' } of text.matchAll(formField))
      if (secrets.isQuery(name))
        edits.push({
          start: index + all.length - value.length,
          end: index + all.length,
          instead: redactedWord,
        })
  return edits
}

const formField = /\bname="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)/g

// A URL may be in JSON that escapes `&`, in HTML, or in the query of another URL.
const separator = String.raw`[?&]|\\+u0026|\\+u003f|&amp;|%(?:25)*(?:3f|26)`
const equals = String.raw`=|%(?:25)*3d|\\+u003d`
const names = new RegExp(`(?:${separator})([\\w.%~-]{1,100}?)(?:${equals})`, 'gi')
const namesOfForm = new RegExp(`(?:^|${separator})([\\w.%~-]{1,100}?)(?:${equals})`, 'gi')
const ends = /[&\s"'<>#]|\\+(?![\\/]|u00)|\\+u00(?:26|22|27|3c|3e|23)|%(?:25)*(?:26|23|22)|$/gi
const password = /:\/\/([^/\s"'@\\]+:[^/\s"'@\\]+)@/g

function queryEdits(text: string, form: TextForm, secrets: Secrets): Edit[] {
  const edits: Edit[] = []
  for (const { index, 0: all, 1: name = '' } of text.matchAll(form === 'form' ? namesOfForm : names)) {
    if (!secrets.isQuery(name)) continue
    const start = index + all.length
    ends.lastIndex = start
    const end = ends.exec(text)?.index ?? text.length
    if (end > start) edits.push({ start, end, instead: redactedWord })
  }
  for (const { index, 1: both = '' } of text.matchAll(password))
    edits.push({ start: index + 3, end: index + 3 + both.length, instead: redactedWord })
  return edits
}

/** In order; overlapping ones are merged. */
function merge(edits: readonly Edit[]): Edit[] {
  const merged: Edit[] = []
  for (const edit of [...edits].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || edit.start >= last.end) merged.push(edit)
    else if (edit.end > last.end) merged[merged.length - 1] = { ...last, end: edit.end }
  }
  return merged
}

function apply(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, instead } of edits) {
    parts.push(text.slice(at, start), instead)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

function move(position: number, edits: readonly Edit[]): number {
  let grown = 0
  for (const { start, end, instead } of edits) {
    if (position <= start) break
    // A boundary inside a replaced value moves to its end.
    if (position < end) return start + grown + instead.length
    grown += instead.length - (end - start)
  }
  return position + grown
}

function pointersOf(text: string, edits: readonly Edit[]): string[] {
  const places = new Set<string>()
  const left = [...edits]
  scanJson(text, ({ start, end, pointer }) => {
    while (left[0] !== undefined && left[0].end <= end) {
      const inside = (left.shift() as Edit).start >= start && places.size < maxPlaces
      places.add(inside ? pointer() : '')
    }
  })
  if (left.length > 0) places.add('')
  return [...places]
}
