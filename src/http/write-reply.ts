/**
 * Turns a reply into what goes on the wire: status, headers, and a text, bytes or a stream still to be
 * played. The same bytes for every door.
 */

import type { AnsweredCall } from '../core/call-state.ts'
import type { SimulatorCore } from '../core/simulator.ts'
import { base64 } from '../engine/base64.ts'
import { isBytes } from '../engine/bytes.ts'
import type { RenderedMedia } from '../media/media.ts'
import { ApiError, envelope } from '../protocol/errors.ts'
import { mediaMark, originMark, rootMark, type StreamEvent, type WireInstruction } from '../protocol/reply.ts'
import type { Match } from '../protocol/router.ts'
import { holdsPart, judge, type Validators } from './conditions.ts'
import type { Hold, Piece, Playback } from './playback.ts'
import { applyRange, wholeFile } from './range.ts'
import { arrange, connectionFault, setHeaders, sparesBody } from './wire-faults.ts'

export interface WireReply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | Playback | undefined
  readonly answered: AnsweredCall
  /** What comes before the first byte, when anything does. */
  readonly hold?: Hold
}

/** What the writer must know of the request. */
export interface RequestContext {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Origin and mount path: what a link begins with, unless a public URL is set. */
  address(): string
  /** The session prefix the call came with; its links stay in its session. */
  readonly prefix: string
  /** Says when the client leaves, where that is known: what nobody waits for any more is not drawn. */
  left(): AbortSignal | undefined
}

/** The reply as it goes out. A promise only when media must be rendered. */
export function writeReply(
  exchange: AnsweredCall,
  core: SimulatorCore,
  asked: RequestContext,
  match: Match,
): WireReply | Promise<WireReply> {
  const written = writeWhole(exchange, core, asked, match)
  const { wire, delay } = exchange.reply
  if (wire === undefined && delay === undefined) return written
  return written instanceof Promise
    ? written.then((whole) => withFaults(whole, wire ?? []))
    : withFaults(written, wire ?? [])
}

/** The reply as faults and delays leave it. */
function withFaults(written: WireReply, wire: readonly WireInstruction[]): WireReply {
  const { headers, body, answered } = written
  const {
    delay = 0,
    body: { kind },
  } = answered.reply
  const broken = connectionFault(wire)
  // In `auto` nobody waits; what holds a call for ever holds it there too.
  const waits = delay > 0 && answered.session.world.clock.mode !== 'auto'
  const held: WireReply =
    broken !== undefined || waits
      ? { ...written, hold: { delay: waits ? delay : 0, then: broken ?? 'reply' } }
      : written
  setHeaders(headers, wire)
  if (body === undefined || sparesBody(wire)) return held
  const text = typeof body === 'string' || (isPlayback(body) && body.text)
  const whole: Playback = isPlayback(body)
    ? body
    : { pieces: [{ after: 0, said: body, events: 0, apart: false }], ending: 'end', whole: true, text }
  const { declared, ...playback } = arrange(whole, wire, kind !== 'events')
  if (declared !== undefined) headers['content-length'] = String(declared)
  return { ...held, body: playback }
}

function writeWhole(
  exchange: AnsweredCall,
  core: SimulatorCore,
  asked: RequestContext,
  match: Match,
): WireReply | Promise<WireReply> {
  const { reply } = exchange
  const { body } = reply
  const { headers } = exchange
  headers['date'] ??= core.httpDate(exchange.startedAt)
  if (core.settings.cors) {
    headers['access-control-allow-origin'] = '*'
    headers['access-control-expose-headers'] = '*'
  }
  const linked = (text: string, inJson: boolean): string => {
    if (reply.links !== true) return text
    const root = core.settings.publicUrl ?? asked.address()
    const base = root + asked.prefix
    // The address comes from the client (`host`): it may hold quotes, and `$&` must not mean what it means to
    // `replace`.
    const quoted = (address: string): string => (inJson ? JSON.stringify(address).slice(1, -1) : address)
    return text.replaceAll(originMark, () => quoted(base)).replaceAll(rootMark, () => quoted(root))
  }
  const drawn = <Found>(
    draw: (left: AbortSignal | undefined) => Promise<Found>,
    write: (found: Found) => WireReply,
  ): Promise<WireReply> => {
    const left = asked.left()
    return draw(left).then(write, (error: unknown) => {
      // The door finds that nobody is there, and notes it.
      if (left?.aborted && error === left.reason)
        return { status: reply.status, headers, body: undefined, exchange }
      throw error
    })
  }

  switch (body.kind) {
    case 'json': {
      headers['content-type'] ??= 'application/json'
      const text = linked(body.text ?? JSON.stringify(body.value), true)
      if (body.media === undefined) return { status: reply.status, headers, body: text, answered }
      return drawn(
        (left) => Promise.all((body.media ?? []).map((media) => core.media.render(media, left))),
        (rendered) => ({ status: reply.status, headers, body: withMedia(text, rendered), answered }),
      )
    }
    case 'text':
      headers['content-type'] ??= 'text/plain; charset=utf-8'
      return { status: reply.status, headers, body: linked(body.text, false), answered }
    case 'none':
      return { status: reply.status, headers, body: undefined, answered }
    case 'events': {
      headers['content-type'] ??= 'text/event-stream; charset=utf-8'
      headers['cache-control'] = 'no-cache'
      headers['x-accel-buffering'] = 'no'
      const finish = (list: readonly StreamEvent[]): WireReply => {
        const waits =
          reply.wire !== undefined ||
          (exchange.session.world.clock.mode !== 'auto' && list.some((event) => event.after > 0))
        return {
          status: reply.status,
          headers,
          answered,
          body: waits ? { pieces: list.map(pieceOf), ending: 'end', whole: true, text: true } : eventsText(list),
        }
      }
      if (!body.events.some((event) => event.media !== undefined)) return finish(body.events)
      return drawn(
        (left) =>
          Promise.all(
            body.events.map(async (event) =>
              event.media === undefined ? event : filled(event, [await core.media.render(event.media, left)]),
            ),
          ),
        finish,
      )
    }
    case 'media':
      return drawn(
        (left) => core.media.render(body.media, left),
        (media) =>
          withRange(
            media,
            { status: reply.status, headers, answered, body: undefined },
            asked,
            match,
            body.download,
          ),
      )
    case 'bytes':
      return withRange(
        {
          bytes: body.content as Uint8Array,
          type: body.type,
          etag: body.etag,
          modified: body.modified,
          exact: body.exact,
        },
        { status: reply.status, headers, answered, body: undefined },
        asked,
        match,
        undefined,
      )
  }
}

