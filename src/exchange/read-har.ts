/** Reads HAR 1.2 files of any recorder. Unknown values may be missing, -1 or null. */
import { fromBase64 } from '../engine/bytes.ts'
import { isFields, jsonIn } from '../engine/fields.ts'
import { show } from '../protocol/wording.ts'
import {
  asBody,
  type Exchange,
  type ExchangeBody,
  type ExchangeEnd,
  type ExchangeRequest,
  type ExchangeResponse,
  type Headers,
  headerIn,
  textBody,
} from './exchange.ts'
import { HarError } from './har-error.ts'

/** A value in a file and its place: `calls.har: log.entries[3].request`. */
interface Place {
  readonly value: unknown
  readonly file: string
  readonly path: string
}

function reject({ file, path }: Place, message: string): never {
  throw new HarError(`${file}: ${path === '' ? '' : `${path}: `}${message}`)
}

function field(place: Place, name: string): Place {
  const { value, file, path } = place
  const at = path === '' ? name : `${path}.${name}`
  const own = isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined
  // Some recorders write null for unknown values.
  return { value: own === null ? undefined : own, file, path: at }
}

function optionalObject(place: Place): Place | undefined {
  if (place.value === undefined) return undefined
  return isFields(place.value) ? place : reject(place, `expected an object, got ${show(place.value)}`)
}

function object(place: Place, what: string): Place {
  return optionalObject(place) ?? reject(place, `is missing: expected ${what}`)
}

function items(place: Place): Place[] {
  const { value, file, path } = place
  if (value === undefined) return []
  if (!Array.isArray(value)) return reject(place, `expected an array, got ${show(value)}`)
  return value.map((item: unknown, index) => ({ value: item, file, path: `${path}[${index}]` }))
}

function text(place: Place): string | undefined {
  const { value } = place
  if (value === undefined || typeof value === 'string') return value
  return reject(place, `expected a string, got ${show(value)}`)
}

function requiredText(place: Place, what: string): string {
  return text(place) ?? reject(place, `is missing: expected ${what}`)
}

/** A number; undefined if it is missing or negative, which HAR writes for "unknown". */
function amount(place: Place): number | undefined {
  const { value } = place
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value))
    return reject(place, `expected a number, got ${show(value)}`)
  return value < 0 ? undefined : value
}

/** Reads a file next to the HAR file: `bodies/….mp4`. */
type Files = (name: string) => Uint8Array

/**
 * The calls of a HAR file in order. Entries other than HTTP calls (`data:`, web sockets, extensions) are
 * omitted. `source` is its name in messages. Throws `HarError` with the place of an error.
 */
export function readHar(har: string, source: string, files?: Files): Exchange[] {
  const root = parse(har, source)
  const log = object(field(root, 'log'), 'a HAR object: {"log": {"entries": […]}}')
  const entries = field(log, 'entries')
  if (entries.value === undefined)
    return reject(entries, 'is missing: expected the array of recorded requests')
  const keys = new Map<string, string>()
  return items(entries).flatMap((entry, index) => {
    const exchange = readEntry(entry, `${source}, entry ${index + 1}`, files, keys)
    return exchange === undefined ? [] : [{ ...exchange, seq: index }]
  })
}

function parse(har: string, source: string): Place {
  // Charles and Fiddler write a byte order mark.
  const json = har.charCodeAt(0) === 0xfeff ? har.slice(1) : har
  const root = { file: source, path: '' }
  try {
    return { ...root, value: JSON.parse(json) as unknown }
  } catch (error) {
    const mended = withoutTornEntry(json)
    if (mended !== undefined) return { ...root, value: mended }
    let hint = (error as Error).message
    if (json.trim() === '') hint = 'the file is empty'
    if (json.startsWith('PK')) hint = 'this is a ZIP archive. Unpack the archive and use the .har file in it'
    throw new HarError(`${source} is not a HAR file, which must be JSON: ${hint}`)
  }
}

/** Parses a file without its last line: the recorder may have been killed while writing it. */
function withoutTornEntry(json: string): unknown {
  if (!json.startsWith('{"log":{"version":"1.2","creator":{"name":"gateway-sim"')) return undefined
  const end = json.lastIndexOf('\n', json.length - 2)
  return end < 0 ? undefined : jsonIn(`${json.slice(0, end).replace(/,$/, '')}\n]}}`)
}

