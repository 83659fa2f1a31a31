/**
 * messages.create with tools, thinking and answers in a shape: what is called, with what, and what comes
 * after.
 */
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { mail, messageOf, request, textOf, weather } from './_messages.ts'

const paris = 'What is the weather in Paris?'
const both = 'What is the weather in Paris and London?'
const tools = [weather, mail]

describe('tool_choice', () => {
  it.each<[string, unknown, string, string[]]>([
    ['auto calls what the prompt is about', undefined, paris, ['get_weather']],
    ['auto calls nothing for a prompt about nothing', { type: 'auto' }, 'Say "hi"', []],
    ['none calls nothing', { type: 'none' }, paris, []],
    ['any calls something whatever is said', { type: 'any' }, 'Say "hi"', ['get_weather']],
    ['tool calls the one that it names', { type: 'tool', name: 'send_email' }, paris, ['send_email']],
    ['two places make two calls', { type: 'auto' }, both, ['get_weather', 'get_weather']],
    [
      'disable_parallel_tool_use makes one of them',
      { type: 'auto', disable_parallel_tool_use: true },
      both,
      ['get_weather'],
    ],
  ])('%s', async (_, tool_choice, prompt, names) => {
    const { content, stop_reason } = await messageOf(simulator(), request(prompt, { tools, tool_choice }))
    const calls = content.filter(({ type }) => type === 'tool_use')
    expect([stop_reason, calls.map(({ name }) => name)]).toEqual([
      names.length > 0 ? 'tool_use' : 'end_turn',
      names,
    ])
    for (const { input, name, id, ...rest } of calls) {
      const tool = tools.find((one) => one.name === name) as (typeof tools)[number]
      expect(new Ajv({ strict: false, validateFormats: false }).validate(tool.input_schema, input)).toBe(true)
      expect([id, rest]).toEqual([expect.stringMatching(/^toolu_[0-9a-f]{24}$/), { type: 'tool_use' }])
    }
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  })

  it('a tool of the service is taken, and called only by its name', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
    expect(await textOf(simulator(), request('Say foxes', { tools: [search] }))).toBe('foxes')
    const tool_choice = { type: 'tool', name: 'web_search' }
    const { content } = await messageOf(simulator(), request('Search', { tools: [search], tool_choice }))
    expect(content).toMatchObject([{ type: 'tool_use', name: 'web_search', input: {} }])
  })

  it('results are answered in text that quotes them', async () => {
    const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } }
    const content = [{ type: 'text', text: '21 degrees' }]
    const messages = [
      { role: 'user', content: paris },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
    ]
    expect(await textOf(simulator(), request('', { tools, messages }))).toMatch(
      /get_weather returned: 21 degrees$/,
    )
  })
})

describe('thinking', () => {
  it('comes before text and tools, with a signature that depends on the input alone', async () => {
    const thinking = { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } }
    const contentOf = async (more: object = {}, options: object = {}) =>
      (await messageOf(simulator(options), request(paris, { ...thinking, ...more }))).content
    const first = await contentOf()
    expect(first.map(({ type }) => type)).toEqual(['thinking', 'text'])
    expect(first[0]).toEqual({
      type: 'thinking',
      thinking: expect.stringContaining(paris) as string,
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{179}=$/) as string,
    })
    expect(await contentOf({ max_tokens: 3000 })).toEqual(first)
    expect((await contentOf({}, { seed: 'other' }))[0]?.signature).not.toBe(first[0]?.signature)
    expect((await contentOf({ tools })).map(({ type }) => type)).toEqual(['thinking', 'tool_use'])
  })

  it.each<[unknown, unknown, boolean]>([
    [{ type: 'adaptive' }, undefined, true],
    [{ type: 'adaptive' }, { effort: 'high' }, true],
    [{ type: 'adaptive' }, { effort: 'low' }, false],
    [{ type: 'disabled' }, undefined, false],
    [undefined, { effort: 'max' }, false],
  ])('%j with %j', async (thinking, output_config, thinks) => {
    const { content } = await messageOf(simulator(), request('Say "hi"', { thinking, output_config }))
    expect(content.map(({ type }) => type)).toEqual(thinks ? ['thinking', 'text'] : ['text'])
  })

  it('can be kept back, and is counted all the same', async () => {
    const thinking = { type: 'adaptive', display: 'omitted' }
    const { content, usage } = await messageOf(simulator(), request('Say "hi"', { thinking }))
    const signature = expect.stringMatching(/=$/) as string
    expect(content[0]).toEqual({ type: 'thinking', thinking: '', signature })
    expect(usage.output_tokens).toBeGreaterThan(20)
  })
})

describe('output_config.format', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
    required: ['name', 'age'],
    additionalProperties: false,
  }

  it.each([
    { output_config: { format: { type: 'json_schema', schema } } },
    { output_format: { type: 'json_schema', schema } },
  ])('%o: the text is JSON that conforms', async (format) => {
    const { content, stop_reason } = await messageOf(
      simulator(),
      request('My name is Ada Lovelace, I am 36 years old.', format),
    )
    expect([content.length, content[0]?.type, stop_reason]).toEqual([1, 'text', 'end_turn'])
    expect(JSON.parse(content[0]?.text ?? '')).toEqual({ name: 'Ada Lovelace', age: 36 })
  })
})
