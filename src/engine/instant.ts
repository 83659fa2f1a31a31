/** Instants as people write them. */

/**
 * Where virtual time ends, with a year to spare before instants take five digits for their year, which no
 * client can read.
 */
export const endOfTime = Date.UTC(9999, 0, 1)

/**
 * A date, or a date and time with its zone: without one, the instant would depend on where the simulator
 * runs.
 */
const pattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/i

/**
 * Virtual milliseconds since the epoch of an ISO 8601 instant or of such milliseconds, whole; undefined for
 * anything else.
 */
export function parseInstant(written: unknown): number | undefined {
  const at =
    typeof written === 'number'
      ? written
      : typeof written === 'string' && pattern.test(written)
        ? Date.parse(written)
        : NaN
  return Number.isFinite(at) ? Math.floor(at) : undefined
}
