/** What an endpoint answers, as plain data: a fault edits it, the edge writes it, the journal keeps it. */
import type { Media } from './media.ts'
import type { WireFault } from './pieces.ts'
import type { PlannedFault } from './plan-fault.ts'

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
  /**
   * Written as it is, instead of `event` and `data`: a frame that a script spells out or a fault has broken.
   * May contain `mediaMark` too.
   */
  readonly raw?: string
}

/**
 * A placeholder in a body's text for the base64 of the reply's media, in order. Private-use characters keep
 * it apart from content.
 */
export const mediaMark = '\uE0F2sim-media\uE0F2'

/**
 * A placeholder in a body's text for the address of the simulator, which the edge alone knows.
 */
export const originMark = '\uE0F1sim-origin\uE0F1'

/** The same without the session prefix of the call: what addresses of other sessions begin with. */
export const rootMark = '\uE0F3sim-root\uE0F3'

export type Body =
  | {
      readonly kind: 'json'
      readonly value: unknown
      readonly media?: readonly Media[]
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'events'; readonly events: readonly StreamEvent[] }
  | { readonly kind: 'media'; readonly media: Media; readonly download?: string }
  /**
   * Bytes that a client has sent; `content` is their handle. The edge answers ranges and conditions
   * (`if-match` …): by the tag, and by the Unix second in which they were put there, `exact` when nothing
   * else stood there in the same second.
   */
  | {
      readonly kind: 'bytes'
      readonly content: unknown
      readonly type: string
      readonly etag: string
      readonly modified?: number
      readonly exact?: boolean
    }
  | { readonly kind: 'none' }

export interface Reply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** What faults do to it on its way out. */
  readonly wire?: readonly WireFault[]
  /** True when the body holds `originMark` or `rootMark`. */
  readonly links?: boolean
  /** Faults from a script, with their places; the core applies them. */
  readonly faults?: readonly PlannedFault[]
  /** Virtual milliseconds between the call and the first byte. */
  readonly delay?: number
  /** True when a script breaks the contract on purpose: the reply is not held against its schema. */
  readonly offContract?: boolean
}

/** A JSON reply. */
export function json(
  value: unknown,
  options: {
    status?: number
    headers?: Record<string, string>
    links?: boolean
    media?: readonly Media[]
  } = {},
): Reply {
  const body: Body =
    options.media === undefined ? { kind: 'json', value } : { kind: 'json', value, media: options.media }
  const { status = 200, headers = {} } = options
  return options.links === true ? { status, headers, body, links: true } : { status, headers, body }
}

/** A stream of server-sent events (wire-formats 1.6). */
export function events(list: readonly StreamEvent[], options: { links?: boolean } = {}): Reply {
  return {
    status: 200,
    headers: {},
    body: { kind: 'events', events: list },
    ...(options.links ? { links: true } : {}),
  }
}

/** A file. The edge adds length, `etag`, `accept-ranges` and answers ranges. */
export function file(
  media: Media,
  options: { headers?: Record<string, string>; download?: string } = {},
): Reply {
  const body: Body =
    options.download === undefined
      ? { kind: 'media', media }
      : { kind: 'media', media, download: options.download }
  return { status: 200, headers: options.headers ?? {}, body }
}
