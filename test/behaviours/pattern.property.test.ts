/** Patterns of users and clients: they match as RegExp does, whatever the text, and none can take long. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PatternProblem, readPattern } from '../../src/behaviours/pattern/read-pattern.ts'
import { count } from '../_counts.ts'

describe('a text is searched as RegExp does', () => {
  it.each([
    ['(?<=\\$)\\d+', 'it costs $42'],
    ['(?<=^|,)(?:fox|wolf)(?=,|$)', 'cat,fox'],
    ['^(?=.*[a-z])(?!.*\\s)\\S{8,}$', 'correct-horse'],
    ['(?<year>\\d{4})-(?<month>\\d\\d)', 'on 2026-01-02'],
    ['\\p{Lu}\\p{Ll}+', 'grüße, Ärger'],
    ['^\\u{1F600}.$', '😀😀'],
  ])('%s in %j', (pattern, text) => {
    const { matches, walks } = readPattern(pattern)
    const expected = new RegExp(pattern, 'u').test(text)
    expect({ matches: matches(text), walks: walks(text) }).toEqual({ matches: expected, walks: expected })
  })

  const { pattern: patterns } = fc.letrec<{ pattern: string; element: string }>((tie) => ({
    element: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('a', 'b', '1', '.', '\\w', '\\s', '[ab]', '[^a]', '\\b', '\\B', '^', '$', 'é'),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{2,}?', '*?', '{0}'))
        .map(([inner, quantifier]) => `(?:${inner})${quantifier}`),
      fc
        .tuple(fc.constantFrom('(?:', '(', '(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
        .map(([open, inner]) => `${open}${inner})`),
    ),
    pattern: fc
      .array(fc.array(tie('element'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((alternatives) => alternatives.map((one) => one.join('')).join('|')),
  }))

  it('whatever the pattern', () => {
    fc.assert(
      fc.property(
        patterns,
        fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é', '\n'), maxLength: 7 }),
        (pattern, text) => {
          const { matches, walks } = readPattern(pattern)
          const expected = new RegExp(pattern, 'u').test(text)
          expect([matches(text), walks(text)], `${pattern} in ${JSON.stringify(text)}`).toEqual([
            expected,
            expected,
          ])
        },
      ),
      { numRuns: count(1000) },
    )
  })
})

describe('work is bounded', () => {
  const many = 'a'.repeat(20_000)
  it.each([
    ['^(a+)+$', `${many}!`, many],
    ['(?:a|a)*b', many, `${many}b`],
    ['(?<=(a+)+!)b', `${many}b`, `${many}!b`],
    ['(?=(?:a*)*b)a+', many, `${many}b`],
    ['(.*)*=(.*)*', many, `${many}=${many}`],
    ['a+ items', many, `${many} items`],
  ])('%s takes steps in proportion to the text', (pattern, missing, there) => {
    const { matches, size } = readPattern(pattern)
    const steps = 4 * size * missing.length
    expect([matches(missing, steps), matches(there, 2 * steps)]).toEqual([false, true])
  })

  it.each([
    ['(a)\\1', 'backreferences are not supported by the simulator; write out the alternatives'],
    ['(?<one>a)\\k<one>', 'backreferences'],
    ['a{10000}', 'write smaller counts in {}'],
    ['(?:a{1,100}){1,100}', 'write smaller counts in {}'],
  ])('%s is refused', (pattern, message) => {
    expect(() => readPattern(pattern)).toThrow(PatternProblem)
    expect(() => readPattern(pattern)).toThrow(message)
  })
})
