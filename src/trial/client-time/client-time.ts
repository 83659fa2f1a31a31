/** The time of a client during one run: the time by which its time-outs, back-offs and polls run. */
import type { Server } from 'node:http'
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { Simulator } from '../../index.ts'

/** Why a client was stopped while it waited. */
export type Hang =
  /** Nothing is scheduled that could end its wait. */
  | 'for ever'
  /** It waits longer than `--patience`, by its time. */
  | 'patience'

/** The simulator of a run. */
export interface RunServer {
  readonly server: Server
  readonly core: Simulator['core']
  /** The entries of the journal so far. */
  readonly entries: readonly JournalEntry[]
}

export interface ClientTime {
  /** The client's time, in milliseconds since 1970. */
  now(): number
  /** Resolves with the variables to set for the client, given those of its environment. */
  start(run: RunServer, env: Environment): Promise<Environment>
  /** Aborted, with a `Hang` as its reason, if the client has to be stopped. */
  readonly hang: AbortSignal
  /** Whether time could be fast, also at each request of the client. */
  isFast(): boolean
  close(): void
}

export type Environment = Readonly<Record<string, string | undefined>>

export function realTime(): ClientTime {
  return {
    now: Date.now,
    start: async () => ({}),
    hang: new AbortController().signal,
    isFast: () => false,
    close() {},
  }
}
