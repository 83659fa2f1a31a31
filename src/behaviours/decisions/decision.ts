/**
 * Decides questions about a state: one of several options, a place on a scale, true or false. An answer is
 * keyed chance: it depends on the seed, the state and the question alone. Scenarios script whatever needs
 * more.
 */
import type { Random } from '../../engine/random.ts'

/** Text or a JSON value: state, instructions, descriptions. */
export type TextOrJson = string | readonly unknown[] | Readonly<Record<string, unknown>>

export type DecisionQuestion =
  | {
      readonly type: 'choice'
      readonly instructions?: TextOrJson | null | undefined
      readonly criteria: Readonly<Record<string, TextOrJson | null>>
    }
  | {
      readonly type: 'score'
      readonly instructions?: TextOrJson | null | undefined
      readonly criteria: readonly TextOrJson[]
    }
  | {
      readonly type: 'noul'
      readonly instructions?: TextOrJson | null | undefined
      readonly criteria?:
        | { readonly true?: TextOrJson | undefined; readonly false?: TextOrJson | undefined }
        | null
        | undefined
    }

export type Decision =
  | {
      readonly type: 'choice'
      readonly choice: string
      readonly probabilities: Readonly<Record<string, number>>
      readonly confidence: number
    }
  | {
      readonly type: 'score'
      readonly score: number
      readonly legend: Readonly<Record<string, TextOrJson>>
      readonly probabilities: Readonly<Record<string, number>>
      readonly confidence: number
    }
  | { readonly type: 'noul'; readonly noul: number }

/**
 * The answer to one question. `random` must be keyed by the state and this question alone. The rounded
 * probabilities add up to exactly one, `choice` is the first of the largest, and confidence and score follow
 * from the rounded probabilities.
 */
export function decide(question: DecisionQuestion, random: Random, decimals: number): Decision {
  switch (question.type) {
    case 'choice': {
      const labels = Object.keys(question.criteria)
      const shares = roundShares(weights(labels, random), decimals)
      return {
        type: 'choice',
        choice: labels[shares.largest] as string,
        probabilities: byLabel(labels, shares),
        confidence: confidenceOf(shares),
      }
    }
    case 'score': {
      const levels = question.criteria.map((_, index) => String(index))
      const shares = roundShares(levelWeights(levels.length, random), decimals)
      return {
        type: 'score',
        score: expectedLevel(shares),
        legend: Object.fromEntries(
          levels.map((level, index) => [level, question.criteria[index] as TextOrJson]),
        ),
        probabilities: byLabel(levels, shares),
        confidence: confidenceOf(shares),
      }
    }
    case 'noul': {
      const units = unitsPerOne(decimals)
      return { type: 'noul', noul: Math.round(random.fork('noul').next() * units) / units }
    }
  }
}

function byLabel(labels: readonly string[], { units, whole }: Shares): Record<string, number> {
  return Object.fromEntries(labels.map((label, index) => [label, (units[index] as number) / whole]))
}

/** A weight for each label, which does not depend on the other labels: one of them is mostly far ahead. */
function weights(labels: readonly string[], random: Random): number[] {
  return labels.map((label) => Math.exp(4 * random.fork(`option ${label}`).next()))
}

/** Weights around one level. */
function levelWeights(count: number, random: Random): number[] {
  const centre = random.fork('centre').next() * (count - 1)
  const width = 0.4 + 0.5 * random.fork('width').next()
  return Array.from({ length: count }, (_, level) => Math.exp(-((level - centre) ** 2) / (2 * width * width)))
}

/**
 * Probabilities rounded to a number of decimals so that they still add up to one. Calculated in whole units
 * of the last decimal (hundredths for two), so that what a client adds up is exact.
 */

interface Shares {
  /** Whole units of the last decimal, one number per weight; they add up to `whole`. */
  readonly units: readonly number[]
  /** How many units make one: 100 for two decimals. */
  readonly whole: number
  /** The index of the first of the largest. */
  readonly largest: number
}

/** 100 for two decimals. */
function unitsPerOne(decimals: number): number {
  return 10 ** decimals
}

/**
 * Weights (at least one, none negative, not all zero) as shares of one, rounded by the largest remainder.
 * A larger weight never gets a smaller share.
 */
export function roundShares(weights: readonly number[], decimals: number): Shares {
  const whole = unitsPerOne(decimals)
  let sum = 0
  for (const weight of weights) sum += weight
  const units: number[] = []
  const rests: { at: number; remainder: number; weight: number }[] = []
  let remaining = whole
  for (const [at, weight] of weights.entries()) {
    const exact = (weight / sum) * whole
    const unit = Math.floor(exact)
    units.push(unit)
    rests.push({ at, remainder: exact - unit, weight })
    remaining -= unit
  }
  // Weights that differ by a last bit have the same share.
  if (remaining > 0) rests.sort((a, b) => b.remainder - a.remainder || b.weight - a.weight || a.at - b.at)
  for (const { at } of rests) {
    if (remaining <= 0) break
    units[at] = (units[at] as number) + 1
    remaining--
  }
  let largest = 0
  for (let at = 1; at < units.length; at++)
    if ((units[at] as number) > (units[largest] as number)) largest = at
  return { units, whole, largest }
}

/** (n·max − 1)/(n − 1) of the rounded shares, 1 for a single one; rounded alike. */
export function confidenceOf({ units, whole, largest }: Shares): number {
  const n = units.length
  if (n === 1) return 1
  return Math.round((n * (units[largest] as number) - whole) / (n - 1)) / whole
}

/** Σ k·p_k of the rounded shares: the expected level, counted from 0. */
export function expectedLevel({ units, whole }: Shares): number {
  return units.reduce((sum, unit, at) => sum + at * unit, 0) / whole
}
