/** Decisions: the formulas hold for every question, and chance is keyed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  confidenceOf,
  type Decision,
  type DecisionQuestion,
  decide,
  expectedLevel,
  roundShares,
} from '../../src/behaviours/decisions/decision.ts'
import { randomFrom } from '../../src/engine/random.ts'
import { runs } from '../_counts.ts'
import { choices, nouls, scores, states, wideChoices } from '../endpoints/systemone/_evaluations.ts'

function answerTo(state: unknown, question: unknown, seed = 'seed', decimals = 2): Decision {
  return decide(
    question as DecisionQuestion,
    randomFrom(`${seed} ${JSON.stringify([state, question])}`),
    decimals,
  )
}

/** A shown number in whole units of its last place: exact, as written. */
function units(shown: number, decimals: number): number {
  const written = Math.round(shown * 10 ** decimals)
  expect(written / 10 ** decimals, `${shown} has more than ${decimals} decimals`).toBe(shown)
  return written
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0)

/** What every list of shown probabilities must keep, and the confidence that follows from it. */
function checkShares(probabilities: readonly number[], confidence: number, decimals: number): void {
  const whole = 10 ** decimals
  const shown = probabilities.map((share) => units(share, decimals))
  expect(Math.min(...shown)).toBeGreaterThanOrEqual(0)
  expect(sum(shown)).toBe(whole)
  units(confidence, decimals)
  const n = probabilities.length
  const exact = n === 1 ? 1 : (n * Math.max(...probabilities) - 1) / (n - 1)
  expect(Math.abs(confidence - exact)).toBeLessThanOrEqual(0.5 / whole + 1e-9)
}

describe('formulas', () => {
  it('choice: probabilities add up to 1, the choice is the first largest, confidence = (n·max − 1)/(n − 1)', () => {
    fc.assert(
      fc.property(
        states,
        fc.oneof(choices, wideChoices),
        fc.constantFrom(1, 2, 3, 6),
        (state, question, decimals) => {
          const answer = answerTo(state, question, 'seed', decimals)
          if (answer.type !== 'choice') throw new Error(answer.type)
          const labels = Object.keys(question.criteria)
          expect(Object.keys(answer.probabilities)).toEqual(labels)
          const shares = labels.map((label) => answer.probabilities[label] as number)
          checkShares(shares, answer.confidence, decimals)
          expect(answer.choice).toBe(labels[shares.indexOf(Math.max(...shares))])
        },
      ),
      runs(300),
    )
  })

  it('score: Σ k·p_k of the shown probabilities, with the levels as sent', () => {
    fc.assert(
      fc.property(states, scores, fc.constantFrom(1, 2, 3, 6), (state, question, decimals) => {
        const answer = answerTo(state, question, 'seed', decimals)
        if (answer.type !== 'score') throw new Error(answer.type)
        const places = question.criteria.map((_, at) => String(at))
        expect(Object.keys(answer.probabilities)).toEqual(places)
        expect(places.map((place) => answer.legend[place])).toEqual(question.criteria)
        const shares = places.map((place) => answer.probabilities[place] as number)
        checkShares(shares, answer.confidence, decimals)
        expect(units(answer.score, decimals)).toBe(
          sum(shares.map((share, at) => at * units(share, decimals))),
        )
      }),
      runs(300),
    )
  })

  it('noul: a number from 0 to 1, and nothing else', () => {
    fc.assert(
      fc.property(states, nouls, fc.constantFrom(1, 2, 6), (state, question, decimals) => {
        const answer = answerTo(state, question, 'seed', decimals)
        if (answer.type !== 'noul') throw new Error(answer.type)
        expect(Object.keys(answer)).toEqual(['type', 'noul'])
        const shown = units(answer.noul, decimals)
        expect(shown).toBeGreaterThanOrEqual(0)
        expect(shown).toBeLessThanOrEqual(10 ** decimals)
      }),
      runs(300),
    )
  })

  it('rounding gives each weight its share rounded down or up, the larger never less', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 255 })
          .filter((weights) => sum(weights) > 1e-9),
        fc.integer({ min: 0, max: 6 }),
        (weights, decimals) => {
          const { units: shown, whole } = roundShares(weights, decimals)
          const total = sum(weights)
          expect(sum(shown)).toBe(whole)
          for (const [at, weight] of weights.entries()) {
            expect(Math.abs((shown[at] as number) - (weight / total) * whole)).toBeLessThanOrEqual(1 + 1e-6)
            for (const [other, lighter] of weights.entries())
              if (weight > lighter) expect(shown[at]).toBeGreaterThanOrEqual(shown[other] as number)
          }
        },
      ),
      runs(60),
    )
  })

  it.each([
    [[1, 1, 1], [34, 33, 33], 0, 0.01, 0.99],
    [[1, 1, 1, 1, 1, 1], [17, 17, 17, 17, 16, 16], 0, 0, 2.46],
    [[1.03, 1.03 + Number.EPSILON, 1.03], [33, 34, 33], 1, 0.01, 1],
    [[1, 2], [33, 67], 1, 0.34, 0.67],
    [[0, 1, 0], [0, 100, 0], 1, 1, 1],
    [[5], [100], 0, 1, 0],
  ])('weights %j are shown as %j', (weights, shown, largest, confidence, place) => {
    const shares = roundShares(weights, 2)
    expect(shares).toEqual({ units: shown, whole: 100, largest })
    expect(confidenceOf(shares)).toBe(confidence)
    expect(expectedLevel(shares)).toBe(place)
  })
})
