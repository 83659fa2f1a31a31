/**
 * A last message of the assistant is a beginning that messages.create continues and does not repeat
 * (wire-formats 3.1).
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { continuation, continued, cutObject } from '../../../src/endpoints/messages/unfinished.ts'
import { simulator } from '../../_setup.ts'
import { messageOf, request, textOf, weather } from './_messages.ts'

const begun = (
  prompt: string,
  beginning: unknown,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> =>
  request('', {
    messages: [
      { role: 'user', content: prompt },
      { role: 'assistant', content: beginning },
    ],
    ...more,
  })

describe('a beginning', () => {
  it.each([
    ['of the answer itself', 'one two', ' three'],
    ['that ends in the beginning of the answer', 'Sure: one two', ' three'],
    ['of another kind', 'Certainly!', ' one two three'],
    ['in blocks', ['one', ' two'].map((text) => ({ type: 'text', text })), ' three'],
    ['with an open tag', '<answer>', 'one two three</answer>'],
    ['with an open quote', 'They say "', 'one two three"'],
  ])('%s', async (_, beginning, text) => {
    expect(await textOf(simulator(), begun('Say "one two three"', beginning))).toBe(text)
  })

  it('of prose goes on as the prose would have', async () => {
    const sim = simulator()
    const beginning = 'Foxes are clever.'
    const text = await textOf(sim, begun('Tell me about foxes', beginning))
    expect(text.startsWith(' ')).toBe(true)
    expect(text).not.toContain(beginning)
  })

  it('calls no tool unless it must', async () => {
    const prompt = 'What is the weather in Paris?'
    const ended = async (more: object) =>
      (await messageOf(simulator(), begun(prompt, 'Let me look:', { tools: [weather], ...more }))).stop_reason
    expect(await ended({})).toBe('end_turn')
    expect(await ended({ tool_choice: { type: 'any' } })).toBe('tool_use')
  })
})

describe('a beginning of JSON', () => {
  const prompt = 'My name is Ada Lovelace, I am 36 years old. Answer in JSON with the keys "name" and "age".'

  const beginnings = ['{', '{"', '{"name"', '{"name":', '{"name": "', '{\n  "name": "Ada', '[', '[{', '["']
  it.each([...beginnings, '[{"name": "Ada", "age": 36},', '{"people": [{"name": "Ada"'])(
    '%j becomes JSON',
    async (beginning) => {
      const text = await textOf(simulator(), begun(prompt, beginning))
      expect(JSON.parse(beginning + text)).toBeTypeOf('object')
    },
  )

  it('takes over what the prompt asks for', async () => {
    for (const beginning of ['{', '{"name": "'])
      expect(JSON.parse(beginning + (await textOf(simulator(), begun(prompt, beginning))))).toEqual({
        name: 'Ada Lovelace',
        age: 36,
      })
  })

  it('in a fence ends with the fence, where a stop sequence may wait', async () => {
    expect(await textOf(simulator(), begun(prompt, '```json'))).toBe(
      '\n{"name":"Ada Lovelace","age":36}\n```',
    )
    const stopped = begun(prompt, '```json\n{', { stop_sequences: ['```'] })
    expect(await messageOf(simulator(), stopped)).toMatchObject({
      content: [{ text: '"name":"Ada Lovelace","age":36}\n' }],
      stop_reason: 'stop_sequence',
      stop_sequence: '```',
    })
  })
})

describe('JSON that is cut anywhere', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))

  it('keeps what was whole', () => {
    fc.assert(
      fc.property(objects, fc.nat(), (object, at) => {
        const text = JSON.stringify(object)
        expect(cutObject(text)).toEqual(JSON.parse(text))
        const cut = cutObject(text.slice(0, at % (text.length + 1)))
        const names = Object.keys(cut)
        expect(Object.keys(JSON.parse(text) as object).filter((name) => names.includes(name))).toEqual(names)
        // All but the last value are as they were.
        for (const name of names.slice(0, -1))
          expect(cut[name]).toEqual((JSON.parse(text) as Record<string, unknown>)[name])
      }),
    )
  })

  it('can go on to be whole', () => {
    fc.assert(
      fc.property(objects, fc.nat(), (object, at) => {
        const text = JSON.stringify(object)
        const beginning = text.slice(0, 1 + (at % text.length))
        // Nobody begins in the middle of a word, a number or an escape.
        fc.pre(!/(?:\\[u0-9a-f]{0,4}|[-+.eE]|\b(?:t|tr|tru|f|fa|fal|fals|n|nu|nul))$/.test(beginning))
        expect(JSON.parse(beginning + continuation(beginning, 'x "y"'))).toEqual(expect.any(Object))
      }),
    )
  })

  it('takes long strings of escapes', () => {
    const long = JSON.stringify({ a: '"\\'.repeat(5000), b: 1 })
    expect(cutObject(long.slice(0, -4))).toEqual({ a: '"\\'.repeat(5000) })
  })
})

describe('continued', () => {
  it('repeats nothing, whatever has begun', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (answer, other) => {
        for (let at = 1; at <= answer.length; at++)
          expect(continued(answer.slice(0, at), answer, true)).toBe(answer.slice(at))
        expect(continued(other, answer, false).length).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('goes on as text behind a beginning of JSON that nobody wrote by hand', () => {
    const long = `{"a": "${'x'.repeat(30_000)}`
    expect(continued(long, 'one', false)).toBe(' one')
  })
})