function readEntry(
  given: Place,
  source: string,
  files: Files | undefined,
  keys: Map<string, string>,
): Omit<Exchange, 'seq'> | undefined {
  const entry = object(given, 'a recorded request')
  const asked = object(field(entry, 'request'), 'the recorded request')
  const url = field(asked, 'url')
  const address = requiredText(url, 'an absolute URL')
  if (/^(?!https?:)[a-z][\w+.-]*:/i.test(address)) return undefined
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    return reject(url, `expected an absolute URL (https://…), got ${show(address)}`)
  const request: ExchangeRequest = {
    method: requiredText(field(asked, 'method'), 'GET, POST, …').toUpperCase(),
    url: address,
    ...requestContent(asked, files),
  }
  const response = readResponse(field(entry, 'response'), files)
  return {
    source,
    at: startOf(field(entry, 'startedDateTime')),
    ...durations(entry),
    request,
    response,
    ended: endOf(entry, response),
    key: text(field(entry, '_key')) ?? keyName(request.headers, keys),
    session: text(field(entry, '_session')),
    redacted: items(field(entry, '_redacted')).map((place) => requiredText(place, 'the redacted field')),
  }
}

function startOf(place: Place): number {
  const written = requiredText(place, 'the start time of the request, such as 2026-01-31T12:00:00.000Z')
  const at = Date.parse(written)
  return Number.isNaN(at)
    ? reject(place, `expected a timestamp such as 2026-01-31T12:00:00.000Z, got ${show(written)}`)
    : at
}

// The time before the request (queue, DNS, connecting) is not the gateway's.
function durations(entry: Place): { readonly firstByteAfter: number; readonly endedAfter: number } {
  const timings = field(entry, 'timings')
  const of = (name: string): number | undefined => amount(field(timings, name))
  const whole = amount(field(entry, 'time')) ?? 0
  const wait = of('wait')
  if (wait === undefined) return { firstByteAfter: whole, endedAfter: whole }
  const firstByteAfter = (of('send') ?? 0) + wait
  return { firstByteAfter, endedAfter: firstByteAfter + (of('receive') ?? 0) }
}

function requestContent(asked: Place, files: Files | undefined): Pick<ExchangeRequest, 'headers' | 'body'> {
  const headers = headersOf(field(asked, 'headers'))
  const post = optionalObject(field(asked, 'postData'))
  if (post === undefined) return { headers: withoutCoding(headers), body: undefined }
  const kept = keptBody(post, files)
  const params = items(field(post, 'params'))
  if ((kept !== undefined && kept.size > 0) || params.length === 0)
    return { headers: withoutCoding(headers), body: kept }
  const type = headerIn(headers, 'content-type') ?? text(field(post, 'mimeType')) ?? ''
  const { body, contentType } = paramsBody(params, type)
  return {
    headers: [
      ...withoutCoding(headers).filter(([name]) => name !== 'content-type'),
      ['content-type', contentType],
    ],
    body: asBody(body),
  }
}

function readResponse(place: Place, files: Files | undefined): ExchangeResponse | undefined {
  const response = optionalObject(place)
  if (response === undefined) return undefined
  const code = field(response, 'status')
  const status = amount(code)
  // Browsers write 0 for blocked and aborted requests.
  if (status === undefined || status === 0) return undefined
  if (!Number.isInteger(status) || status < 100 || status > 999)
    return reject(code, `expected a status from 100 to 999, got ${show(status)}`)
  const content = optionalObject(field(response, 'content'))
  const size = content === undefined ? 0 : (amount(field(content, 'size')) ?? 0)
  const lost = { size, isComplete: size === 0 }
  const body = (content === undefined ? undefined : keptBody(content, files)) ?? lost
  return {
    status,
    headers: withoutCoding(headersOf(field(response, 'headers'))),
    body,
    chunks: content === undefined ? undefined : chunksOf(field(content, '_chunks'), body),
  }
}

function headersOf(place: Place): Headers {
  return items(place).flatMap((header) => {
    const name = requiredText(field(header, 'name'), 'the name of a header').toLowerCase()
    // Pseudo headers of HTTP/2 repeat the method, the URL and the status.
    return name.startsWith(':') ? [] : [[name, text(field(header, 'value')) ?? ''] as const]
  })
}

/** Drops the encoding and length headers: bodies in a HAR file are decoded. */
function withoutCoding(headers: Headers): Headers {
  const coded = headers.some(([name]) => name === 'content-encoding')
  const untrue = coded ? ['content-encoding', 'transfer-encoding', 'content-length'] : ['transfer-encoding']
  return headers.filter(([name]) => !untrue.includes(name))
}

