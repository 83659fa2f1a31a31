/** Calculations are read from signs and words, and written so that a tool can evaluate them. */
import { describe, expect, it } from 'vitest'
import { expressionsOf } from '../../src/behaviours/json-schema/from-prompt/expressions.ts'
import { calculationsIn } from '../../src/behaviours/prompt/arithmetic.ts'

const written = (prompt: string, known?: number, description?: string): (string | undefined)[] =>
  calculationsIn(prompt, known).map((calculation) => expressionsOf(calculation, description)[0])

describe('a calculation', () => {
  it.each<[string, string[]]>([
    ['What is 17 times 23?', ['17 * 23']],
    ['17x23', ['17 * 23']],
    ['7.5 % of 1,200', ['0.075 * 1200']],
    ['17 % 5', ['17 % 5']],
    ['((8-2)/3)^2', ['((8 - 2) / 3) ** 2']],
    ['sixty-four divided by eight', ['64 / 8']],
    ['take 4 away from 10', ['10 - 4']],
    ['divide 9 into 81', ['81 / 9']],
    ['multiply 3 by 4, then subtract 2 from the result', ['3 * 4 - 2']],
    ['the remainder when 17 is divided by 5', ['17 % 5']],
    ['-3 squared', ['(-3) ** 2']],
    ['80 plus 15%', ['80 * 1.15']],
    ['half of 90', ['90 / 2']],
    ['the largest of 4, 9 and 2', ['max(4, 9, 2)']],
    ['3 + 4, and 5 * 6', ['3 + 4', '5 * 6']],
    ['Meet me at 10:30 on 2026-03-05', []],
    ['the 2 of us', []],
  ])('%s', (prompt, expressions) => {
    expect(written(prompt)).toEqual(expressions)
  })

  it('goes on with the number known before', () => {
    expect(written('multiply the result by 5', 12)).toEqual(['12 * 5'])
    expect(written('divide by 2', 12)).toEqual(['12 / 2'])
    expect(written('multiply the result by 5')).toEqual([])
  })

  it('is written as the description of the property asks', () => {
    const prompt = 'the square root of 2 to the power of 8'
    expect(written(prompt, undefined, 'such as "2 ^ 3"')).toEqual(['sqrt(2) ^ 8'])
    expect(written('square root of 81', undefined, 'Python code')).toEqual(['81 ** 0.5'])
    expect(written('square root of 81', undefined, 'A JavaScript expression')).toEqual(['Math.sqrt(81)'])
  })
})
