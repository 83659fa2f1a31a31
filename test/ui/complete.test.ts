/** The editor's completion, at the places where people write. `|` is the cursor. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Schema, type Suggestions, suggestionsAt } from '../../src/ui/editor/complete.ts'

const schema = JSON.parse(
  readFileSync(new URL('../../schema/scenario.schema.json', import.meta.url), 'utf8'),
) as Schema

function at(text: string): Suggestions {
  const place = text.indexOf('|')
  return suggestionsAt(text.slice(0, place) + text.slice(place + 1), place, schema)
}
const labels = (text: string): string[] => at(text).suggestions.map(({ label }) => label)

describe('keys', () => {
  it('of the file, without those that it has', () => {
    expect(labels('|')).toEqual(expect.arrayContaining(['title', 'rules', 'steps', 'given', 'clock']))
    expect(labels('title: x\nru|')).toContain('rules')
    expect(labels('title: x\n|')).not.toContain('title')
  })

  it('of a rule, in each style', () => {
    const rule = ['id', 'when', 'then']
    expect(labels('rules:\n  - |')).toEqual(expect.arrayContaining(rule))
    expect(labels('rules:\n  - id: a\n    wh|\n')).toEqual(expect.arrayContaining(['when', 'then']))
    expect(labels('rules:\n  - id: a\n    |\n    then: {}\n')).not.toContain('then')
    expect(labels('rules: [{ | }]')).toEqual(expect.arrayContaining(rule))
  })

  it('inside `when` and `then`', () => {
    expect(labels('rules:\n  - when: { | }')).toEqual(expect.arrayContaining(['operation', 'nth']))
    expect(labels('rules:\n  - when: { operation: chat.create, n| }')).toContain('nth')
    expect(labels('rules:\n  - when:\n      |\n    then:\n      text: x')).toContain('operation')
    expect(labels('rules:\n  - then:\n      |')).toEqual(expect.arrayContaining(['error', 'text', 'fault']))
    expect(labels('rules:\n  - then: { error: { | } }')).toContain('status')
  })

  it('of the fault that is named beside them', () => {
    const keys = labels('rules:\n  - then: { fault: { kind: disconnect, | } }')
    expect(keys).toContain('afterEvents')
    expect(keys).not.toContain('bytes')
  })

  it('insert a colon unless there is one, with the description', () => {
    expect(at('ru|').suggestions.find(({ label }) => label === 'rules')).toMatchObject({
      text: 'rules: ',
      description: expect.stringContaining('first rule that matches'),
    })
    expect(at('ru|: []').suggestions.find(({ label }) => label === 'rules')?.text).toBe('rules')
    expect(at('title: x\nru|').from).toBe(9)
  })
})

describe('values', () => {
  it('of operations, faults and modes', () => {
    expect(labels('rules:\n  - when: { operation: | }')).toEqual(
      expect.arrayContaining(['chat.create', 'videos.create']),
    )
    expect(labels('rules:\n  - when: { operation: [chat.create, v|] }')).toContain('videos.create')
    expect(labels('rules:\n  - then:\n      fault: |')).toContain('disconnect')
    expect(labels('clock: |')).toEqual(['real', 'manual', 'auto'])
  })

  it('are none in comments, in free text and at unknown keys', () => {
    expect(labels('# rules|')).toEqual([])
    expect(labels('title: some words|')).toEqual([])
    expect(labels('unknown:\n  |')).toEqual([])
  })
})

it('no text and no place make it fail', () => {
  const text = readFileSync(new URL('../../scenarios/upstream-outage.yaml', import.meta.url), 'utf8')
  for (let place = 0; place <= text.length; place += 3)
    expect(suggestionsAt(text.slice(0, place), place, schema)).toBeDefined()
  for (const broken of ['- - -', '{{{', '}', ': :', '"', '&a *a', '\t', '? a', '[', '- {a: [', '__proto__: '])
    expect(suggestionsAt(broken, broken.length, schema)).toBeDefined()
})
