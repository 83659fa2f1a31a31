/** What a session is, and what the registry of them can do. Types alone. */

import type { ClockMode } from '../engine/clock.ts'
import type { Forgotten } from '../engine/forgotten.ts'
import type { World } from '../engine/world.ts'
import type { IncomingCall } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Settings } from '../protocol/settings.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'
import type { SessionRules } from './rules.ts'

/** What a session is made with; what is left out is the simulator's. */
export interface SessionSpec {
  readonly seed?: string | undefined
  readonly clock?: ClockMode | undefined
  /** Virtual milliseconds since the epoch. */
  readonly start?: number | undefined
  readonly speed?: number | undefined
  readonly scenarios?: ScenarioSet | undefined
  /** Real milliseconds without a call after which it is discarded. */
  readonly ttl?: number | undefined
}

/** What a session is at its beginning. */
export interface SessionParts {
  world: World
  rules: SessionRules
  /** Where its scenarios have keys, models or limits of their own. */
  readonly settings: Settings | undefined
}

/** One session and what the doors hold open in it. */
export interface Session extends SessionParts {
  /** Ends the open streams of this session; each door adds its own. */
  readonly open: Set<(reason: Error) => void>
  /** What it was asked for with; undefined when its first call has made it. */
  readonly spec: SessionSpec | undefined
  /** Real milliseconds; kept only where there is a `ttl`. */
  usedAt: number
}

export interface SessionPage {
  readonly sessions: readonly Session[]
  /** How many come behind them. */
  readonly more: number
}

/** A session that was discarded. */
export interface DiscardedSession {
  readonly name: string
  readonly tag: string
  readonly why: string
  /** Whether it was asked for: then no call may create another in its place. */
  readonly asked: boolean
}

export interface Sessions {
  /** The session a call names, made when it is new. Throws 400 for a wrong name, or one it may not make. */
  resolve(
    call: IncomingCall,
    key: string | undefined,
    endpoint: Endpoint | undefined,
    params: Readonly<Record<string, string>>,
  ): Session
  get(name: string): Session
  find(name: string): Session | undefined
  /** What became of the session of a name; undefined when it exists, never did, or is remembered no more. */
  discarded(name: string): DiscardedSession | undefined
  /** The session of ids with this tag; undefined for none. Throws 400 for one that is no more. */
  findByTag(tag: string): Session | undefined
  /** How many there are. */
  readonly count: number
  /** In the order of creation. */
  all(): readonly Session[]
  /** Up to `limit` of those made after the one named `after`; undefined where there is none of that name. */
  page(after: string | undefined, limit: number): SessionPage | undefined
  /** Makes one; under the next free name when none is given. Throws 409 when there is one of that name. */
  make(name: string | undefined, spec: SessionSpec): Session
  /**
   * Discards one; its open streams end with an error that says so. False when there is none. The default one
   * begins anew instead.
   */
  remove(name: string): boolean
  /** Puts the session back to its beginning; its open streams end with an error that says so. */
  reset(name: string): Session
  clear(reason: Error): void
}

export interface SessionsOptions {
  /** How many are kept. */
  readonly limit: number
  /** What becomes of a name that no session has. */
  readonly unknown: 'create' | 'refuse'
  /** Reads a wall clock in milliseconds; only sessions with a `ttl` ask. */
  readonly wall: () => number
  make(name: string, tag: string, spec: SessionSpec | undefined): SessionParts
  /** Throws for what a session may not be asked for. */
  check?(spec: SessionSpec): void
  /** Hears of a world with its rules before they are given up: the session is discarded, or reset. */
  ended?(parts: SessionParts): void
  /** Counts what had to go. */
  readonly forgotten?: Forgotten
  /** Hears of a session that begins anew under the name of one that was discarded. */
  renewed?(name: string, why: string): void
}
