/** A recorded response as the simulator sends it: the same bytes, events with their recorded timing. */

import { defined } from '../engine/fields.ts'
import type { Exchange, ExchangeResponse } from '../exchange/exchange.ts'
import { bytesOf } from '../exchange/exchange.ts'
import { mediaType } from '../http/read-form.ts'
import { cutAt } from '../protocol/chunks.ts'
import {
  originMark,
  type Body as PlainBody,
  type PlainResponse,
  type StreamEvent,
} from '../protocol/response.ts'

/** Headers of the connection, or of the encoding. */
const notPlayed: ReadonlySet<string> = new Set([
  ...['connection', 'date', 'keep-alive', 'proxy-connection', 'set-cookie', 'trailer', 'upgrade'],
  ...['content-encoding', 'content-length', 'transfer-encoding'],
])

/** Replaces URLs of the recording by a placeholder for the simulator's URL. */
export type MarkLinks = (text: string) => string

/** For an absolute or scheme-relative URL, which may never have been requested and has no known base. */
const anyOrigin = /^(?:https?:)?[\\/]{2}[^\\/?#]*/i

/** The response of an exchange. A recorded disconnect disconnects. */
export function recordedResponse({ response, ended }: Exchange, markLinks: MarkLinks): PlainResponse {
  if (response === undefined)
    return { status: 0, headers: {}, body: { kind: 'none' }, wire: [{ instead: 'reset' }], offContract: true }
  const headers = playedHeaders(response, markLinks)
  const body = bodyOf(response, headers, markLinks)
  const wire = ended === 'completed' ? undefined : [cutAt({ afterShare: 1 }, 'close')]
  return { status: response.status, headers, body, offContract: true, links: true, ...defined({ wire }) }
}

function playedHeaders({ headers }: ExchangeResponse, markLinks: MarkLinks): Record<string, string> {
  const played: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (notPlayed.has(name) || name.startsWith(':')) continue
    const text = name === 'location' ? markLinks(value).replace(anyOrigin, originMark) : value
    const before = played[name]
    played[name] = before === undefined ? text : `${before}, ${text}`
  }
  return played
}

function bodyOf(
  response: ExchangeResponse,
  headers: Readonly<Record<string, string>>,
  markLinks: MarkLinks,
): PlainBody {
  const { status } = response
  const body = bytesOf(response.body)
  const type = mediaType(headers['content-type'])
  if (body.length === 0) return { kind: 'none' }
  const text = isText(type) ? decoded(body) : undefined
  if (text === undefined)
    return {
      kind: 'bytes',
      content: body,
      type: headers['content-type'] ?? 'application/octet-stream',
      etag: headers['etag'] ?? `"${body.length}-${response.status}"`,
      ...(status === 200 ? {} : { asIs: true }),
    }
  if (type === 'text/event-stream') return { kind: 'events', events: eventsOf(response, markLinks) }
  return { kind: 'text', text: markLinks(text) }
}

const isText = (type: string): boolean =>
  type === '' || type.startsWith('text/') || /[/+](?:json|xml|x-ndjson|javascript)$/.test(type)

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The frames of a stream, each at the time of its last byte. */
function eventsOf(response: ExchangeResponse, markLinks: MarkLinks): StreamEvent[] {
  const { chunks } = response
  const body = bytesOf(response.body)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const events: StreamEvent[] = []
  let chunk = 0
  let arrived = chunks?.[0]?.bytes ?? 0
  let before = 0
  for (const { start, end } of frames(body)) {
    while (chunks !== undefined && arrived < end && chunk < chunks.length - 1)
      arrived += chunks[++chunk]?.bytes ?? 0
    const at = Math.max(before, Math.round(chunks?.[chunk]?.at ?? 0))
    events.push({ after: at - before, ...frameOf(markLinks(decoder.decode(body.subarray(start, end)))) })
    before = at
  }
  return events
}

/** The frames that end with an empty line, and the rest. */
function* frames(body: Uint8Array): Generator<{ readonly start: number; readonly end: number }> {
  let start = 0
  let lineStart = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte !== 10 && byte !== 13) continue
    const isEmpty = at === lineStart
    if (byte === 13 && body[at + 1] === 10) at++
    lineStart = at + 1
    if (!isEmpty) continue
    yield { start, end: lineStart }
    start = lineStart
  }
  if (start < body.length) yield { start, end: body.length }
}

/** Faults can edit frames in the simulator's own format; others are sent unchanged. */
function frameOf(raw: string): Omit<StreamEvent, 'after'> {
  const plain = /^(?:event: ([^\n\r]*)\n)?data: ([^\n\r]*)\n\n$/.exec(raw)
  if (plain === null) return { data: '', raw }
  const [, event, data = ''] = plain
  return event === undefined ? { data } : { event, data }
}

/** Marks URLs of the recording, the longest first. */
export function linkMarker(bases: ReadonlySet<string>): MarkLinks {
  if (bases.size === 0) return (text) => text
  const written = [...bases].sort((a, b) => b.length - a.length).map(escapePattern)
  const pattern = new RegExp(`(?:${written.join('|')})(?=/)`, 'g')
  return (text) => text.replace(pattern, originMark)
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
