/** What the control API answers about the server and its sessions. Types alone. */
import type { ClockState } from '../sessions/controls/clock.ts'

/** A session as the server shows it. */
export interface SessionState {
  readonly id: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: Readonly<Record<string, string>>
  readonly seed: string
  readonly clock: ClockState
  readonly calls: number
  readonly resources: number
  /** The number of open streams. */
  readonly open: number
  /** Whether it was created explicitly; false if its first call created it. */
  readonly asked: boolean
  /** The idle time after which it is discarded, as a duration; null for never. */
  readonly ttl: string | null
}

/** What is optional is told to those who may use the rest of the control API. */
export interface Health {
  readonly status: 'ok'
  readonly sessions?: number
  readonly session: string
  readonly calls?: number
  readonly resources?: number
  readonly scenarios?: readonly string[]
  /** How late the event loop of the server was; absent too where the simulator shares its process. */
  readonly loop?: {
    readonly maxDelayMs: number
    readonly maxDelayMsLastMinute: number
    /** When it was last late by 200 ms or more; null for never. */
    readonly lateAt: string | null
  }
}
