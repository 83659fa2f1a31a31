/**
 * A last message of the assistant is a beginning that messages.create continues and does not repeat.
 */
import { describe, expect, it } from 'vitest'
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
    ['of another kind', 'Certainly!', ' one two three'],
    ['in blocks', ['one', ' two'].map((text) => ({ type: 'text', text })), ' three'],
    ['of JSON', '{"answer": "', ' one two three'],
  ])('%s', async (_, beginning, text) => {
    expect(await textOf(simulator(), begun('Say "one two three"', beginning))).toBe(text)
  })

  it('calls no tool unless it must', async () => {
    const prompt = 'What is the weather in Paris?'
    const ended = async (more: object) =>
      (await messageOf(simulator(), begun(prompt, 'Let me look:', { tools: [weather], ...more }))).stop_reason
    expect(await ended({})).toBe('end_turn')
    expect(await ended({ tool_choice: { type: 'any' } })).toBe('tool_use')
  })
})
