/** A fault as a plan holds it; the file of its kind under `scenario/faults/` says what its options are. */
export interface PlannedFault {
  readonly kind: string
  /** As its schema has parsed them: defaults filled in, durations in milliseconds. */
  readonly options: object
  /** How many events come before it, when a stream script names its place; its options say it otherwise. */
  readonly eventsBefore?: number
}
