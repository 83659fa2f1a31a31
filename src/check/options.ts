/** What a check is told, and what it needs of the world. */
import type { Spend } from '../protocol/probe.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface CheckOptions {
  /** Without a trailing slash, and without `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly spend: Spend
  /** Operations (`chat.create`) and groups (`videos.*`); empty for all. */
  readonly only?: readonly string[]
  /** The models to use, by group: `chat`. */
  readonly models?: Readonly<Record<string, string>>
  /** The longest time to wait for one job, in milliseconds. */
  readonly limit?: number
  /** The longest time for the whole check, in milliseconds: what is not sent by then is not judged. */
  readonly timeout?: number
  readonly accepted?: readonly Accepted[]
  /** Today, as `2026-01-31`: decides which accepted deviations have expired. */
  readonly today?: string
  readonly fetch?: Fetch
  readonly time?: Time
  onProgress?(probe: string, message: string): void
}

/** Time, so that tests need none. */
export interface Time {
  /** Milliseconds since any instant. */
  now(): number
  wait(ms: number): Promise<void>
}

/** A deviation that is known. All that is given must fit. */
export interface Accepted {
  /** An operation, or a group: `videos.*`. */
  readonly operation?: string | undefined
  readonly section?: string | undefined
  readonly pointer?: string | undefined
  readonly kind?: string | undefined
  readonly reason: string
  /** The last day on which it is accepted: `2026-12-31`. */
  readonly until?: string | undefined
}

export const wallTime: Time = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
}

/** Why a check could not be made at all. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
  readonly why: 'unreachable' | 'unauthorised'

  constructor(why: CheckFailure['why'], message: string) {
    super(message)
    this.why = why
  }
}
