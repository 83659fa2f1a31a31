/**
 * Decides questions about a state: one of several options, a place on a scale, true or false (contract 2.9).
 *
 * The answer whose words occur in the state is the likely one; where no word occurs, keyed chance decides.
 * Scenarios script whatever needs more than that.
 * - *choice*: the words of each option's label and description. Words that several options share count less.
 *   A catch-all (`other`, `none`, …) wins where no option has a word in the state.
 * - *score*: the words of the levels, or else of the instructions: the truer they are, the higher the level.
 * - *noul*: the words of the instructions, and of the descriptions of true and false.
 */
import type { Random } from '../../engine/random.ts'
import { type StateWords, type Term, termsOf, textInside } from './state-words.ts'

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
 * probabilities add up to exactly one, `choice` is the first of the largest (JSON.parse has already sorted
 * labels that are whole numbers), and confidence and score follow from the rounded probabilities
 * (wire-formats section 9).
 */
export function decide(
  question: DecisionQuestion,
  state: StateWords,
  random: Random,
  decimals: number,
): Decision {
  switch (question.type) {
    case 'choice': {
      const labels = Object.keys(question.criteria)
      const shares = roundShares(choiceWeights(question, labels, state, random), decimals)
      return {
        type: 'choice',
        choice: labels[shares.largest] as string,
        probabilities: byLabel(labels, shares),
        confidence: confidenceOf(shares),
      }
    }
    case 'score': {
      const levels = question.criteria.map((_, index) => String(index))
      const shares = roundShares(scoreWeights(question, state, random), decimals)
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
      return { type: 'noul', noul: Math.round(probabilityOfTrue(question, state, random) * units) / units }
    }
  }
}

// Object.fromEntries, because a label may be `__proto__`.
function byLabel(labels: readonly string[], { units, whole }: Shares): Record<string, number> {
  return Object.fromEntries(labels.map((label, index) => [label, (units[index] as number) / whole]))
}

const catchAll = /^(?:others?|none|unknown|unclear|neither|neutral|else|general)$/
const yes = /^(?:yes|y|true)$/
const no = /^(?:no|n|false)$/

function choiceWeights(
  { instructions, criteria }: Extract<DecisionQuestion, { type: 'choice' }>,
  labels: readonly string[],
  state: StateWords,
  random: Random,
): number[] {
  const names = labels.map((label) => label.toLowerCase().replaceAll(/[_-]+/g, ' ').trim())
  const evidence = evidenceFor(
    labels.map((label) => ({
      name: termsOf(label.replaceAll('_', ' ')),
      description: termsOf(textInside(criteria[label] ?? '')),
    })),
    state,
  )
  const isYesOrNo = names.some((name) => yes.test(name)) && names.some((name) => no.test(name))
  const truth = isYesOrNo ? truthOf(instructions, state) : undefined
  const strongest = Math.max(...evidence)
  const adjusted = evidence.map((value, index) => {
    const name = names[index] as string
    if (truth !== undefined && yes.test(name)) return value + truth - 0.5
    if (truth !== undefined && no.test(name)) return value - truth + 0.5
    return value === 0 && strongest < 0.25 && catchAll.test(name) ? 0.5 : value
  })
  return weightsOf(adjusted, (index) => random.fork(`option ${labels[index]}`).next())
}

function scoreWeights(
  { instructions, criteria }: Extract<DecisionQuestion, { type: 'score' }>,
  state: StateWords,
  random: Random,
): number[] {
  const evidence = evidenceFor(
    criteria.map((level) => ({ name: [], description: termsOf(textInside(level)) })),
    state,
  )
  if (isConclusive(evidence)) return weightsOf(evidence, (index) => random.fork(`level ${index}`).next())
  const truth = truthOf(instructions, state)
  const position = truth === undefined ? random.fork('centre').next() : sigmoid(8 * (truth - 0.5))
  const centre = position * (criteria.length - 1)
  const width = 0.4 + 0.5 * random.fork('width').next()
  return criteria.map((_, index) => Math.exp(-((index - centre) ** 2) / (2 * width * width)))
}

