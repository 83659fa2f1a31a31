/** A fault as a plan holds it. Knows no fault. */

/** One fault with its options, in milliseconds and bytes; each kind is one file under `scenario/faults/`, which says what they are. */
export interface PlannedFault {
  readonly kind: string
  readonly [option: string]: unknown
}
