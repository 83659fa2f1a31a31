/** Turns a response into its wire format; the same bytes for every integration. */
import type { AnsweredCall } from '../core/call-state.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { base64, isBytes } from '../engine/bytes.ts'
import { eventsIn, frameOf, isRun, streamText } from '../engine/event-run.ts'
import type { RenderedMedia } from '../media/media.ts'
import type { Chunk, WireFault } from '../protocol/chunks.ts'
import { type Media, mediaBytes } from '../protocol/media.ts'
import {
  type Body,
  itemsOf,
  mediaMark,
  originMark,
  rootMark,
  type StreamEvent,
  type StreamItem,
} from '../protocol/response.ts'
import type { Match } from '../protocol/router.ts'
import { applyWireFaults, connectionFault, setHeaders, sparesBody } from './play-response.ts'
import type { Playback, RequestContext, WireResponse } from './request-context.ts'
import { writeFile } from './write-file.ts'

/** The response on the wire. A promise only if media must be rendered. */
export function writeResponse(
  answered: AnsweredCall,
  core: SimulatorCore,
  request: RequestContext,
): WireResponse | Promise<WireResponse> {
  const { response, headers, startedAt } = answered
  const second = Math.floor(startedAt / 1000)
  if (second !== core.lastDate.second) {
    core.lastDate.second = second
    core.lastDate.text = new Date(second * 1000).toUTCString()
  }
  headers['date'] ??= core.lastDate.text
  if (request.match.group?.internal === true) allowNamedOrigin(headers, core, request.headers)
  else {
    headers['access-control-allow-origin'] = '*'
    headers['access-control-expose-headers'] = '*'
  }
  const written = writeBody(answered, core, request)
  const { wire, delay } = response
  if (wire === undefined && delay === undefined) return written
  return written instanceof Promise
    ? written.then((whole) => withFaults(whole, wire ?? []))
    : withFaults(written, wire ?? [])
}

function writeBody(
  answered: AnsweredCall,
  core: SimulatorCore,
  request: RequestContext,
): WireResponse | Promise<WireResponse> {
  const { response, headers } = answered
  const { status, body } = response
  switch (body.kind) {
    case 'json': {
      headers['content-type'] ??= 'application/json'
      const json = JSON.stringify(body.value)
      const text = response.links === true ? withLinks(json, core, request) : json
      if (body.media === undefined) return { status, headers, body: text, answered }
      return whenRendered(body.media, answered, core, request, (media) => ({
        status,
        headers,
        body: bytesWithMedia(text, media),
        answered,
      }))
    }
    case 'text': {
      headers['content-type'] ??= 'text/plain; charset=utf-8'
      return { status, headers, body: body.text, answered }
    }
    case 'none':
      return { status, headers, body: undefined, answered }
    case 'live': {
      const live = { chunks: [], ending: 'stall', whole: true, text: false, live: body } as const
      return { status, headers, body: undefined, playback: live, answered }
    }
    case 'events':
      return writeEvents(body, answered, core, request)
    case 'media':
      return whenRendered([body.media], answered, core, request, ([media]) =>
        writeFile(media as RenderedMedia, answered, request, body.download),
      )
    case 'bytes': {
      const { content, type, etag, asIs } = body
      if (asIs === true) return { status, headers, body: content as Uint8Array, answered }
      return writeFile({ bytes: content as Uint8Array, type, etag }, answered, request)
    }
  }
}

function writeEvents(
  body: Extract<Body, { kind: 'events' }>,
  answered: AnsweredCall,
  core: SimulatorCore,
  request: RequestContext,
): WireResponse | Promise<WireResponse> {
  const { response, headers, session } = answered
  const { status } = response
  headers['content-type'] ??= 'text/event-stream; charset=utf-8'
  headers['cache-control'] = 'no-cache'
  headers['x-accel-buffering'] = 'no'
  const finish = (items: readonly StreamItem[]): WireResponse => {
    const isPlayed =
      response.wire !== undefined ||
      (core.breakpoints.isArmed && isHeldByEvents(core, answered)) ||
      (session.sandbox.clock.mode !== 'auto' && items.some(({ after }) => after > 0))
    if (!isPlayed) return { status, headers, body: streamText(items), answered }
    const chunks = eventsIn(items).map(chunkOf)
    const playback: Playback = { chunks, ending: 'end', whole: true, text: true }
    return { status, headers, body: undefined, playback, answered }
  }
  const items = itemsOf(body)
  const media: Media[] = []
  for (const item of items) if (!isRun(item) && item.media !== undefined) media.push(item.media)
  if (media.length === 0) return finish(items)
  return whenRendered(media, answered, core, request, (rendered) => {
    const left = [...rendered]
    return finish(
      items.map((item) =>
        isRun(item) || item.media === undefined ? item : filled(item, [left.shift() as RenderedMedia]),
      ),
    )
  })
}

/** Whether a breakpoint holds the events of a stream, which must then be sent one by one. */
function isHeldByEvents({ breakpoints }: SimulatorCore, { entry, session }: AnsweredCall): boolean {
  const { sandbox } = session
  return breakpoints.fitting({ phase: 'event', sandbox, operation: entry.operation ?? '' }) !== undefined
}

/** The interval in milliseconds between checks for room to render media. */
const roomCheckMs = 100