function probabilityOfTrue(
  { instructions, criteria }: Extract<DecisionQuestion, { type: 'noul' }>,
  state: StateWords,
  random: Random,
): number {
  const truth = truthOf(instructions, state)
  const [forTrue = 0, forFalse = 0] =
    criteria == null
      ? []
      : evidenceFor(
          [criteria.true, criteria.false].map((text) => ({
            name: [],
            description: termsOf(textInside(text ?? '')),
          })),
          state,
        )
  const chance = random.fork('noul').next()
  // Questions that a text never mentions are mostly false, but any answer is possible.
  if (truth === undefined && !isConclusive([forTrue, forFalse])) return chance * chance
  return sigmoid(
    (truth === undefined ? 0 : 8 * (truth - 0.5)) + 4 * (forTrue - forFalse) + 0.6 * (chance - 0.5),
  )
}

/** The evidence for each candidate, from about −1 (negated) to 2; 0 when none of its words occurs. */
function evidenceFor(
  candidates: readonly { readonly name: readonly Term[]; readonly description: readonly Term[] }[],
  state: StateWords,
): number[] {
  // No stem has a hyphen.
  const termKey = ({ stem, negated }: Term): string => (negated ? `-${stem}` : stem)
  const holders = new Map<string, number>()
  for (const { name, description } of candidates) {
    const terms = description.length === 0 ? name : [...name, ...description]
    const keys = terms.map(termKey)
    for (const key of keys.length > 1 ? new Set(keys) : keys) holders.set(key, (holders.get(key) ?? 0) + 1)
  }
  // 1 for a term of one candidate alone, 0 for a term of all.
  const weight = (term: Term): number =>
    candidates.length === 1 ? 1 : 1 - ((holders.get(termKey(term)) ?? 1) - 1) / (candidates.length - 1)
  const sum = (terms: readonly Term[]): { readonly matched: number; readonly total: number } => {
    let matched = 0
    let total = 0
    for (const term of terms) {
      const share = weight(term)
      matched += share * state.matchOf(term)
      total += share
    }
    return { matched, total }
  }
  return candidates.map(({ name, description }) => {
    const byName = sum(name)
    const byDescription = sum(description)
    // The words of a name count by their share; a description lists examples, few of which occur.
    return (
      (byName.total === 0 ? 0 : byName.matched / byName.total) +
      clamp(0.8 * (byDescription.matched / Math.max(1, Math.sqrt(byDescription.total))), -1, 1.2)
    )
  })
}

/** How true the instructions are: −1 negated to 1 affirmed; undefined when none of their words occurs. */
function truthOf(instructions: TextOrJson | null | undefined, state: StateWords): number | undefined {
  const matches = termsOf(textInside(instructions ?? '')).map((term) => state.matchOf(term))
  if (matches.every((match) => match === 0)) return undefined
  const mean = matches.reduce((sum, match) => sum + match, 0) / matches.length
  // One negated word makes the whole untrue; otherwise the best match and the mean count, because questions
  // have extra words.
  const lowest = Math.min(...matches)
  return (mean + (lowest < 0 ? lowest : Math.max(...matches))) / 2
}

const isConclusive = (evidence: readonly number[]): boolean =>
  evidence.some((value) => Math.abs(value) > 0.05)

/** Weights by evidence: full evidence for one of n candidates gives it about nine tenths, whatever n is. */
function weightsOf(evidence: readonly number[], chance: (index: number) => number): number[] {
  const spread = isConclusive(evidence) ? 0.6 : 2.5
  const logits = evidence.map(
    (value, index) => value * (2.2 + Math.log(evidence.length)) + spread * chance(index),
  )
  const top = Math.max(...logits)
  return logits.map((logit) => Math.exp(logit - top))
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))
const clamp = (x: number, min: number, max: number): number => Math.min(max, Math.max(min, x))

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

/** (n·max − 1)/(n − 1) of the rounded shares, 1 for a single one; rounded alike (wire-formats section 9). */
export function confidenceOf({ units, whole, largest }: Shares): number {
  const n = units.length
  if (n === 1) return 1
  return Math.round((n * (units[largest] as number) - whole) / (n - 1)) / whole
}

/** Σ k·p_k of the rounded shares: the expected level, counted from 0. */
export function expectedLevel({ units, whole }: Shares): number {
  return units.reduce((sum, unit, at) => sum + at * unit, 0) / whole
}
