/**
 * Decides questions about a state: one of several options, a place on a scale, true or false (contract 2.9).
 * Knows the formulas and how to read words; nothing of the wire, of models or of usage.
 *
 * A fake that helps: where the words of the state speak for an answer, that answer gets the mass; where they
 * say nothing, keyed chance decides. How words speak:
 * - *choice*: the words of an option's label and description stand in the state. Words that several options
 * share count less, words that
 *   stand in all options nothing. Denied words speak against ("does not want a refund"), words of the same family for it ("charged" for
 *   billing). A catch-all (`other`, `none`, …) wins where nothing else is spoken for; `yes` and `no` are decided as noul is.
 * - *score*: the same with the words of the levels, and their neighbours get a little. Levels that are not
 * spoken for leave it to the
 *   instructions: the more they are true, the higher the level.
 * - *noul*: the words of the instructions stand in the state, affirmed or denied alike; the description of
 * true or of false stands there.
 */
import type { Random } from '../../engine/random.ts'
import { confidenceOf, expectedPlace, roundShares, type Shares, wholeOf } from './shares.ts'
import { type Term, termsOf } from './terms.ts'
import { type Reading, read, textOf, weightOf } from './word-match.ts'

/** Text or a JSON value: state, instructions, descriptions. */
export type Entry = string | readonly unknown[] | Readonly<Record<string, unknown>>

export type Question =
  | {
      readonly type: 'choice'
      readonly instructions?: Entry | null | undefined
      readonly criteria: Readonly<Record<string, Entry | null>>
    }
  | {
      readonly type: 'score'
      readonly instructions?: Entry | null | undefined
      readonly criteria: readonly Entry[]
    }
  | {
      readonly type: 'noul'
      readonly instructions?: Entry | null | undefined
      readonly criteria?:
        | { readonly true?: Entry | undefined; readonly false?: Entry | undefined }
        | null
        | undefined
    }

export type Answer =
  | {
      readonly type: 'choice'
      readonly choice: string
      readonly probabilities: Readonly<Record<string, number>>
      readonly confidence: number
    }
  | {
      readonly type: 'score'
      readonly score: number
      readonly legend: Readonly<Record<string, Entry>>
      readonly probabilities: Readonly<Record<string, number>>
      readonly confidence: number
    }
  | { readonly type: 'noul'; readonly noul: number }

/** Reads a state once for all questions about it. */
export function readState(state: unknown): Reading {
  return read(state)
}

/**
 * The answer to one question. `random` must belong to the state and this question alone; `decimals` is the
 * shown place. Probabilities add up to exactly one, `choice` is the largest of them (of equals the first as
 * sent; labels that are whole numbers are sorted by JSON.parse before anybody here sees them), confidence and
 * score follow from the shown probabilities (wire-formats section 9).
 */
export function decide(question: Question, state: Reading, random: Random, decimals: number): Answer {
  switch (question.type) {
    case 'choice': {
      const labels = Object.keys(question.criteria)
      const shares = roundShares(choiceWeights(question, labels, state, random), decimals)
      return {
        type: 'choice',
        choice: labels[shares.largest] as string,
        probabilities: shown(labels, shares),
        confidence: confidenceOf(shares),
      }
    }
    case 'score': {
      const places = question.criteria.map((_, at) => String(at))
      const shares = roundShares(scoreWeights(question, state, random), decimals)
      return {
        type: 'score',
        score: expectedPlace(shares),
        legend: Object.fromEntries(places.map((place, at) => [place, question.criteria[at] as Entry])),
        probabilities: shown(places, shares),
        confidence: confidenceOf(shares),
      }
    }
    case 'noul': {
      const whole = wholeOf(decimals)
      return { type: 'noul', noul: Math.round(truthOf(question, state, random) * whole) / whole }
    }
  }
}

// From entries: a label may be any text, `__proto__` too.
function shown(labels: readonly string[], { units, whole }: Shares): Record<string, number> {
  return Object.fromEntries(labels.map((label, at) => [label, (units[at] as number) / whole]))
}

const catchAll =
  /^(?:others?|none(?: of (?:these|the above|them))?|unknown|unclear|neither|neutral|else|something else|n\/?a|not applicable|general|misc(?:ellaneous)?|其他|未知|无)$/
const yes = /^(?:yes|y|true|是)$/
const no = /^(?:no|n|false|否)$/

function choiceWeights(
  { instructions, criteria }: Extract<Question, { type: 'choice' }>,
  labels: readonly string[],
  state: Reading,
  random: Random,
): number[] {
  const names = labels.map((label) => label.toLowerCase().replaceAll(/[_-]+/g, ' ').trim())
  const evidence = evidenceFor(
    labels.map((label) => [termsOf(label.replaceAll('_', ' ')), termsOf(textOf(criteria[label] ?? ''))]),
    state,
  )
  const truth =
    names.some((name) => yes.test(name)) && names.some((name) => no.test(name))
      ? truthEvidence(instructions, state)
      : undefined
  const best = Math.max(...evidence)
  const spoken = names.map((name, at) => {
    const found = evidence[at] as number
    if (truth !== undefined && yes.test(name)) return found + truth - 0.5
    if (truth !== undefined && no.test(name)) return found - truth + 0.5
    return found === 0 && best < 0.25 && catchAll.test(name) ? 0.5 : found
  })
  return weightsOf(spoken, (at) => random.fork(`option ${labels[at]}`).next())
}