/** Writes a response once its media are rendered, unless the client disconnects first. */
async function whenRendered(
  media: readonly Media[],
  answered: AnsweredCall,
  core: SimulatorCore,
  request: RequestContext,
  write: (rendered: readonly RenderedMedia[]) => WireResponse,
): Promise<WireResponse> {
  const gone = request.clientGone()
  const { traffic } = core
  // Files are shared between responses; texts with embedded media are not.
  const size =
    answered.response.body.kind === 'media' ? 0 : media.reduce((sum, one) => sum + mediaBytes(one), 0)
  try {
    while (size > 0 && traffic.unread + traffic.rendering >= traffic.limits.unreadBytes) {
      gone?.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, roomCheckMs))
    }
    traffic.rendering += size
    try {
      return write(await Promise.all(media.map((one) => core.media.render(one))))
    } finally {
      traffic.rendering -= size
    }
  } catch (error) {
    // The exchange detects and records the disconnect.
    if (!gone?.aborted || error !== gone.reason) throw error
    return { status: answered.response.status, headers: answered.headers, body: undefined, answered }
  }
}

/** Makes the links of a response absolute. */
function withLinks(text: string, core: SimulatorCore, request: RequestContext): string {
  const root = core.settings.publicUrl ?? request.address()
  // The URL comes from the client (`host`) and may contain quotes and `$&`: `replace` is not safe.
  const quoted = (address: string): string => JSON.stringify(address).slice(1, -1)
  const linked = text.split(originMark).join(quoted(root + request.prefix))
  return linked.includes(rootMark) ? linked.split(rootMark).join(quoted(root)) : linked
}

/** The response with its faults and delays. */
function withFaults(written: WireResponse, wire: readonly WireFault[]): WireResponse {
  const { headers, answered } = written
  const { delay = 0, body: response } = answered.response
  const broken = connectionFault(wire)
  // In `auto` there are no delays, except endless ones.
  const waits = delay > 0 && answered.session.sandbox.clock.mode !== 'auto'
  const held: WireResponse =
    broken !== undefined || waits
      ? { ...written, hold: { delay: waits ? delay : 0, then: broken ?? 'response' } }
      : written
  setHeaders(headers, wire)
  const whole = written.playback ?? wholePlayback(written)
  if (whole === undefined || sparesBody(wire)) return held
  const { declared, ...playback } = applyWireFaults(whole, wire, response.kind !== 'events')
  if (declared !== undefined) headers['content-length'] = String(declared)
  return { ...held, body: undefined, playback }
}

/** A body in one chunk. */
function wholePlayback(written: WireResponse): Playback | undefined {
  const { body: content } = written
  if (content === undefined) return undefined
  const text = writtenContent(written) !== undefined
  return { chunks: [{ after: 0, content, events: 0, apart: false }], ending: 'end', whole: true, text }
}

const chunkOf = (event: StreamEvent): Chunk => ({
  after: event.after,
  content: frameOf(event),
  events: 1,
  apart: false,
})

function filled(event: StreamEvent, media: readonly RenderedMedia[]): StreamEvent {
  return event.raw === undefined
    ? { ...event, data: withMedia(event.data, media) }
    : { ...event, raw: withMedia(event.raw, media) }
}

/** The text of a complete body, or its bytes if it contains files; undefined for a file response. */
export function writtenContent({ body, answered }: WireResponse): string | Uint8Array | undefined {
  return typeof body === 'string' || (answered.response.body.kind === 'json' && isBytes(body))
    ? body
    : undefined
}

/** A text with each file as base64 in place of its marker. */
function withMedia(text: string, media: readonly RenderedMedia[]): string {
  return partsWithMedia(text, media).flat().join('')
}

/**
 * The same in UTF-8. A large file is encoded once: in a string it would be joined, measured and encoded
 * again.
 */
function bytesWithMedia(text: string, media: readonly RenderedMedia[]): Uint8Array {
  const encoder = new TextEncoder()
  const parts = partsWithMedia(text, media).map(([part, file]) => [encoder.encode(part), file] as const)
  const whole = new Uint8Array(parts.reduce((sum, [part, file]) => sum + part.length + file.length, 0))
  let at = 0
  for (const [part, file] of parts) {
    whole.set(part, at)
    at += part.length
    at += encoder.encodeInto(file, whole.subarray(at)).written
  }
  return whole
}

/** The parts of a text, and the file after each as base64. A marker without a file stays. */
function partsWithMedia(text: string, media: readonly RenderedMedia[]): [part: string, file: string][] {
  const parts = text.split(mediaMark)
  return parts.map((part, at) => {
    if (at === parts.length - 1) return [part, '']
    const file = media[at]
    return file === undefined ? [part + mediaMark, ''] : [part, base64(file.bytes)]
  })
}

type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Lets a page read a response of the control API, if its origin is allowed. */
function allowNamedOrigin(
  response: Record<string, string>,
  { controlGuard }: SimulatorCore,
  { origin }: RequestHeaders,
): void {
  // A cache must not reuse the response for another origin.
  response['vary'] = 'origin'
  if (origin === undefined || !controlGuard.allowsOrigin(origin)) return
  response['access-control-allow-origin'] = origin
  response['access-control-expose-headers'] = '*'
}

// The valid characters of a response header; in-process, the request header has not been validated.
const headerValue = /^[\t\x20-\x7e]*$/

/** The response to a preflight request. */
export function answerPreflight(
  core: SimulatorCore,
  headers: RequestHeaders,
  match: Match,
): { readonly status: number; readonly headers: Record<string, string> } {
  const allow = match.kind === 'method' ? match.allowed.join(', ') : 'GET, HEAD, POST, PUT, DELETE, OPTIONS'
  const response: Record<string, string> = { allow }
  if (match.group?.internal === true) allowNamedOrigin(response, core, headers)
  else response['access-control-allow-origin'] = '*'
  if (response['access-control-allow-origin'] !== undefined) {
    const requested = headers['access-control-request-headers']
    response['access-control-allow-methods'] = allow
    response['access-control-allow-headers'] =
      requested !== undefined && headerValue.test(requested) ? requested : '*'
    response['access-control-max-age'] = '86400'
  }
  return { status: 204, headers: response }
}