/** The body in `text` or `_file`; undefined if it was not kept. */
function keptBody(place: Place, files: Files | undefined): ExchangeBody | undefined {
  const file = field(place, '_file')
  const name = text(file)
  if (name !== undefined) return asBody(fileBytes(name, file, files))
  const kept = text(field(place, 'text'))
  if (kept === undefined) return undefined
  const encoding = field(place, 'encoding')
  const word = text(encoding)
  if (word === undefined || word === '' || /^utf-?8$/i.test(word)) return textBody(kept)
  if (word !== 'base64') return reject(encoding, `expected base64 or no value, got ${show(word)}`)
  try {
    return asBody(fromBase64(kept))
  } catch {
    return reject(field(place, 'text'), 'expected base64 (see `encoding`)')
  }
}

function fileBytes(name: string, place: Place, files: Files | undefined): Uint8Array {
  if (name === '' || /^[\\/]|^[a-z]:|\\|\0|(?:^|\/)\.\.(?:\/|$)/i.test(name))
    return reject(place, `expected a file name relative to the HAR file's folder, got ${show(name)}`)
  if (files === undefined)
    return reject(
      place,
      `the body is in the file ${show(name)}: pass the path of the HAR file instead of its content`,
    )
  try {
    return files(name)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return reject(
      place,
      `the body file ${show(name)} cannot be read (${reason}): put it next to the HAR file`,
    )
  }
}

/** Undefined if the chunks do not add up to the body: it was edited. */
function chunksOf(place: Place, { size, isComplete }: ExchangeBody): ExchangeResponse['chunks'] {
  if (place.value === undefined) return undefined
  let sum = 0
  const chunks = items(place).map((chunk) => {
    const [at, bytes, ...more] = items(chunk).map(amount)
    if (at === undefined || bytes === undefined || more.length > 0)
      return reject(chunk, `expected [milliseconds, bytes], got ${JSON.stringify(chunk.value).slice(0, 60)}`)
    sum += bytes
    return { at, bytes }
  })
  return isComplete && sum === size ? chunks : undefined
}

const ends: readonly string[] = ['completed', 'aborted', 'disconnected'] satisfies ExchangeEnd[]

function endOf(entry: Place, response: ExchangeResponse | undefined): ExchangeEnd {
  const place = field(entry, '_ended')
  const word = text(place)
  if (word === undefined) {
    if (response !== undefined) return 'completed'
    const error = text(field(field(entry, 'response'), '_error')) ?? ''
    return /abort|cancel/i.test(error) ? 'aborted' : 'disconnected'
  }
  return ends.includes(word)
    ? (word as ExchangeEnd)
    : reject(place, `expected one of ${ends.join(', ')}, got ${show(word)}`)
}

/** Numbers API keys in order of occurrence: reports show `key-1`, not the key. */
function keyName(headers: Headers, keys: Map<string, string>): string | undefined {
  const key = headers.find(([name]) => keyHeaders.includes(name))?.[1].replace(/^bearer\s+/i, '')
  if (key === undefined || key === '') return undefined
  const name = keys.get(key) ?? `key-${keys.size + 1}`
  keys.set(key, name)
  return name
}

const keyHeaders: readonly string[] = ['authorization', 'x-api-key', 'x-goog-api-key']

/** The body, and the content type that has its boundary. The bytes of files are theirs if they were kept. */
function paramsBody(
  params: readonly Place[],
  type: string,
): { readonly body: Uint8Array; readonly contentType: string } {
  const fields = params.map((param) => ({
    name: requiredText(field(param, 'name'), 'the name of a form field'),
    value: text(field(param, 'value')) ?? '',
    fileName: text(field(param, 'fileName')),
    contentType: text(field(param, 'contentType')),
  }))
  const encoder = new TextEncoder()
  if (!/^multipart\//i.test(type)) {
    const body = new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value]))
    return {
      body: encoder.encode(body.toString()),
      contentType: type === '' ? 'application/x-www-form-urlencoded' : type,
    }
  }
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type)
  const mark = boundary?.[1] ?? boundary?.[2] ?? '----gateway-sim-recorded-form'
  const quoted = (word: string): string => word.replace(/[\r\n"]/g, encodeURIComponent)
  const parts = fields.map(({ name, value, fileName, contentType }) => {
    const file = fileName === undefined || fileName === '' ? '' : `; filename="${quoted(fileName)}"`
    const ofType =
      contentType === undefined || contentType === ''
        ? ''
        : `Content-Type: ${contentType.replace(/[\r\n]/g, '')}\r\n`
    const head = `Content-Disposition: form-data; name="${quoted(name)}"${file}\r\n${ofType}`
    return `--${mark}\r\n${head}\r\n${value}\r\n`
  })
  return {
    body: encoder.encode(`${parts.join('')}--${mark}--\r\n`),
    contentType: boundary === null ? `multipart/form-data; boundary=${mark}` : type,
  }
}