function scoreWeights(
  { instructions, criteria }: Extract<Question, { type: 'score' }>,
  state: Reading,
  random: Random,
): number[] {
  const evidence = evidenceFor(
    criteria.map((level) => [[], termsOf(textOf(level))]),
    state,
  )
  if (isSpoken(evidence)) {
    const near = (at: number): number => Math.max(0, evidence[at] ?? 0) * 0.3
    return weightsOf(
      evidence.map((found, at) => found + Math.max(near(at - 1), near(at + 1))),
      (at) => random.fork(`level ${at}`).next(),
    )
  }
  const truth = truthEvidence(instructions, state)
  const centre =
    (truth === undefined ? random.fork('centre').next() : sigmoid(8 * (truth - 0.5))) * (criteria.length - 1)
  const width = 0.4 + 0.5 * random.fork('width').next()
  return criteria.map((_, at) => Math.exp(-((at - centre) ** 2) / (2 * width * width)))
}

function truthOf(
  { instructions, criteria }: Extract<Question, { type: 'noul' }>,
  state: Reading,
  random: Random,
): number {
  const truth = truthEvidence(instructions, state)
  const [forTrue = 0, forFalse = 0] = evidenceFor(
    [criteria?.true, criteria?.false].map((text) => [[], termsOf(textOf(text ?? ''))]),
    state,
  )
  const chance = random.fork('noul').next()
  // Most questions about a text that does not speak of them are false; any answer can come.
  if (truth === undefined && !isSpoken([forTrue, forFalse])) return chance * chance
  return sigmoid(
    (truth === undefined ? 0 : 8 * (truth - 0.5)) + 4 * (forTrue - forFalse) + 0.6 * (chance - 0.5),
  )
}

/**
 * What speaks for each of several things, by the terms of its name and of its description: about −1 to 2, 0
 * for nothing.
 */
function evidenceFor(
  things: readonly (readonly [name: readonly Term[], description: readonly Term[]])[],
  state: Reading,
): number[] {
  const keyOf = ({ stem, denied }: Term): string => `${denied ? '-' : '+'}${stem}`
  const holders = new Map<string, number>()
  for (const [name, description] of things)
    for (const key of new Set([...name, ...description].map(keyOf)))
      holders.set(key, (holders.get(key) ?? 0) + 1)
  const weight = (term: Term): number =>
    weightOf(term) *
    (things.length === 1 ? 1 : 1 - ((holders.get(keyOf(term)) ?? 1) - 1) / (things.length - 1))
  const sums = (terms: readonly Term[]): { readonly found: number; readonly all: number } => {
    let found = 0
    let all = 0
    for (const term of terms) {
      const own = weight(term)
      found += own * state.matchOf(term)
      all += own
    }
    return { found, all }
  }
  return things.map(([name, description]) => {
    const named = sums(name)
    const described = sums(description)
    // A name counts by the share of it that stands there; a description gives examples, of which few stand
    // there.
    return (
      (named.all === 0 ? 0 : named.found / named.all) +
      clamp(0.8 * (described.found / Math.max(1, Math.sqrt(described.all))), -1, 1.2)
    )
  })
}

/**
 * How far the instructions are true of the state: −1 denied, 0 not spoken of, 1 said; undefined when none of
 * their words stands there.
 */
function truthEvidence(instructions: Entry | null | undefined, state: Reading): number | undefined {
  const terms = termsOf(textOf(instructions ?? '')).map((term) => ({
    weight: weightOf(term),
    match: state.matchOf(term),
  }))
  if (terms.every(({ match }) => match === 0)) return undefined
  const all = terms.reduce((sum, { weight }) => sum + weight, 0)
  const mean = terms.reduce((sum, { weight, match }) => sum + weight * match, 0) / all
  const telling = terms.filter(({ weight }) => weight === 1)
  const matches = (telling.length === 0 ? terms : telling).map(({ match }) => match)
  // One word that is contradicted makes the whole untrue; otherwise the best counts beside the mean, as
  // questions have words to spare.
  const lowest = Math.min(...matches)
  return (mean + (lowest < 0 ? lowest : Math.max(...matches))) / 2
}

const isSpoken = (evidence: readonly number[]): boolean => evidence.some((found) => Math.abs(found) > 0.05)

/**
 * Weights of things by what speaks for them; full evidence for one of n gives it about nine tenths, whatever
 * n is.
 */
function weightsOf(evidence: readonly number[], chance: (at: number) => number): number[] {
  const spread = isSpoken(evidence) ? 0.6 : 2.5
  const logits = evidence.map((found, at) => found * (2.2 + Math.log(evidence.length)) + spread * chance(at))
  const top = Math.max(...logits)
  return logits.map((logit) => Math.exp(logit - top))
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))
const clamp = (x: number, least: number, most: number): number => Math.min(most, Math.max(least, x))
