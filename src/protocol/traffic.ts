/** The load of a server: the size of unread responses, and facts about its process. */

/** Bytes in transit through a server, counted by integrations with sockets, else zero. */
export interface Traffic {
  /** Unread bytes of large responses and open streams. */
  unread: number
  /** Estimated bytes of media that are being rendered for JSON responses. */
  rendering: number
  /** Bytes of large request bodies of pending calls. */
  arriving: number
  limits: TrafficLimits
}

/** Bounds on data in transit: to clients that do not read, and from clients that send. */
export interface TrafficLimits {
  /** The approximate maximum size of a chat response. */
  readonly responseBytes: number
  /** The maximum number of unread bytes in open streams and large responses, across all clients. */
  readonly unreadBytes: number
  /** How long a client may leave data unread, in real milliseconds; then its connection is reset. */
  readonly unreadFor: number
  /** The maximum total size of the request bodies over 1 MiB that are in flight. */
  readonly arrivingBytes: number
}

const mebibyte = 1024 * 1024

export const trafficLimits: TrafficLimits = {
  responseBytes: 16 * mebibyte,
  unreadBytes: 256 * mebibyte,
  unreadFor: 30_000,
  arrivingBytes: 512 * mebibyte,
}

/** Responses up to this size in bytes are always sent, whatever the load. */
export const smallResponse = 64 * 1024

/** What a server says of its own process, which the core cannot know. Types alone. */

export interface ProcessFacts {
  readonly loop: LoopFacts
  readonly memory: {
    readonly rss: number
    readonly heapUsed: number
    readonly heapTotal: number
    readonly external: number
  }
}

/** How late the event loop was, in milliseconds: calls of every client wait so long. */
export interface LoopFacts {
  readonly p50: number
  readonly p99: number
  /** Since the start. */
  readonly max: number
  /** In the last minute. */
  readonly maxLastMinute: number
  /** When it was last late enough to be noticed, in milliseconds since the epoch. */
  readonly lateAt: number | undefined
}
