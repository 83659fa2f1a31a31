/** The report of a check, as plain data. */
import type { Deviation } from '../contract/laws/law.ts'

export interface ShownExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  readonly reply: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** Parsed JSON, the first characters of a text, or how many bytes there are. */
    readonly body?: unknown
  }
}

/** One way in which the gateway differs: one cause, however often it was seen. */
export interface Finding extends Deviation, ShownExchange {
  /** All that showed it; `operation` is the first. */
  readonly operations: readonly string[]
  /** The statement of the contract, where a probe was made for it. */
  readonly states?: string
  /** The probes that showed it. */
  readonly probes: readonly string[]
}

export interface AcceptedFinding extends Finding {
  readonly accepted: string
}

export interface SkippedProbe {
  readonly operation: string
  readonly probe: string
  readonly section: string
  readonly states: string
  readonly reason: string
}

export interface CheckReport {
  readonly version: 1
  readonly baseUrl: string
  readonly summary: {
    /** Probes whose replies were judged. */
    readonly checked: number
    readonly skipped: number
    /** Additions and what is accepted do not count. */
    readonly deviations: number
  }
  readonly deviations: readonly Finding[]
  /** More than the contract names. */
  readonly additions: readonly Finding[]
  readonly accepted: readonly AcceptedFinding[]
  /** Entries of the list of accepted deviations that fit none, and those whose day has passed. */
  readonly unusedAccepted: readonly string[]
  readonly expiredAccepted: readonly string[]
  readonly skipped: readonly SkippedProbe[]
  /** Every probe that was judged. */
  readonly checked: readonly CheckedProbe[]
  /** Of a recording: what its client did wrong, and the gateway is not to blame for. */
  readonly clientFaults?: readonly ClientFault[]
  /** A `gateway-sim.config.yaml` that makes the simulator behave like the gateway, where settings can. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** A request of a recording that breaks the contract itself. */
export interface ClientFault {
  readonly operation: string
  readonly source: string
  readonly faults: readonly string[]
}

export interface CheckedProbe {
  readonly operation: string
  readonly probe: string
  readonly section: string
  readonly states: string
}