/** Server-sent events as text (wire-formats 1.6). */
export function eventsText(events: readonly StreamEvent[]): string {
  let text = ''
  for (const event of events) text += frameOf(event)
  return text
}

/** One event as text. */
function frameOf({ event, data, raw }: StreamEvent): string {
  if (raw !== undefined) return raw
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`
}

const pieceOf = (event: StreamEvent): Piece => ({
  after: event.after,
  said: frameOf(event),
  events: 1,
  apart: false,
})

function filled(event: StreamEvent, media: readonly RenderedMedia[]): StreamEvent {
  return event.raw === undefined
    ? { ...event, data: withMedia(event.data, media) }
    : { ...event, raw: withMedia(event.raw, media) }
}

export function isPlayback(body: WireReply['body']): body is Playback {
  return typeof body === 'object' && !isBytes(body)
}

function withMedia(text: string, media: readonly RenderedMedia[]): string {
  // One walk over the text: replacing mark after mark would copy a hundred megabytes a hundred times.
  const [first = '', ...rest] = text.split(mediaMark)
  return rest.reduce((filled, part, index) => {
    const filling = media[index]
    return `${filled}${filling === undefined ? mediaMark : base64(filling.bytes)}${part}`
  }, first)
}

function withRange(
  media: RenderedMedia & Pick<Validators, 'modified' | 'exact'>,
  written: WireReply,
  asked: RequestContext,
  match: Match,
  download: string | undefined,
): WireReply {
  const { headers } = written
  headers['content-type'] ??= media.type
  headers['accept-ranges'] = 'bytes'
  headers['etag'] = media.etag
  if (download !== undefined) headers['content-disposition'] = `inline; filename="${download}"`
  const now = Math.floor(written.answered.startedAt / 1000)
  const verdict = judge(asked.headers, media, now)
  if (verdict === 'not modified') return { ...written, status: 304 }
  if (verdict !== 'go on') {
    const wanted =
      verdict.failed === 'if-match'
        ? `expected a list with the tag ${media.etag}`
        : `expected no time before ${headers['last-modified']}, at which the file was put there`
    return refusedFile(
      new ApiError(
        'precondition_failed',
        `${verdict.failed}: ${wanted}, got ${asked.headers[verdict.failed]?.slice(0, 80)}.`,
        { param: verdict.failed },
      ),
      written,
      match,
    )
  }
  const range = holdsPart(asked.headers['if-range'], media, now)
    ? applyRange(media.bytes.length, asked.headers['range'])
    : wholeFile
  if (range.kind === 'full') return { ...written, body: media.bytes }
  if (range.kind === 'unsatisfiable') {
    headers['content-range'] = `bytes */${media.bytes.length}`
    return refusedFile(
      new ApiError(
        'range_not_satisfiable',
        `range: expected a part of the ${media.bytes.length} bytes, got ${asked.headers['range']?.slice(0, 80)}.`,
        { param: 'range' },
      ),
      written,
      match,
    )
  }
  headers['content-range'] = `bytes ${range.start}-${range.end}/${media.bytes.length}`
  return { ...written, status: 206, body: media.bytes.subarray(range.start, range.end + 1) }
}

/** A file that is there and is not handed over, in the envelope of its group. */
function refusedFile(error: ApiError, written: WireReply, match: Match): WireReply {
  const { headers } = written
  const { requestId } = written.answered.entry
  const group = match.kind === 'found' ? match.route.group : undefined
  const ids = { requestId, traceId: requestId.replace(/^req_/, 'trc_') }
  // Of the file, not of the refusal.
  delete headers['content-encoding']
  const rendered = group?.renderError(error, ids) ?? { body: envelope(error, ids.traceId) }
  Object.assign(headers, { 'content-type': 'application/json' }, rendered.headers)
  return {
    ...written,
    status: error.status,
    body: typeof rendered.body === 'string' ? rendered.body : JSON.stringify(rendered.body),
  }
}
