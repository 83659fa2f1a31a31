/** Durations and times as people write them. */
export const endOfTime = Date.UTC(9999, 0, 1)

/** Where dates begin: what `Date` can hold. */
const startOfTime = -8.64e15

/** A date, or a date and time with its zone: without one, the time would depend on the machine. */
const pattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/i

/**
 * Whole milliseconds since the epoch, from an ISO 8601 timestamp or a number; undefined for anything else.
 */
export function parseTimestamp(value: unknown): number | undefined {
  let timestamp = Number.NaN
  if (typeof value === 'number') timestamp = value
  if (typeof value === 'string' && pattern.test(value)) timestamp = Date.parse(value)
  return Number.isFinite(timestamp) && timestamp >= startOfTime ? Math.floor(timestamp) : undefined
}

/** Lengths of time as people write them: `350ms`, `5s`, `2m`, `1h30m`, `1d`, or a number of milliseconds. */

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The maximum duration; sums of durations stay within the range of dates. */
export const longestDuration = 36_500 * (units['d'] as number)

/** The message for a longer duration. */
export const tooLong = 'expected a duration of at most 36500d (a hundred years)'

/** The milliseconds of a duration; undefined for anything else. */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * (units[unit as string] as number)
  return Math.round(total)
}

/** Milliseconds in units: `1m30s`, `0s`, `250ms`. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms)
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = units[unit] as number
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  return text === '' ? '0s' : text
}
