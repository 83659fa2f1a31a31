/**
 * Probabilities as a service shows them: rounded, and still one when added up.
 *
 * Everything is worked out in whole units of the last shown place (hundredths for two decimals), so that what
 * a client adds up is exact.
 */

/** Probabilities as they are shown. */
export interface Shares {
  /** Whole units of the last shown place, one for each weight; they add up to `whole`. */
  readonly units: readonly number[]
  /** How many units make one: 100 for two decimals. */
  readonly whole: number
  /** The place of the largest; of equals the first. */
  readonly largest: number
}

/** How many units of the last of so many decimals make one. */
export function wholeOf(decimals: number): number {
  return 10 ** decimals
}

/**
 * Weights (non-negative, not all zero, at least one) as shares of one, rounded by largest remainder: each is
 * rounded down, and the units that are left go to the largest remainders, of equals to the first. A larger
 * weight never gets a smaller share.
 */
export function roundShares(weights: readonly number[], decimals: number): Shares {
  const whole = wholeOf(decimals)
  const sum = weights.reduce((all, weight) => all + weight, 0)
  const exact = weights.map((weight) => (weight / sum) * whole)
  const units = exact.map(Math.floor)
  let left = whole - units.reduce((all, unit) => all + unit, 0)
  const byRemainder = exact
    .map((value, at) => ({ at, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.at - b.at)
  for (const { at } of byRemainder) {
    if (left <= 0) break
    units[at] = (units[at] as number) + 1
    left--
  }
  let largest = 0
  for (const [at, unit] of units.entries()) if (unit > (units[largest] as number)) largest = at
  return { units, whole, largest }
}

/**
 * (n·max − 1)/(n − 1) of the shown shares, 1 when there is only one; rounded to the same place (wire-formats
 * section 9).
 */
export function confidenceOf({ units, whole, largest }: Shares): number {
  const n = units.length
  if (n === 1) return 1
  return Math.round((n * (units[largest] as number) - whole) / (n - 1)) / whole
}

/** Σ k·p_k of the shown shares: the expected place, counted from 0. Exact in the shown decimals. */
export function expectedPlace({ units, whole }: Shares): number {
  return units.reduce((sum, unit, at) => sum + at * unit, 0) / whole
}
