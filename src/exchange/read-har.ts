/** Reads HAR 1.2 files of any recorder. Unknown values may be missing, -1 or null. */
import * as z from 'zod'
import { fromBase64 } from '../engine/bytes.ts'
import { jsonIn, lazy } from '../engine/fields.ts'
import { safeParse } from '../protocol/expected-values.ts'
import { fieldErrors } from '../protocol/field-errors.ts'
import { fieldPath, show } from '../protocol/wording.ts'
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

const text = () => z.string().nullish()
const list = <Item extends z.ZodType>(item: Item) => z.array(item).nullish()

/** A number; HAR writes -1 for "unknown". */
const amount = () =>
  z
    .number()
    .nullish()
    .transform((value) => (value === null || value === undefined || value < 0 ? undefined : value))

const pair = () => z.object({ name: z.string(), value: text() })

const body = () => ({ text: text(), encoding: text(), _file: text() })

const content = () =>
  z.object({ ...body(), size: amount(), _chunks: list(z.tuple([z.number(), z.number()])) }).nullish()

const entrySchema = lazy(() =>
  z.object({
    startedDateTime: z
      .string()
      .refine((at) => !Number.isNaN(Date.parse(at)), 'expected a timestamp such as 2026-01-31T12:00:00.000Z'),
    time: amount(),
    timings: z.object({ send: amount(), wait: amount(), receive: amount() }).nullish(),
    request: z.object({
      method: z.string(),
      url: z.string().refine((url) => /^https?:/i.test(url) && URL.canParse(url), 'expected an absolute URL'),
      headers: list(pair()),
      postData: z.object({ ...body(), params: list(pair()) }).nullish(),
    }),
    response: z
      .object({
        // Browsers write 0 for blocked and aborted requests.
        status: z.union([z.int().min(100).max(999), z.literal([0, -1])]).nullish(),
        headers: list(pair()),
        content: content(),
        _error: text(),
      })
      .nullish(),
    _ended: z.enum(['completed', 'aborted', 'disconnected'] satisfies ExchangeEnd[]).nullish(),
    _key: text(),
    _session: text(),
    _redacted: list(z.string()),
  }),
)

type Entry = z.output<ReturnType<typeof entrySchema>>
type Body = { readonly [Name in keyof ReturnType<typeof body>]?: string | null | undefined }

const fileSchema = lazy(() => z.object({ log: z.object({ entries: z.array(z.unknown()) }) }))
const addressSchema = lazy(() => z.object({ request: z.object({ url: z.string() }) }))

/**
 * The calls of a HAR file in order. Entries other than HTTP calls (`data:`, web sockets, extensions) are
 * omitted. `source` is its name in messages. Throws `HarError` with the place of an error.
 */
export function readHar(har: string, source: string): Exchange[] {
  const { log } = parsed(fileSchema(), jsonOf(har, source), source, [])
  const keys = new Map<string, string>()
  return log.entries.flatMap((written, seq) => {
    const path = ['log', 'entries', seq]
    const { request } = parsed(addressSchema(), written, source, path)
    if (/^(?!https?:)[a-z][\w+.-]*:/i.test(request.url)) return []
    const entry = parsed(entrySchema(), written, source, path)
    const bodyOf: BodyReader = (body, place) => readBody(body ?? {}, `${source}: ${fieldPath(path)}.${place}`)
    return [{ ...exchangeOf(entry, bodyOf, keys), seq, source: `${source}, entry ${seq + 1}` }]
  })
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  source: string,
  path: readonly PropertyKey[],
): z.output<Schema> {
  const { data, error } = safeParse(schema, value)
  if (error === undefined) return data
  const [{ field, message } = { field: '', message: 'is no HAR object' }] = fieldErrors(error, value, 1)
  const place = [fieldPath(path), field].filter((part) => part !== '').join('.')
  throw new HarError(`${source}: ${place === '' ? '' : `${place}: `}${message}`)
}

