/** The horizontal axis of virtual time: gaps in which nothing happens are folded to one narrow mark. */

export interface Fold {
  readonly from: number
  readonly to: number
  /** Pixels from the left edge to its middle. */
  readonly x: number
}

export interface Scale {
  /** Pixels from the left edge. Times before the first or after the last one are at the edges. */
  x(time: number): number
  /** The time at a place; inside a fold, its end. */
  timeAt(x: number): number
  readonly width: number
  readonly folds: readonly Fold[]
  /** Times to label, far enough apart. */
  readonly ticks: readonly { readonly time: number; readonly x: number }[]
}

const foldWidth = 56
const tickDistance = 80
/** A gap is folded if it is this many times as long as all others together have on average. */
const foldFactor = 8

/** The scale for the times at which something happens. */
export function createScale(times: readonly number[], width: number): Scale {
  const sorted = [...new Set(times)].sort((a, b) => a - b)
  const gaps = sorted.slice(1).map((time, at) => time - (sorted[at] as number))
  const limit = foldLimit(gaps)
  const open = gaps.filter((gap) => gap <= limit).reduce((sum, gap) => sum + gap, 0)
  const folded = gaps.filter((gap) => gap > limit).length * foldWidth
  const perMs = open === 0 ? 0 : Math.max(width - folded, width / 4) / open
  const xs = [0]
  const folds: Fold[] = []
  gaps.forEach((gap, at) => {
    const from = xs[at] as number
    const isFolded = gap > limit
    xs.push(from + (isFolded ? foldWidth : gap * perMs))
    if (isFolded)
      folds.push({ from: sorted[at] as number, to: sorted[at + 1] as number, x: from + foldWidth / 2 })
  })
  const x = (time: number): number => {
    const at = lastPlace(sorted, time)
    if (at < 0) return 0
    const next = sorted[at + 1]
    if (next === undefined) return xs[at] as number
    const share = (time - (sorted[at] as number)) / (next - (sorted[at] as number))
    return (xs[at] as number) + share * ((xs[at + 1] as number) - (xs[at] as number))
  }
  const timeAt = (place: number): number => {
    const at = lastPlace(xs, place)
    if (at < 0) return sorted[0] ?? 0
    const next = xs[at + 1]
    if (next === undefined) return sorted[at] as number
    const from = sorted[at] as number
    const to = sorted[at + 1] as number
    if (to - from > limit) return to
    return from + ((place - (xs[at] as number)) / (next - (xs[at] as number))) * (to - from)
  }
  const ticks: { time: number; x: number }[] = []
  sorted.forEach((time, at) => {
    const place = xs[at] as number
    const last = ticks.at(-1)
    if (last === undefined || place - last.x >= tickDistance) ticks.push({ time, x: place })
  })
  return { x, timeAt, width: xs.at(-1) ?? 0, folds, ticks }
}

/** The index of the last number up to a limit, in ascending numbers; -1 if there is none. */
function lastPlace(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Gaps above it are folded: those far longer than the median, if they take most of the axis. */
function foldLimit(gaps: readonly number[]): number {
  if (gaps.length < 2) return Number.POSITIVE_INFINITY
  const byLength = [...gaps].sort((a, b) => a - b)
  const median = byLength[Math.floor(byLength.length / 2)] as number
  const total = byLength.reduce((sum, gap) => sum + gap, 0)
  return Math.max(median * foldFactor, total / foldFactor / 4)
}

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** A duration for people: `2 h`, `1.5 s`, `120 ms`. */
export function durationText(ms: number): string {
  const unit = units.find(([, size]) => ms >= size)
  if (unit === undefined) return `${Math.round(ms)} ms`
  return `${Number((ms / unit[1]).toFixed(1))} ${unit[0]}`
}
