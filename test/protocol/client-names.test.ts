/**
 * The name `__proto__`, which zod would drop without a word: the same rejection wherever somebody writes it.
 */
import { describe, expect, it } from 'vitest'
import * as yaml from 'yaml'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { ConfigError, type FieldError, ScenarioError } from '../../src/index.ts'
import { parseWritten, unusableNames } from '../../src/protocol/client-names.ts'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { readYaml } from '../../src/scenario/load/read-yaml.ts'
import { scenarioOf, scenarioOfObject } from '../../src/scenario/load/scenario.ts'
import { post, simulator } from '../_setup.ts'

const words = 'must not contain the key "__proto__": rename the key'
const named: unknown = JSON.parse('{"__proto__":"x"}')

/** The errors of what `act` throws. */
function errorsOf(act: () => unknown): readonly FieldError[] {
  try {
    act()
  } catch (error) {
    if (error instanceof ScenarioError || error instanceof ConfigError) return error.errors
    throw error
  }
  return []
}

describe('the name __proto__ is rejected', () => {
  it.each([
    ['rules[0].when.headers', { rules: [{ when: { headers: named }, then: {} }] }],
    ['rules[0].when.body.metadata', { rules: [{ when: { body: { metadata: named } }, then: {} }] }],
    ['flags', { flags: named }],
    ['keys', { keys: named }],
    ['steps[0].with', { steps: [{ call: 'chat.create', with: named }] }],
  ])('in a scenario: %s', (field, part) => {
    const found = errorsOf(() =>
      scenarioOfObject({ title: 'a', ...part }, 'a.yaml', gatewayApi().reader),
    ).filter(({ message }) => message.includes('"__proto__"'))
    expect(found).toEqual([expect.objectContaining({ field, message: words }) as unknown])
  })

  it('in a file, with its place', () => {
    const text = 'title: a\nrules:\n  - when: { headers: { __proto__: x } }\n    then: {}\n'
    expect(() => scenarioOf(text, 'a.yaml', undefined, yaml, gatewayApi().reader)).toThrow(
      `a.yaml:3:22: when.headers: ${words}`,
    )
    expect(readYaml(yaml, 'keys: { __proto__: {} }', settingsSchema()).errors).toEqual([
      expect.objectContaining({ line: 1, column: 7, message: `keys: ${words}` }) as unknown,
    ])
  })

  it('in settings, options of sessions, faults and verifications', () => {
    const sim = simulator()
    const when = { headers: named } as never
    expect(errorsOf(() => simulator({ settings: { keys: named as never } }))).toEqual([
      { field: 'keys', message: words },
    ])
    expect(errorsOf(() => sim.verify({ requests: { headers: named as never } }))).toEqual([
      { field: 'requests.headers', message: words },
    ])
    expect(() => sim.overrides.add({ when, fault: 'hang' })).toThrow(`when.headers\`: ${words}`)
    const scenarios = [{ title: 'a', rules: [{ when, then: {} }] }]
    expect(errorsOf(() => sim.createSession({ scenarios }))).toEqual([
      expect.objectContaining({ message: words }) as unknown,
    ])
    expect(sim.overrides.list()).toEqual([])
  })

  it('over the control API', async () => {
    const sim = simulator()
    const sent = { when: { headers: named }, fault: 'hang' }
    const response = await post(sim, '/__sim/overrides', sent)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ detail: `\`when.headers\`: ${words}.` })
    expect((await post(sim, '/__sim/verify', { calls: { query: named } })).status).toBe(400)
  })

  it.each([{ properties: named }, { required: ['__proto__'] }, { enum: [{ a: named }] }, { const: named }])(
    'in a schema of a client: %j',
    async (schema) => {
      const response = await post(simulator(), '/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'a' }],
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('__proto__')
    },
  )
})

describe('looking for it', () => {
  it.each([
    [200, [200]],
    [100_000, []],
  ])('ends soon: %i levels deep', (levels, expected) => {
    let deep: object = named as object
    for (let level = 0; level < levels; level++) deep = { a: deep }
    // With a path for each level, it would take a minute.
    expect(unusableNames(deep).map(({ path }) => path.length)).toEqual(expected)
  })

  it('ends in objects that hold themselves, and leaves classes alone', () => {
    const self: Record<string, unknown> = { named }
    self['self'] = self
    self['map'] = Object.assign(new Map(), { named })
    expect(unusableNames(self).map(({ path }) => path)).toEqual([['named']])
  })

  it('says it once where the schema knows the key for unknown', () => {
    const { error } = parseWritten(settingsSchema(), JSON.parse('{"__proto__":{}}'))
    expect(error?.issues.map(({ code }) => code)).toEqual(['unrecognized_keys'])
  })
})
