/**
 * A text with very many errors, or made to be large: the first errors are told, and nothing is worked out
 * for the others.
 */
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { ConfigError, createSimulator, ScenarioError, type SettingsInput } from '../../src/index.ts'
import { nearestWord } from '../../src/protocol/nearest-word.ts'
import { type Scenario, scenarioOf } from '../../src/scenario/load/scenario.ts'

const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml')
const read = (text: string): Scenario => scenarioOf(text, 'story.yaml', undefined, yaml, gatewayApi().reader)

function rejection(text: string): ScenarioError {
  try {
    read(text)
  } catch (error) {
    if (error instanceof ScenarioError) return error
    throw error
  }
  throw new Error('This text has no errors.')
}

const times = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('')

/** A rule whose response has 200 fields that no response has. */
const patch = `- when: { operation: chat.create }\n  then:\n    patch:\n${times(200, (n) => `      k${n}: 1\n`)}`

describe('of very many errors the first fifty are reported', () => {
  it.each([
    ['unknown keys', `title: a\n${times(200, (n) => `key${n}: 1\n`)}`],
    ['duplicate keys', `title: a\n${times(200, () => 'seed: b\n')}`],
    ['rules without a response', `title: a\nrules:\n${times(200, () => '- id: a\n')}`],
    ['duplicate ids', `title: a\nrules:\n${times(200, () => '- { id: a, then: { text: b } }\n')}`],
    [
      'undeclared flags',
      `title: a\nrules:\n${times(200, (n) => `- { then: { setState: { s${n}: x } } }\n`)}`,
    ],
    ['unknown response fields', `title: a\nrules:\n${times(3, () => patch)}`],
    ['merge keys', `a: &a { b: 1 }\n${times(600, (n) => `m${n}: { <<: *a }\n`)}`],
    ['lines that are not YAML', times(200, () => '}\n')],
    ['undefined aliases', `title: a\nrules:\n${times(200, () => '- *a\n')}`],
  ])('%s', (_, text) => {
    const { errors, message } = rejection(text)
    expect(errors).toHaveLength(50)
    expect(message).toContain('more than 50 errors (first 50 shown) in story.yaml:')
    expect(message.length).toBeLessThan(50_000)
  })

  it('of one response, the first twenty are reported, so that the next rule is heard too', () => {
    const { errors } = rejection(
      `title: a\nrules:\n${patch}- { when: { operation: chat.create }, then: { patch: { wrong: 1 } } }\n`,
    )
    expect(errors).toHaveLength(21)
    expect(errors.at(-1)?.message).toContain('wrong')
  })

  it('fifty errors are all reported', () => {
    expect(rejection(`title: a\n${times(50, (n) => `key${n}: 1\n`)}`).message).toContain('50 errors in')
  })

  it('in settings too', () => {
    const settings = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`key${n}`, 1]))
    try {
      createSimulator({ settings: settings as SettingsInput })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      expect((error as ConfigError).errors).toHaveLength(50)
      expect((error as ConfigError).message).toMatch(/\n {2}… and more$/)
    }
  })
})

describe('a similar key', () => {
  it('is not searched for among thousands', () => {
    const words = Array.from({ length: 1000 }, (_, n) => `word${n}`)
    expect(nearestWord('wrod7', words)).toBe('word7')
    expect(nearestWord('wrod7', [...words, 'one more'])).toBeUndefined()
  })
})

describe('a long line', () => {
  it('is shown around the error', () => {
    const [first] = rejection(`{ title: a, rules: [${'{ then: {} }, '.repeat(100)}{ them: {} }] }`).errors
    expect(first?.source).toMatch(/^….*\{ them: \{\} \}\] \}$/)
    expect(first?.source?.length).toBeLessThan(202)
  })

  it('without spaces is abbreviated', () => {
    const { message } = rejection(`title: a\nrules: [{ then: { "${'k'.repeat(900)}": 1 } }]`)
    expect(message.length).toBeLessThan(1500)
  })
})

describe('aliases', () => {
  it('can be used in many places', () => {
    const text = `title: a\nrules:\n- { then: &answer { text: a } }\n${times(300, () => '- { then: *answer }\n')}`
    expect(read(text).spec.rules).toHaveLength(301)
  })

  it.each([
    ['lists of lists', (n: number) => `[${Array(9).fill(`*a${n}`).join(', ')}]`],
    ['objects of objects', (n: number) => `{ a: *a${n}, b: *a${n}, c: *a${n} }`],
  ])('must not expand without limit: %s', (_, next) => {
    const text = `a0: &a0 { a: 1 }\n${times(30, (n) => `a${n + 1}: &a${n + 1} ${next(n)}\n`)}`
    expect(rejection(text).errors).toMatchObject([
      {
        message: expect.stringMatching(
          /^contains more than 500000 values: write fewer values, or smaller anchors/,
        ),
      },
    ])
  })
})
