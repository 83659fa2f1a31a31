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
