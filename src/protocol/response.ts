/** The response of an endpoint, which faults change, integrations send and the journal records. */
import { type EventRun, eventsIn } from '../engine/event-run.ts'
import type { PlannedFault, WireFault } from './chunks.ts'
import type { Media } from './media.ts'

/**
 * One server-sent event. `data` is the exact text after `data: `: every integration sends the same bytes.
 */
export interface StreamEvent {
  /** Virtual milliseconds after the previous event (the first: after the request). */
  readonly after: number
  readonly event?: string
  readonly data: string
  /** The edge renders it as base64 and inserts it at `mediaMark` in `data`. */
  readonly media?: Media
  /** Sent verbatim instead of `event` and `data`: written by a script or broken by a fault. */
  readonly raw?: string
}

/** An event, or a run of them. @internal */
export type StreamItem = StreamEvent | EventRun

/**
 * A placeholder in a body's text for the base64 of its media, in order. Its control characters do not occur
 * elsewhere. They are Latin-1: a single character outside Latin-1 would double the size of the string.
 */
export const mediaMark = '\x8Dsim-media\x8D'

/** A placeholder in a body's text for the URL of the simulator, which only the integration knows. */
export const originMark = '\x81sim-origin\x81'

/** The same without the session prefix of the call: the start of URLs in other sessions. */
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
       * The same with runs. To edit the events, create a body without runs; a spread copy would lose the
       * events, which are a getter. @internal
       */
      readonly items?: readonly StreamItem[]
    }
  | { readonly kind: 'media'; readonly media: Media; readonly download?: string }
  /**
   * Uploaded bytes; `content` is their handle. The integration handles ranges and conditions (`if-match` …)
   * with the tag.
   */
  | {
      readonly kind: 'bytes'
      readonly content: unknown
      readonly type: string
      readonly etag: string
      /** Not a file, or already a part of a file: ranges and conditions do not apply. */
      readonly asIs?: boolean
    }
  /**
   * A real-time stream of the control API: until the client leaves, the integration sends what `read`
   * returns.
   */
  | {
      readonly kind: 'live'
      read(): Uint8Array
      /** The open responses, read at the same time because they can share what they send. */
      readonly readers: {
        readonly reads: Set<() => void>
        /** Stops the timer that the integration has started for all of them. */
        stop: (() => void) | undefined
      }
    }
  | { readonly kind: 'none' }

/** @internal */
export type LiveBody = Extract<Body, { readonly kind: 'live' }>

/** @internal */
export type LiveReaders = LiveBody['readers']

export interface PlainResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** The effects of faults while it is sent. */
  readonly wire?: readonly WireFault[]
  /** True if the body contains `originMark` or `rootMark`. */
  readonly links?: boolean
  /** Faults from a script, with their places; the core applies them. */
  readonly faults?: readonly PlannedFault[]
  /** Virtual milliseconds between the call and the first byte. */
  readonly delay?: number
  /** True if a script violates the contract on purpose: the response is not checked against its schema. */
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

// A class, because a getter in an object literal needs a closure per stream.
class EventsBody {
  readonly kind = 'events'
  readonly items: readonly StreamItem[]
  #events: readonly StreamEvent[] | undefined

  constructor(items: readonly StreamItem[]) {
    this.items = items
  }

  /** For editing and judging events; sending and storing a stream use the items. */
  get events(): readonly StreamEvent[] {
    return (this.#events ??= eventsIn(this.items))
  }
}

/** The events of a body, with its runs if it has some. @internal */
export function itemsOf(body: Extract<Body, { kind: 'events' }>): readonly StreamItem[] {
  return body.items ?? body.events
}

/** A file. The integration adds length, `etag` and `accept-ranges`, and handles ranges. */
export function file(media: Media, { download }: { readonly download?: string } = {}): PlainResponse {
  const body: Body = download === undefined ? { kind: 'media', media } : { kind: 'media', media, download }
  return { status: 200, headers: {}, body }
}

/** Headers of the transmission, which the integration writes. */
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

/** Whether every integration can send a string unchanged as a header value. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text)
}

/** The string with all other characters percent-encoded. */
export function encodeHeader(text: string): string {
  return text.toWellFormed().replace(/[^\t\x20-\x7e]/gu, (character) => encodeURIComponent(character))
}
