/** A journal as a HAR file, as far as the journal keeps what was sent: bodies up to a limit, and events. */
import { jsonIn } from '../engine/fields.ts'
import { keptOfBody } from '../engine/journal.ts'
import { detailsOf, isStream, type JournalEntry } from '../engine/journal-entry.ts'
import { isSecretHeader } from '../engine/redact.ts'
import {
  type Headers,
  harEntry,
  harFrame,
  type RecordedExchange,
  type RecordedResponse,
} from './write-har.ts'

/**
 * The ended requests as a HAR file. Its times are virtual. Response headers are not in the journal: the file
 * has those that follow from an entry (content type, request id, wait).
 */
export function journalHar(entries: readonly JournalEntry[], version: string): string {
  const { head, tail } = harFrame(version)
  const keys = new Map<string, string>()
  const lines = entries.flatMap((entry) => (entry.ended === 'open' ? [] : [lineOf(entry, keys)]))
  return `${head}${lines.join(',\n')}${tail}`
}

const encoder = new TextEncoder()

function lineOf(entry: JournalEntry, keys: Map<string, string>): string {
  const { at, method, status, caller, session } = entry
  const streamed = isStream(entry)
  const chunks = streamed ? chunksOf(entry) : undefined
  const text = entry.response ?? (streamed ? '' : undefined)
  const isLost = text === undefined || isCut(text)
  const offsets = entry.stream.map(({ offset }) => offset)
  const exchange: RecordedExchange = {
    source: '',
    startedAt: at,
    firstByteAfter: offsets[0] ?? 0,
    endedAfter: offsets.at(-1) ?? 0,
    request: {
      method: /^[\w!#$%&'*+.^`|~-]+$/.test(method) ? method : 'INVALID',
      url: urlOf(entry),
      headers: headersOf(entry),
      body: requestBody(entry),
    },
    response:
      status === 0
        ? undefined
        : {
            status,
            headers: responseHeaders(entry, text ?? '', streamed),
            body: isLost ? new Uint8Array() : encoder.encode(text),
            chunks: isLost ? undefined : chunks,
            bodyLost: isLost || undefined,
          },
    ended:
      entry.ended === 'open' || (status === 0 && entry.ended === 'completed') ? 'disconnected' : entry.ended,
    key: caller === undefined ? undefined : keyName(caller, keys),
    session,
    redacted: redactedPlaces(entry),
  }
  // Of a lost body, the journal knows neither type nor size: at least one byte.
  return JSON.stringify(harEntry(exchange, isLost ? { lostBytes: Math.max(1, text?.length ?? 0) } : {}))
}

function keyName(caller: string, keys: Map<string, string>): string {
  const name = keys.get(caller) ?? `key-${keys.size + 1}`
  keys.set(caller, name)
  return name
}

/** Paths and hosts are as clients sent them, which may be no URL. */
function urlOf({ path, headers }: JournalEntry): string {
  const url = `http://${headers['host'] ?? 'localhost'}${path}`
  if (path.startsWith('/') && URL.canParse(url)) return url
  return `http://localhost/${encodeURI(path.replace(/^\//, '').toWellFormed())}`
}

function headersOf({ headers }: JournalEntry): Headers {
  return Object.entries(headers)
}

/** JSON as it was sent. Of forms and files, the journal keeps a description. */
function requestBody(entry: JournalEntry): Uint8Array | undefined {
  const { request } = entry
  if (request === undefined || request === '' || detailsOf(entry)?.isCut === true) return undefined
  return /^(?:multipart|application\/x-www-form|image|video|audio)/i.test(entry.headers['content-type'] ?? '')
    ? undefined
    : encoder.encode(request)
}

/** Whether the text is only the beginning of the body, or of bytes that are no text. */
const isCut = (text: string): boolean => text.length >= keptOfBody || text.includes('\ufffd')

/** One chunk for each event, when it was due. What is left of a cut event arrived with the last one. */
function chunksOf({ response = '', stream }: JournalEntry): RecordedResponse['chunks'] {
  const frames = response.match(/[^]*?\n\n|[^]+$/g) ?? []
  return frames.map((frame, index) => ({
    at: (stream[index] ?? stream.at(-1))?.offset ?? 0,
    bytes: encoder.encode(frame).length,
  }))
}

function responseHeaders(entry: JournalEntry, text: string, isStream: boolean): Headers {
  const { requestId, rejection } = entry
  const type = isStream ? 'text/event-stream' : typeOf(text)
  const wait = rejection?.retryAfterMs
  return [
    ...(type === undefined ? [] : [['content-type', type] as const]),
    ...(requestId === '' ? [] : [['x-request-id', requestId] as const]),
    ...(wait === undefined ? [] : [['retry-after', String(Math.max(1, Math.ceil(wait / 1000)))] as const]),
  ]
}

function typeOf(text: string): string | undefined {
  if (text === '') return undefined
  if (jsonIn(text) !== undefined) return 'application/json'
  return /^\s*<(?:!doctype html|html)/i.test(text) ? 'text/html' : 'text/plain'
}

/** The journal shortens API keys and cookies. */
function redactedPlaces({ headers, path }: JournalEntry): string[] {
  const query = [...path.matchAll(/[?&](key|api_key|apikey|access_token)=/gi)].map(
    ([, name]) => `query:${name}`,
  )
  return [
    ...Object.keys(headers).flatMap((name) => (isSecretHeader(name) ? [`header:${name}`] : [])),
    ...query,
  ]
}
