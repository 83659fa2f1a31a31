/** How well the clients of a session use the contract, as plain data. */

/**
 * `error`: breaks the contract, or pays twice. `warning`: will cause trouble in production. `hint`: worth
 * knowing, but often intended.
 */
export type Severity = 'error' | 'warning' | 'hint'

/** A call that shows a finding. */
export interface Evidence {
  /** Its number in the session's journal. */
  readonly seq: number
  readonly requestId: string
}

/** One finding about a client, with the facts of this case. */
export interface Finding {
  /** Its kind: `polled-too-fast`. */
  readonly id: string
  readonly severity: Severity
  /** What it is about: a job, a field, a request. */
  readonly subject: string
  /** What the client did, with the facts of this case. */
  readonly message: string
  /** What to do instead. */
  readonly remedy: string
  /** The section of the contract. */
  readonly section: string
  /** How often it was seen. */
  readonly times: number
  /** The first calls that show it, at most ten. */
  readonly evidence: readonly Evidence[]
}

/** The findings about the clients of a session, with their totals. */
export interface ClientReport {
  /** True when there are no errors and no warnings; there may be hints. */
  readonly ok: boolean
  /** How many calls were judged. */
  readonly calls: number
  readonly errors: number
  readonly warnings: number
  readonly hints: number
  /** Errors first, then in the order in which they were first seen. */
  readonly findings: readonly Finding[]
  /** The number of further findings; only the first 1,000 are kept. */
  readonly more: number
}
