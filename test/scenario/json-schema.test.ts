/**
 * The JSON Schema of scenario files and the type of scenario objects: what editors complete and underline.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type * as z from 'zod'
import type { ScenarioInput } from '../../src/index.ts'
import type { ScenarioSchema } from '../../src/scenario/format/scenario.ts'
import { operatorWords } from '../../src/scenario/values.ts'
import { library, textOf } from './_library.ts'

type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]: Writable<T[Name]> }
    : T

// For the compiler: whatever the published type allows, the schema takes.
const _published: (input: Writable<ScenarioInput>) => z.input<ScenarioSchema> = (input) => input
void _published

const root = join(import.meta.dirname, '../..')
/** The sample of the design: a scenario that uses much of the format. */
const designSample = readFileSync(join(import.meta.dirname, 'design-sample.yaml'), 'utf8')
const schema = JSON.parse(readFileSync(join(root, 'schema/scenario.schema.json'), 'utf8')) as Record<
  string,
  unknown
>
// `strictTypes` wants a type beside `minimum` in each alternative; a duration is a text or a number.
const valid = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  validateFormats: false,
  allErrors: true,
}).compile(schema)

function problems(value: unknown): string[] {
  valid(value)
  return (valid.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

describe('the JSON Schema of scenario files', () => {
  it('accepts the sample of the design', () => {
    expect(problems(parse(designSample))).toEqual([])
  })

  it.each(library)('accepts scenarios/%s', (name) => {
    expect(problems(parse(textOf(name), { merge: true }))).toEqual([])
  })

  it('accepts its own examples', () => {
    for (const example of schema['examples'] as unknown[]) expect(problems(example)).toEqual([])
  })

  const misspelt: readonly [string, string, string][] = [
    ['a key of the file', 'clock:', 'clokc:'],
    ['a key of the clock', 'mode:', 'moed:'],
    ['a key of a selection', 'nth:', 'nht:'],
    ['an operation', 'videos.create, nth', 'videos.creat, nth'],
    ['a field of a timeline', 'status: in_progress, progress', 'status: in_progress, progres'],
    ['a value of a timeline', 'status: pending', 'status: pendign'],
    ['an item of a script', '- wait: 3s', '- wiat: 3s'],
    ['a duration', 'firstEventAfter: 350ms', 'firstEventAfter: 350 apples'],
    ['a fault', 'fault: disconnect', 'fault: disconect'],
    ['a key of a step', 'save:', 'svae:'],
    ['an expectation', 'expect: { status', 'expect: { statsu'],
  ]
  it.each(misspelt)('rejects a misspelling of %s', (_what, right, wrong) => {
    expect(designSample).toContain(right)
    expect(problems(parse(designSample.replace(right, wrong)))).not.toEqual([])
  })

  it('offers the operators for every compared value, and accepts any JSON there', () => {
    const { $defs } = schema as { $defs: Record<string, { properties: object; anyOf: unknown[] }> }
    expect(Object.keys($defs['Operators']?.properties ?? {})).toEqual(operatorWords())
    for (const body of [
      1,
      'a',
      null,
      true,
      [1, [2]],
      { a: { b: { contains: 'c' } } },
      { anyOf: [{ gt: 1 }, null] },
    ]) {
      expect(problems({ title: 'any', rules: [{ when: { body }, then: {} }] })).toEqual([])
    }
  })

  it('describes every key', () => {
    const missing: string[] = []
    const look = (value: unknown, path: string): void => {
      if (value === null || typeof value !== 'object') return
      const { properties } = value as { properties?: Record<string, { description?: string; $ref?: string }> }
      if (properties !== undefined && !Array.isArray(properties)) {
        for (const [name, inner] of Object.entries(properties)) {
          const target =
            inner.$ref === undefined
              ? undefined
              : (schema['$defs'] as Record<string, { description?: string }>)[
                  inner.$ref.replace('#/$defs/', '')
                ]
          // `kind` is the fault's own word; its object is described as a whole.
          if (inner.description === undefined && target?.description === undefined && name !== 'kind')
            missing.push(`${path}.${name}`)
        }
      }
      for (const [name, inner] of Object.entries(value))
        if (name !== 'examples') look(inner, `${path}/${name}`)
    }
    look(schema, '')
    expect(missing).toEqual([])
  })

  it('contains nothing irrelevant to authors, such as the bounds of integers in JavaScript', () => {
    expect(JSON.stringify(schema)).not.toContain(String(Number.MAX_SAFE_INTEGER))
  })
})

describe('the type of scenario objects', () => {
  it('accepts everything the format accepts, constants included', () => {
    const scenario = {
      title: 'The second video fails',
      rules: [
        {
          when: { operation: 'videos.create', nth: 2, body: { prompt: { contains: 'sunset' } } },
          then: {
            timeline: [
              { at: 0, status: 'pending' },
              { at: '2s', status: 'failed', error: { code: 'moderation_blocked' } },
            ],
          },
        },
      ],
      steps: [
        { call: 'videos.create', with: { prompt: 'a sunset' }, expect: { status: 200 } },
        { advance: '8s' },
      ],
    } as const satisfies ScenarioInput
    expect(problems(scenario)).toEqual([])
  })

  it('rejects everything the format rejects', () => {
    // @ts-expect-error a misspelt key
    const misspelt: ScenarioInput = { title: 'a', ruels: [] }
    // @ts-expect-error an operation that does not exist
    const unknown: ScenarioInput = { title: 'a', rules: [{ when: { operation: 'videos.creat' }, then: {} }] }
    // @ts-expect-error a fault that does not exist
    const fault: ScenarioInput = { title: 'a', rules: [{ then: { fault: 'disconect' } }] }
    for (const scenario of [misspelt, unknown, fault]) expect(problems(scenario)).not.toEqual([])
  })
})
