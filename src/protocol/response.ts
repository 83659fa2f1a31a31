/** The response of an endpoint: faults change it, integrations send it, the journal records it. */
import { type EventRun, eventsIn } from '../engine/event-run.ts'
import type { PlannedFault, WireFault } from './chunks.ts'
import type { Media } from './media.ts'

/**
 * One server-sent event. `data` is the exact text after `data: `, so that every integration sends the same
 * bytes.
 */
export interface StreamEvent {
  /** Virtual milliseconds after the event before it (the first: after the call was taken). */
  readonly after: number
  readonly event?: string
  readonly data: string
  /** The edge renders it as base64 and puts it where `data` has `mediaMark`. */
  readonly media?: Media
  /** Sent verbatim instead of `event` and `data`: written by a script or broken by a fault. */
  readonly raw?: string
}

/** An event, or a run of them. @internal */
export type StreamItem = StreamEvent | EventRun

/**
 * Stands in a body's text for the base64 of its media, in order. Control characters that nobody writes keep
 * it apart. They are of Latin-1: a single character beyond it would double the size of the whole text.
 */
export const mediaMark = '\x8Dsim-media\x8D'

/** A placeholder in a body's text for the address of the simulator, which only the integration knows. */
export const originMark = '\x81sim-origin\x81'

/** The same without the session prefix of the call: the start of addresses in other sessions. */
export const rootMark = '\x8Fsim-root\x8F'

export type Body =
  | {
      readonly kind: 'json'
      readonly value: unknown
      readonly media?: readonly Media[]
    }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'events'
      readonly events: readonly StreamEvent[]
      /**
       * The same with runs. Whoever edits the events makes a body without them; a copy by spread would lose
       * the events, which are a getter. @internal
       */
      readonly items?: readonly StreamItem[]
    }
  | { readonly kind: 'media'; readonly media: Media; readonly download?: string }
  /**
   * Bytes that a client has uploaded; `content` is their handle. The integration answers ranges and
   * conditions (`if-match` …) by the tag and by the Unix second of the upload; `exact` when no other upload
   * to this place happened in the same second.
   */
  | {
      readonly kind: 'bytes'
      readonly content: unknown
      readonly type: string
      readonly etag: string
      readonly modified?: number
      readonly exact?: boolean
      /** It is no file, or a part of one already: neither ranges nor conditions apply. */
      readonly asIs?: boolean
    }
  | { readonly kind: 'none' }

export interface PlainResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** What faults do to it while it is sent. */
  readonly wire?: readonly WireFault[]
  /** True when the body holds `originMark` or `rootMark`. */
  readonly links?: boolean
  /** Faults from a script, with their places; the core applies them. */
  readonly faults?: readonly PlannedFault[]
  /** Virtual milliseconds between the call and the first byte. */
  readonly delay?: number
  /** True when a script breaks the contract on purpose: the response is not checked against its schema. */
  readonly offContract?: boolean
}

/** A JSON response. */
export function json(
  value: unknown,
  options: {
    status?: number
    headers?: Record<string, string>
    links?: boolean
    media?: readonly Media[]
  } = {},
): PlainResponse {
  const body: Body =
    options.media === undefined ? { kind: 'json', value } : { kind: 'json', value, media: options.media }
  const { status = 200, headers = {} } = options
  return options.links === true ? { status, headers, body, links: true } : { status, headers, body }
}

/** A stream of server-sent events. @internal */
export function events(items: readonly StreamItem[]): PlainResponse {
  return { status: 200, headers: {}, body: new EventsBody(items) }
}

// A class, because a getter in an object literal would cost every stream a closure.
class EventsBody {
  readonly kind = 'events'
  readonly items: readonly StreamItem[]
  #events: readonly StreamEvent[] | undefined

  constructor(items: readonly StreamItem[]) {
    this.items = items
  }

  /** Made for those who edit them or judge them; what sends and keeps a stream takes the items. */
  get events(): readonly StreamEvent[] {
    return (this.#events ??= eventsIn(this.items))
  }
}

/** The events of a body, with its runs where it has some. @internal */
export function itemsOf(body: Extract<Body, { kind: 'events' }>): readonly StreamItem[] {
  return body.items ?? body.events
}

/** A file. The integration adds length, `etag` and `accept-ranges`, and answers ranges. */
export function file(
  media: Media,
  options: { headers?: Record<string, string>; download?: string } = {},
): PlainResponse {
  const body: Body =
    options.download === undefined
      ? { kind: 'media', media }
      : { kind: 'media', media, download: options.download }
  return { status: 200, headers: options.headers ?? {}, body }
}

/** Headers that describe the transmission; the integration that sends the response writes them. */
export const transportHeaders: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'trailer',
  'upgrade',
  'te',
  'content-encoding',
])

/** Whether a text can be sent unchanged through every integration. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text)
}

/** The text with every other character percent-encoded. */
export function encodeHeader(text: string): string {
  return text.toWellFormed().replace(/[^\t\x20-\x7e]/gu, (character) => encodeURIComponent(character))
}
