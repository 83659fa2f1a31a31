/** The horizontal axis of virtual time: gaps in which nothing happens are folded to one narrow mark. */

export interface Scale {
  /** Pixels from the left edge. Times before the first or after the last one are at the edges. */
  x(time: number): number
  readonly width: number
  /** The folded gaps, with the pixels from the left edge to their middle. */
  readonly folds: readonly { readonly from: number; readonly to: number; readonly x: number }[]
  /** Times to label, far enough apart. */
  readonly ticks: readonly { readonly time: number; readonly x: number }[]
}

const foldWidth = 56
const tickDistance = 80
/** A gap is folded if it is this many times as long as the median, and takes much of the axis. */
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
  const folds: Scale['folds'][number][] = []
  const ticks: Scale['ticks'][number][] = []
  sorted.forEach((time, at) => {
    const x = xs[at] as number
    if (x - (ticks.at(-1)?.x ?? Number.NEGATIVE_INFINITY) >= tickDistance) ticks.push({ time, x })
    const gap = gaps[at]
    if (gap === undefined) return
    xs.push(x + (gap > limit ? foldWidth : gap * perMs))
    if (gap > limit) folds.push({ from: time, to: time + gap, x: x + foldWidth / 2 })
  })
  const x = (time: number): number => {
    const at = sorted.findLastIndex((one) => one <= time)
    const [from, next] = [sorted[at], sorted[at + 1]]
    if (from === undefined) return 0
    if (next === undefined) return xs[at] as number
    return (
      (xs[at] as number) + ((time - from) / (next - from)) * ((xs[at + 1] as number) - (xs[at] as number))
    )
  }
  return { x, width: xs.at(-1) ?? 0, folds, ticks }
}

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
