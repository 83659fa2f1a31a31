/** A fault as a plan holds it. Each kind is one file under `scenario/faults/`, which says what its options are. */
export interface PlannedFault {
  readonly kind: string
  /** As its schema has parsed them: defaults filled in, durations in milliseconds. */
  readonly options: object
  /** How many events come before it, when a stream script names its place; its options say it otherwise. */
  readonly eventsBefore?: number
}
