/**
 * The `pattern` keyword: texts that match are written. pattern.property.test.ts proves that texts are matched
 * as RegExp does, and that no pattern can make it hang.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSchemaPattern as readPattern } from '../../src/behaviours/json-schema/keyword-readers.ts'
import { patternWriter } from '../../src/behaviours/json-schema/write-pattern.ts'
import { PatternProblem } from '../../src/behaviours/pattern/read-pattern.ts'
import { randomFrom } from '../../src/engine/random.ts'
import { count } from '../_counts.ts'

const RUNS = count(500)

/** The first text written for one pattern. */
function written(patterns: string[], minLength = 0, maxLength = Infinity, key = 'a'): string | undefined {
  const writer = patternWriter(patterns.map(readPattern), minLength, maxLength)
  const random = randomFrom(key)
  for (let attempt = 0; attempt < 60; attempt++) {
    const text = writer.write(random, attempt)
    if (text !== undefined) return text
  }
  return undefined
}

describe('a pattern', () => {
  it.each([
    '^[A-Z]{3}-\\d{4}$',
    '^\\d{5}(-\\d{4})?$',
    '^#(?:[0-9a-fA-F]{3}){1,2}$',
    '^(red|green|blue)$',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^\\+[1-9]\\d{6,14}$',
    '^\\S+@\\S+\\.\\S+$',
    '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[@$!%*?&])[A-Za-z\\d@$!%*?&]{8,}$',
    '^(?!foo)[a-z]{3}$',
    '^\\p{Lu}\\p{Ll}+$',
    '^[\\p{Script=Greek}]+$',
    '^[一-龯]{2,4}$',
    'foo|bar',
    '^$',
    '',
    '\\bword\\b',
    '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
    '^[^\\s]{10,20}$',
    '^.*$',
    '^[\\w.-]+$',
    '^v\\d+\\.\\d+\\.\\d+$',
    '^[\\s\\S]*$',
    '^(a|b)*abb$',
    '^\\u{1F600}+$',
    '^a{3}b{2,}c?$',
    '^\\$\\d+(\\.\\d\\d)?$',
    '^[^A-Z]*$',
    "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
    '^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?)$',
    '^(?=[\\s\\S]*[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20E3])[\\p{Extended_Pictographic}\\p{Emoji_Component}]+$',
    '^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|::)$',
    '^[\\-a-z\\_]+$',
    '^\\w+\\-\\w+$',
  ])('%s gets a matching text', (pattern) => {
    const text = written([pattern])
    expect(text).toBeDefined()
    const flags = ((): string => {
      try {
        return new RegExp(pattern, 'u').flags
      } catch {
        return ''
      }
    })()
    expect(text).toMatch(new RegExp(pattern, flags))
  })

  it('keeps to minLength and maxLength', () => {
    expect(written(['^[a-z]+(-[a-z]+)*$'], 30, 32)).toMatch(/^(?=.{30,32}$)[a-z]+(-[a-z]+)*$/)
    expect(written(['^(ab)+$'], 7, 8)).toBe('abababab')
    expect(written(['^(ab)+$'], 7, 7)).toBeUndefined()
    expect(written(['^(abc|de)*$'], 7, 7)).toMatch(/^(abc|de)*$/)
    expect(written(['^x+$'], 500, 500)).toBe('x'.repeat(500))
  })

  it('fills up an open end to reach minLength', () => {
    const text = written(['^id-\\d+'], 2000)
    expect(text).toMatch(/^id-\d+/)
    expect(text?.length).toBeGreaterThanOrEqual(2000)
  })

  it('puts "starts with", "contains" and "ends with" together when they come as three patterns', () => {
    expect(written(['.*z$', 'q', '^ab.*'])).toMatch(/^ab.*q.*z$/)
  })

  it.each([
    ['(?<=a)b', /lookbehind/],
    ['(', /write a valid ECMAScript regular expression/],
    ['(?:a{2000}){2000}', /counts/],
    ['a'.repeat(2001), /2000 characters/],
  ])('%s is refused', (pattern, message) => {
    expect(() => readPattern(pattern)).toThrow(PatternProblem)
    expect(() => readPattern(pattern)).toThrow(message)
  })

  it.each(['^(?:){2147483647}$', '^(?:(?:a{0}){9007199254740991}){1,2}$'])(
    '%s repeats nothing, which stays nothing',
    (pattern) => {
      expect(readPattern(pattern).matches('')).toBe(true)
      expect(readPattern(pattern).matches('a')).toBe(false)
    },
  )
})

/** Patterns made of the forms that are supported, over few letters so that they often match. */
const { pattern: patternArbitrary } = fc.letrec<{ pattern: string; element: string }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      ' ',
      ...String.raw`a b 1 - . \d \w \s [ab] [^a] [a-c1-3] \b \B \W é \u{1F600}`.split(' '),
    ),
    fc
      .tuple(tie('element'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?'))
      .map(([inner, quantifier]) => (/^\\[bB]$/.test(inner) ? inner : `(?:${inner})${quantifier}`)),
    fc
      .tuple(fc.constantFrom('(?:', '(', '(?=', '(?!'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
  pattern: fc
    .tuple(
      fc.constantFrom('', '^'),
      fc.array(fc.array(tie('element'), { maxLength: 4 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '$'),
    )
    .map(
      ([start, alternatives, end]) => `${start}${alternatives.map((one) => one.join('')).join('|')}${end}`,
    ),
}))

describe('any pattern', () => {
  it('gets only texts that match, of the lengths asked for', () => {
    fc.assert(
      fc.property(patternArbitrary, fc.nat({ max: 6 }), fc.nat({ max: 10 }), (pattern, least, more) => {
        const text = written([pattern], least, least + more)
        if (text === undefined) return
        expect(text, pattern).toMatch(new RegExp(pattern, 'u'))
        expect([...text].length).toBeGreaterThanOrEqual(least)
        expect([...text].length).toBeLessThanOrEqual(least + more)
      }),
      { numRuns: RUNS },
    )
  })

  it('without lookaheads and word edges gets a text whenever one of the length exists', () => {
    fc.assert(
      fc.property(
        patternArbitrary.filter((pattern) => !/\\[bB]|\(\?[=!]|.\^|\$./.test(pattern)),
        fc.nat({ max: 5 }),
        (pattern, length) => {
          if (written([`^(?:${pattern.replace(/^\^|\$$/g, '')})$`], length, length) !== undefined) return
          const exists = everyText(length).some((text) =>
            new RegExp(`^(?:${pattern.replace(/^\^|\$$/g, '')})$`, 'u').test(text),
          )
          expect(exists, `${pattern} of length ${length}`).toBe(false)
        },
      ),
      { numRuns: RUNS },
    )
  })
})

/** All texts of a length over the letters that tell the elements apart. */
function everyText(length: number): string[] {
  return length === 0
    ? ['']
    : everyText(length - 1).flatMap((text) =>
        ['a', 'b', '1', '-', ' ', 'é', '😀'].map((letter) => text + letter),
      )
}
