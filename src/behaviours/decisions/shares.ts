/**
 * Probabilities rounded to a number of decimals so that they still add up to one. Calculated in whole units
 * of the last decimal (hundredths for two), so that what a client adds up is exact.
 */

export interface Shares {
  /** Whole units of the last decimal, one number per weight; they add up to `whole`. */
  readonly units: readonly number[]
  /** How many units make one: 100 for two decimals. */
  readonly whole: number
  /** The index of the first of the largest. */
  readonly largest: number
}

/** 100 for two decimals. */
export function unitsPerOne(decimals: number): number {
  return 10 ** decimals
}

/**
 * Weights (at least one, none negative, not all zero) as shares of one, rounded by the largest remainder.
 * A larger weight never gets a smaller share.
 */
export function roundShares(weights: readonly number[], decimals: number): Shares {
  const whole = unitsPerOne(decimals)
  const sum = weights.reduce((all, weight) => all + weight, 0)
  const exact = weights.map((weight) => (weight / sum) * whole)
  const units = exact.map(Math.floor)
  let remaining = whole - units.reduce((all, unit) => all + unit, 0)
  const byRemainder = exact
    .map((value, at) => ({ at, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.at - b.at)
  for (const { at } of byRemainder) {
    if (remaining <= 0) break
    units[at] = (units[at] as number) + 1
    remaining--
  }
  let largest = 0
  for (const [at, unit] of units.entries()) if (unit > (units[largest] as number)) largest = at
  return { units, whole, largest }
}

/**
 * (n·max − 1)/(n − 1) of the rounded shares, 1 for a single one; rounded alike (wire-formats section 9).
 */
export function confidenceOf({ units, whole, largest }: Shares): number {
  const n = units.length
  if (n === 1) return 1
  return Math.round((n * (units[largest] as number) - whole) / (n - 1)) / whole
}

/** Σ k·p_k of the rounded shares: the expected level, counted from 0. */
export function expectedLevel({ units, whole }: Shares): number {
  return units.reduce((sum, unit, at) => sum + at * unit, 0) / whole
}
