/** Instants as people write them. */

/** Where virtual time ends: a year before years take five digits, which no client can read. */
export const endOfTime = Date.UTC(9999, 0, 1)

/** A date, or a date and time with its zone: without one, the instant would depend on the machine. */
const pattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/i

/** Whole milliseconds since the epoch, from an ISO 8601 instant or a number; undefined for anything else. */
export function parseInstant(value: unknown): number | undefined {
  const instant =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && pattern.test(value)
        ? Date.parse(value)
        : NaN
  return Number.isFinite(instant) ? Math.floor(instant) : undefined
}

/** An instant as people write it: ISO 8601, with milliseconds only where it has some. */
export function formatInstant(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}
