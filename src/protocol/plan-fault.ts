/** A fault as a plan holds it. */

/**
 * One fault with its options, in milliseconds and bytes; each kind is one file under `scenario/faults/`,
 * which says what they are.
 */
export interface PlannedFault {
  readonly kind: string
  /**
   * How many events of the reply stand before it, when a stream script names its place; the fault's own
   * option says it otherwise.
   */
  readonly eventsBefore?: number
  readonly [option: string]: unknown
}
