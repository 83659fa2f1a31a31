/**
 * How an answer of messages.create ends: by itself, at its limit, at a sequence. Exactly there, and nothing
 * else changes.
 */
import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { messageOf, request } from './_messages.ts'

describe('max_tokens', () => {
  it('cuts the answer that would have come anyway, at every place', async () => {
    const sim = simulator()
    const whole = await messageOf(sim, request('Tell me about foxes'))
    const text = whole.content[0]?.text ?? ''
    const all = whole.usage.output_tokens
    expect(whole.stop_reason).toBe('end_turn')
    for (let max_tokens = 1; max_tokens <= all; max_tokens++) {
      const body = request('Tell me about foxes', { max_tokens })
      const { content, stop_reason, usage } = await messageOf(sim, body)
      const cut = content[0]?.text ?? ''
      expect(text.startsWith(cut)).toBe(true)
      expect([stop_reason, usage.output_tokens, cut === text]).toEqual([
        max_tokens < all ? 'max_tokens' : 'end_turn',
        max_tokens,
        max_tokens === all,
      ])
    }
  })

  it('cuts the input of a tool in the middle, which leaves no input in a plain body', async () => {
    const sim = simulator()
    const properties = {
      from: { type: 'string', const: 'Rome' },
      stops: { type: 'array', items: { type: 'integer' }, const: [1, 20, 300] },
      fast: { const: true },
    }
    const route = {
      name: 'plan_route',
      description: 'Plans a route',
      input_schema: { type: 'object', properties, required: Object.keys(properties) },
    }
    const tool_choice = { type: 'tool', name: 'plan_route' }
    const body = request('Plan a route', { tools: [route], tool_choice })
    const whole = await messageOf(sim, body)
    expect(whole).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ input: { from: 'Rome', stops: [1, 20, 300], fast: true } }],
    })
    const inputs = []
    for (let max_tokens = 1; max_tokens < whole.usage.output_tokens; max_tokens++) {
      const { content, stop_reason, usage } = await messageOf(sim, { ...body, max_tokens })
      expect([stop_reason, usage.output_tokens]).toEqual(['max_tokens', max_tokens])
      inputs.push(JSON.stringify(content[0]?.input))
    }
    expect([...new Set(inputs)]).toEqual([undefined, '{}'])
  })

  it('counts thinking, and cuts it first', async () => {
    const sim = simulator()
    const body = request('Say "one two"', { thinking: { type: 'adaptive' } })
    const whole = await messageOf(sim, body)
    expect(whole.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    const thought = whole.usage.output_tokens - 2
    expect((await messageOf(sim, { ...body, max_tokens: thought + 1 })).content[1]?.text).toBe('one')
    expect(await messageOf(sim, { ...body, max_tokens: thought })).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ type: 'thinking', thinking: whole.content[0]?.thinking }],
    })
    const within = await messageOf(sim, { ...body, max_tokens: 5 })
    expect([
      within.content.length,
      within.usage.output_tokens,
      whole.content[0]?.thinking?.startsWith(within.content[0]?.thinking ?? '-'),
    ]).toEqual([1, 5, true])
  })
})

describe('stop_sequences', () => {
  it.each([
    [['three'], 'one two ', 'three'],
    [['four', 'two'], 'one ', 'two'],
    [['nothing'], 'one two three four', null],
    [['o th', 'two'], 'one ', 'two'],
    [['wo three', 'o t'], 'one tw', 'o t'],
    [['three', 'o three'], 'one tw', 'o three'],
  ])('end the answer: %j', async (stop_sequences, text, stop_sequence) => {
    const body = request('Say "one two three four"', { stop_sequences })
    const { content, ...message } = await messageOf(simulator(), body)
    expect([content[0]?.text, message.stop_sequence, message.stop_reason]).toEqual([
      text,
      stop_sequence,
      stop_sequence === null ? 'end_turn' : 'stop_sequence',
    ])
  })

  it('at the very beginning leave nothing to say', async () => {
    expect(await messageOf(simulator(), request('Say "one"', { stop_sequences: ['one'] }))).toMatchObject({
      content: [],
      stop_reason: 'stop_sequence',
      stop_sequence: 'one',
      usage: { output_tokens: 0 },
    })
  })
})