function jsonOf(har: string, source: string): unknown {
  // Charles and Fiddler write a byte order mark.
  const json = har.charCodeAt(0) === 0xfeff ? har.slice(1) : har
  try {
    return JSON.parse(json)
  } catch (error) {
    const mended = withoutTornEntry(json)
    if (mended !== undefined) return mended
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

/** Reads a body at a place of the entry; undefined if it was not kept. */
type BodyReader = (body: Body | null | undefined, place: string) => ExchangeBody | undefined

function exchangeOf(entry: Entry, bodyOf: BodyReader, keys: Map<string, string>): Omit<Exchange, 'seq'> {
  const { method, url, headers, postData } = entry.request
  const sent = headersOf(headers)
  const kept = bodyOf(postData, 'request.postData')
  const isKept = kept !== undefined && kept.size > 0
  const body = isKept ? kept : (formOf(postData?.params, sent) ?? kept)
  const request: ExchangeRequest = { method: method.toUpperCase(), url, headers: sent, body }
  const response = responseOf(entry.response, bodyOf)
  return {
    at: Date.parse(entry.startedDateTime),
    ...durations(entry),
    request,
    response,
    ended: entry._ended ?? endOf(entry, response),
    key: entry._key ?? keyName(sent, keys),
    session: entry._session ?? undefined,
    redacted: entry._redacted ?? [],
  }
}

// The time before the request (queue, DNS, connecting) is not the gateway's.
function durations({ time = 0, timings }: Entry): Pick<Exchange, 'firstByteAfter' | 'endedAfter'> {
  const { send = 0, wait, receive = 0 } = timings ?? {}
  if (wait === undefined) return { firstByteAfter: time, endedAfter: time }
  return { firstByteAfter: send + wait, endedAfter: send + wait + receive }
}

function responseOf(written: Entry['response'], bodyOf: BodyReader): ExchangeResponse | undefined {
  const { status, headers, content } = written ?? {}
  if (status === undefined || status === null || status < 100) return undefined
  const size = content?.size ?? 0
  const body = bodyOf(content, 'response.content') ?? { size, isComplete: size === 0 }
  const chunks = content?._chunks?.map(([at, bytes]) => ({ at, bytes }))
  const sum = chunks?.reduce((total, { bytes }) => total + bytes, 0)
  return {
    status,
    headers: headersOf(headers),
    body,
    // The body was edited if the chunks do not add up to it.
    chunks: body.isComplete && sum === body.size ? chunks : undefined,
  }
}

/** Without pseudo headers and those of the encoding: bodies in a HAR file are decoded. */
function headersOf(pairs: Entry['request']['headers']): Headers {
  const headers = (pairs ?? []).map(({ name, value }) => [name.toLowerCase(), value ?? ''] as const)
  const coded = headers.some(([name]) => name === 'content-encoding')
  const untrue = coded ? ['content-encoding', 'transfer-encoding', 'content-length'] : ['transfer-encoding']
  return headers.filter(([name]) => !name.startsWith(':') && !untrue.includes(name))
}

function readBody({ text, encoding, _file }: Body, place: string): ExchangeBody | undefined {
  if (typeof _file === 'string')
    throw new HarError(
      `${place}: the body is in the file ${show(_file)}: record bodies in the HAR file (Playwright: ` +
        "`content: 'embed'`)",
    )
  if (typeof text !== 'string') return undefined
  if (encoding !== 'base64') return textBody(text)
  try {
    return asBody(fromBase64(text))
  } catch {
    throw new HarError(`${place}.text: expected base64 (see \`encoding\`)`)
  }
}

/** Some recorders keep only the fields of a form. The files of a multipart form are lost. */
function formOf(params: Entry['request']['headers'], headers: Headers): ExchangeBody | undefined {
  const isMultipart = headerIn(headers, 'content-type')?.startsWith('multipart/') === true
  if (!params?.length || isMultipart) return undefined
  const fields = params.map(({ name, value }): [string, string] => [name, value ?? ''])
  return textBody(new URLSearchParams(fields).toString())
}

function endOf({ response: written }: Entry, response: ExchangeResponse | undefined): ExchangeEnd {
  if (response !== undefined) return 'completed'
  return /abort|cancel/i.test(written?._error ?? '') ? 'aborted' : 'disconnected'
}

const keyHeaders: readonly string[] = ['authorization', 'x-api-key', 'x-goog-api-key']

/** Numbers API keys in order of occurrence: reports show `key-1`, not the key. */
function keyName(headers: Headers, keys: Map<string, string>): string | undefined {
  const key = headers.find(([name]) => keyHeaders.includes(name))?.[1].replace(/^bearer\s+/i, '')
  if (key === undefined || key === '') return undefined
  const name = keys.get(key) ?? `key-${keys.size + 1}`
  keys.set(key, name)
  return name
}
