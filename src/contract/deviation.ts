/** What a gateway does otherwise than its contract says. */

export type DeviationKind =
  | 'missing'
  | 'type'
  | 'value'
  | 'extra'
  | 'status'
  | 'envelope'
  | 'order'
  | 'format'

/**
 * `breaking`: a client that follows the contract can fail. `doubtful`: the contract is silent or unclear, but
 * clients of this family rely on it. `addition`: more than the contract names; it never counts.
 */
export type Severity = 'breaking' | 'doubtful' | 'addition'

export interface Deviation {
  /** As `videos.retrieve`. */
  readonly operation: string
  /** Of the contract or of the wire formats: `contract 2.3`, `wire-formats 2.4`. */
  readonly section: string
  readonly where: 'status' | 'headers' | 'body' | 'stream'
  /** A JSON pointer into the body or the event, to the first place of its kind; empty for the whole. */
  readonly pointer: string
  /** Which event of the stream, counted from 0: the first one of its kind. */
  readonly event?: number
  readonly kind: DeviationKind
  readonly severity: Severity
  readonly expected: string
  readonly got: string
}
