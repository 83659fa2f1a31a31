import { describe, expect, it } from 'vitest'
import { jsonCall, withRules } from '../../_setup.ts'
import {
  asking,
  type Body,
  type Completion,
  chatSimulator,
  completed,
  envelope,
  model,
  only,
  path,
  rejected,
  saidTo,
  unsuitable,
} from './_chat.ts'

const ask = (extra: Body): Body => asking('Tell me about trains', extra)
const functions = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `f${index}` }))
const functionTool = { type: 'function', function: { name: 'f' } }
const customTool = { type: 'custom', custom: { name: 'c' } }
const tools = [functionTool, customTool]
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const described = {
  type: 'function',
  function: { name: 'a'.repeat(64), description: 'd', parameters: schema, strict: true },
}
const custom = (format: object): object => ({
  type: 'custom',
  custom: { name: 'c', description: 'd', format },
})
const regex = { type: 'grammar', grammar: { syntax: 'regex', definition: '[a-z]+' } }
const rome = { city: 'Rome', country: 'IT', region: 'Lazio', timezone: 'Europe/Rome' }
const shape = (fields: object): object => ({ type: 'json_schema', json_schema: fields })
const pairs = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))

describe('parameters that are accepted', () => {
  it.each<[string, readonly unknown[]]>([
    ['temperature', [0, 1, 2, null]],
    ['top_p', [0, 1, null]],
    ['frequency_penalty', [-2, 2, null]],
    ['presence_penalty', [-2, 2, null]],
    ['n', [1, 128, null]],
    ['max_tokens', [1, 1_000_000, null]],
    ['max_completion_tokens', [1, 1_000_000, null]],
    ['seed', [0, -1, 42, 9_223_372_036_854_775_000, -9_223_372_036_854_775_000, 2 ** 63, -(2 ** 63), null]],
    ['user', ['', 'u', null]],
    ['safety_identifier', ['s', null]],
    ['prompt_cache_key', ['k', null]],
    ['service_tier', ['auto', 'default', 'flex', 'scale', 'priority', null]],
    ['modalities', [['text'], null]],
    ['logprobs', [true, false, null]],
    ['stream', [false, null]],
    ['store', [true, false, null]],
    ['metadata', [{}, pairs(16), { ['k'.repeat(64)]: 'v'.repeat(512) }, null]],
    ['verbosity', ['low', 'medium', 'high', null]],
    ['reasoning_effort', ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null]],
    ['stop', ['x', '', [], ['a'], ['a', 'b', 'c', 'd'], null]],
    ['logit_bias', [{}, { 1: 100, 2: -100, 50256: 0.5 }, null]],
    [
      'prediction',
      [{ type: 'content', content: 'x' }, { type: 'content', content: [{ type: 'text', text: 'x' }] }, null],
    ],
    ['stream_options', [null]],
    ['audio', [null]],
    ['top_logprobs', [null]],
    [
      'web_search_options',
      [
        ...[{}, { user_location: { type: 'approximate', approximate: rome } }, null],
        ...['low', 'medium', 'high'].map((search_context_size) => ({ search_context_size })),
      ],
    ],
    [
      'response_format',
      [
        ...[{ type: 'text' }, { type: 'json_object' }, shape({ name: 'a'.repeat(64) }), null],
        shape({ name: 'a-B_9', description: 'd', schema, strict: true }),
      ],
    ],
    ['tools', [[], tools, [described], [custom({ type: 'text' })], [custom(regex)], null]],
    [
      'functions',
      [functions(1), functions(128), [{ name: 'f', description: 'd', parameters: schema }], null],
    ],
    ['function_call', ['none', null]],
    ['tool_choice', ['none', null]],
    ['parallel_tool_calls', [null]],
  ])('%s', async (name, values) => {
    const sim = chatSimulator()
    for (const value of values)
      expect((await completed(ask({ [name]: value }), sim)).choices.length).toBeGreaterThan(0)
  })

  it('model: up to 512 characters of any kind', async () => {
    for (const model of ['a'.repeat(512), '模型/x:1'])
      expect((await completed({ ...ask({}), model })).model).toBe(model)
  })

  it.each<[string, Body]>([
    ['temperature and top_p together, although one of them should do', { temperature: 0.5, top_p: 0.5 }],
    ['128 legacy functions', { functions: functions(128) }],
    [
      '16 pairs of metadata, of 64 and 512 characters',
      { metadata: { ...pairs(15), ['k'.repeat(64)]: 'v'.repeat(512) } },
    ],
    ['unknown ones, by default', { moderation: {}, prompt_cache_retention: '24h', foo: { bar: 1 } }],
  ])('%s', async (_, extra) => {
    expect(only(await completed(ask(extra))).finish_reason).toBe('stop')
  })
})

describe('parameters that are rejected with 400', () => {
  const wide = 'expected a whole number between -9223372036854775808 and 9223372036854775807'
  const name = 'expected 1 to 64 letters, digits, dashes or underscores'

  // A value, and the field that is wrong where it is a part of it.
  it.each<[string, unknown, string?, string?]>([
    ['model', undefined],
    ['model', 5],
    ['model', 'a'.repeat(513)],
    ['temperature', -0.01],
    ['temperature', 2.01],
    ['temperature', 'hot'],
    ['top_p', -0.1],
    ['top_p', 1.1],
    ['frequency_penalty', -2.1, 'frequency_penalty', 'expected at least -2, got -2.1'],
    ['frequency_penalty', 2.1],
    ['presence_penalty', -2.1, 'presence_penalty', 'expected at least -2, got -2.1'],
    ['presence_penalty', 2.1],
    ['n', 0],
    ['n', 129],
    ['n', 1.5],
    ['top_logprobs', -1],
    ['top_logprobs', 21],
    ['max_tokens', 0],
    ['max_completion_tokens', 0],
    ['seed', 9.3e18, 'seed', `${wide}, got 9300000000000000000`],
    ['seed', -9.3e18, 'seed', `${wide}, got -9300000000000000000`],
    ['seed', 1.5, 'seed', `${wide}, got 1.5`],
    ['user', 1],
    ['safety_identifier', 1],
    ['prompt_cache_key', {}],
    ['service_tier', 'gold'],
    ['modalities', []],
    ['modalities', ['video'], 'modalities[0]'],
    ['modalities', 'text'],
    ['logprobs', 'yes'],
    ['stream', 'true'],
    ['store', 1],
    ['verbosity', 'loud'],
    ['reasoning_effort', 'huge'],
    ['stop', ['a', 'b', 'c', 'd', 'e']],
    ['logit_bias', { 1: 101 }, 'logit_bias.1'],
    ['logit_bias', { 1: -101 }, 'logit_bias.1', 'expected at least -100, got -101'],
    ['logit_bias', { x: 1 }, 'logit_bias.x', 'the key: expected a token id, got "x"'],
    ['logit_bias', []],
    ['metadata', { k: 1 }, 'metadata.k'],
    ['prediction', { type: 'text', content: 'x' }, 'prediction.type'],
    ['prediction', { type: 'content' }, 'prediction.content'],
    ['stream_options', 'x'],
    ['stream_options', { include_usage: 'yes' }, 'stream_options.include_usage'],
    ['audio', { voice: 'alloy' }, 'audio.format'],
    ['audio', { format: 'wav' }, 'audio.voice'],
    ['response_format', 'json'],
    ['response_format', { type: 'xml' }, 'response_format.type'],
    ['response_format', shape({ name: 'a', schema: 'x' }), 'response_format.json_schema.schema'],
    ['functions', []],
    ['functions', [{ name: 'bad name' }], 'functions[0].name', `${name}, got "bad name"`],
    ['function_call', 'required'],
    ['function_call', {}, 'function_call.name'],
    ['tools', 'x'],
    ['tools', [{ type: 'function' }], 'tools[0].function'],
    ['tools', [{ type: 'function', function: { name: '' } }], 'tools[0].function.name', `${name}, got ""`],
    [
      'tools',
      [{ type: 'function', function: { name: 'f', parameters: 'x' } }],
      'tools[0].function.parameters',
    ],
    [
      'tools',
      [{ type: 'custom', custom: { name: 'c', format: { type: 'xml' } } }],
      'tools[0].custom.format.type',
    ],
    ['tool_choice', 'any'],
    ['tool_choice', { type: 'function' }, 'tool_choice.function'],
    [
      'tool_choice',
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
      'tool_choice.allowed_tools.tools',
    ],
    ['tools', [{ type: 'retrieval' }], 'tools[0].type'],
    ['audio', { voice: 'alloy', format: 'ogg' }, 'audio.format'],
    [
      'response_format',
      shape({ name: 'has space' }),
      'response_format.json_schema.name',
      `${name}, got "has space"`,
    ],
    ['parallel_tool_calls', 'no'],
  ])('%s: %j', async (parameter, value, field = parameter, sentence) => {
    expect(await rejected(ask({ [parameter]: value }))).toEqual(unsuitable(field, sentence))
  })

  it.each<[string, string, object[]]>([
    ['129 legacy functions', 'functions', functions(129)],
    ['129 tools', 'tools', functions(129).map((one) => ({ type: 'function', function: one }))],
  ])('%s', async (_, field, list) => {
    expect(await rejected(ask({ [field]: list }))).toEqual(
      unsuitable(field, 'expected at most 128 items, got 129'),
    )
  })

  it('the name __proto__, anywhere', async () => {
    const named: unknown = JSON.parse('{"__proto__":"1"}')
    for (const field of ['metadata', 'logit_bias', 'unknown'])
      expect(await rejected(ask({ [field]: named }))).toEqual(
        unsuitable(field, 'must not contain the key "__proto__": rename the key'),
      )
  })

  it('17 pairs of metadata, a name of 65 characters, a value of 513', async () => {
    const long = 'k'.repeat(65)
    for (const [metadata, field, sentence] of [
      [pairs(17), 'metadata', 'expected at most 16 key-value pairs, got 17'],
      [{ [long]: 'v' }, `metadata.${long}`, 'the key: expected at most 64 characters, got 65'],
      [{ k: 'v'.repeat(513) }, 'metadata.k', 'expected at most 512 characters, got 513'],
    ] as const)
      expect(await rejected(ask({ metadata }))).toEqual(unsuitable(field, sentence))
  })

  it.each([
    ['a list', [], 'The body: expected an object, got an array of 0'],
    ['null', null, 'The body: expected an object, got null'],
    ['text', 'hi', 'The body: expected an object, got "hi"'],
  ])('a body that is %s', async (_, body, message) => {
    expect(await rejected(body)).toEqual({
      status: 400,
      body: envelope({ message: `${message}.`, details: [{ code: 400, field: '', message }] }),
    })
  })

  it('unknown ones, each by name, with chat.unknownParameters: reject', async () => {
    const sim = chatSimulator({ settings: { chat: { unknownParameters: 'reject' } } })
    const message = (name: string): string =>
      `\`${name}\`: is not a chat completion parameter (setting chat.unknownParameters)`
    expect(await rejected(ask({ foo: 1, bar: 2 }), sim)).toEqual({
      status: 400,
      body: envelope({
        message: `${message('foo')} (and 1 more error, see details).`,
        param: 'foo',
        details: ['foo', 'bar'].map((field) => ({ code: 400, message: message(field), field })),
      }),
    })
    expect((await rejected(ask({ user: 'u', verbosity: 'low' }), sim)).status).toBe(200)
  })
})

describe('parameters that depend on each other', () => {
  const needs = {
    logprobs: unsuitable('top_logprobs', 'is allowed only with `logprobs: true`'),
    stream: unsuitable('stream_options', 'is allowed only with `stream: true`'),
    audio: unsuitable('audio', 'is required if `modalities` includes "audio": expected { voice, format }'),
    modality: unsuitable('modalities', 'must include "audio" if the request has `audio`'),
    tools: (field: string) => unsuitable(field, 'is allowed only with `tools`'),
    functions: unsuitable('function_call', 'is allowed only with `functions`'),
  }
  const ofReasoning = (model: string) =>
    unsuitable(
      'max_tokens',
      `is not supported with the reasoning model "${model}": use max_completion_tokens instead`,
    )
  const alone = 'cannot be combined with `max_completion_tokens`: send only `max_completion_tokens`'
  const chosen = (name: string) => ({ type: 'function', function: { name } })
  const unknown = (field: string, got: string, kind: string, known: string) =>
    unsuitable(`${field}.name`, `got "${got}", expected the name of a ${kind}${known}`)
  const repeated = (field: string) => unsuitable(`${field}.name`, 'must be unique: got "f" twice')
  const customF = { type: 'custom', custom: { name: 'f' } }
  const audio = { voice: 'alloy', format: 'wav' }
  const allowed = (...listed: object[]): object => ({
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: listed },
  })

  it.each<[string, Body, unknown]>([
    ['top_logprobs without logprobs', { top_logprobs: 1 }, needs.logprobs],
    ['top_logprobs with logprobs off', { top_logprobs: 0, logprobs: false }, needs.logprobs],
    ['stream_options without stream', { stream_options: {} }, needs.stream],
    [
      'stream_options with stream off',
      { stream_options: { include_usage: true }, stream: false },
      needs.stream,
    ],
    ['modalities with audio, without audio', { modalities: ['text', 'audio'] }, needs.audio],
    ['audio without modalities', { audio }, needs.modality],
    ['audio with modalities of text', { audio, modalities: ['text'] }, needs.modality],
    ['max_tokens with a reasoning model', { model: 'o3-mini', max_tokens: 5 }, ofReasoning('o3-mini')],
    ['both limits', { max_tokens: 5, max_completion_tokens: 5 }, unsuitable('max_tokens', alone)],
    ['tool_choice without tools', { tool_choice: 'auto' }, needs.tools('tool_choice')],
    ['tool_choice with no tool', { tool_choice: 'required', tools: [] }, needs.tools('tool_choice')],
    ['parallel_tool_calls without tools', { parallel_tool_calls: false }, needs.tools('parallel_tool_calls')],
    [
      'a tool_choice that names no tool',
      { tools, tool_choice: chosen('g') },
      unknown('tool_choice.function', 'g', 'function tool', ' in `tools`: "f"'),
    ],
    [
      'a tool_choice that names a tool of the other kind',
      { tools, tool_choice: customF },
      unknown('tool_choice.custom', 'f', 'custom tool', ' in `tools`: "c"'),
    ],
    [
      'a tool_choice of a kind of which there is none',
      { tools: [functionTool], tool_choice: customF },
      unknown('tool_choice.custom', 'f', 'custom tool', ' in `tools`, but it contains none'),
    ],
    [
      'allowed_tools that name no tool',
      { tools, tool_choice: allowed(functionTool, customF) },
      unknown('tool_choice.allowed_tools.tools[1].custom', 'f', 'custom tool', ' in `tools`: "c"'),
    ],
    ['two tools of one name', { tools: [functionTool, customF] }, repeated('tools[1].custom')],
    ['function_call without functions', { function_call: 'auto' }, needs.functions],
    [
      'a function_call that names no function',
      { functions: functions(2), function_call: { name: 'g' } },
      unknown('function_call', 'g', 'function', ' in `functions`: "f0", "f1"'),
    ],
    ['two functions of one name', { functions: [{ name: 'f' }, { name: 'f' }] }, repeated('functions[1]')],
    [
      'functions with tools',
      { functions: functions(1), tools },
      unsuitable('functions', 'cannot be combined with `tools`: send only `tools`'),
    ],
  ])('reject %s', async (_, extra, refusal) => {
    expect(await rejected(ask(extra))).toEqual(refusal)
  })

  it.each<[string, Body]>([
    ['top_logprobs with logprobs', { logprobs: true, top_logprobs: 20 }],
    ['max_completion_tokens with a reasoning model', { model: 'o3-mini', max_completion_tokens: 5000 }],
    ['max_tokens with another model', { max_tokens: 5 }],
    [
      'tool_choice and parallel_tool_calls with tools',
      { tools, tool_choice: 'auto', parallel_tool_calls: true },
    ],
    ['function_call with functions', { functions: functions(1), function_call: 'auto' }],
    ['what holds anyway without tools', { tool_choice: 'none', function_call: 'none' }],
  ])('accept %s', async (_, extra) => {
    expect((await rejected(ask(extra))).status).toBe(200)
  })

  it('are rejected with a stream by a rule for models that do not stream, and not without one', async () => {
    const sim = chatSimulator(
      withRules([
        'when: { operation: chat.create, model: o3-pro*, body: { stream: true } }, then: { error: { status: 400 } }',
      ]),
    )
    const asked = ask({ model: 'o3-pro-2026', stream: true })
    expect((await rejected(asked, sim)).status).toBe(400)
    expect((await rejected({ ...asked, stream: false }, sim)).status).toBe(200)
  })

  it('take the models that think from chat.reasoningModels', async () => {
    const sim = chatSimulator({ settings: { chat: { reasoningModels: ['thinker-*'] } } })
    expect(await rejected(ask({ model: 'thinker-1', max_tokens: 5 }), sim)).toEqual(ofReasoning('thinker-1'))
    expect((await rejected(ask({ model: 'o3-mini', max_tokens: 5 }), sim)).status).toBe(200)
  })
})

describe('verbosity', () => {
  it('low says less than medium, medium less than high', async () => {
    const length = async (verbosity: string): Promise<number> => {
      const { choices } = await completed(ask({ verbosity, n: 20 }))
      return choices.reduce((sum, { message }) => sum + (message.content as string).length, 0)
    }
    const [low, medium, high] = [await length('low'), await length('medium'), await length('high')]
    expect(low).toBeLessThan(medium)
    expect(medium).toBeLessThan(high)
  })
})

describe('a seed', () => {
  // JavaScript cannot write such numbers; the text of the body can.
  const withSeed = async (seed: string): Promise<string> => {
    const { body, ...call } = jsonCall(ask({ seed: 'SEED' }))
    const exact = { ...call, body: body.replace('"SEED"', seed) }
    const response = await chatSimulator().fetch(`http://gateway.test${path}`, exact)
    return only((await response.json()) as Completion).message.content as string
  }

  it('gives the same text for the same seed and another for another', async () => {
    const [one, again, other, none] = await Promise.all(
      [{ seed: 7 }, { seed: 7 }, { seed: 8 }, {}].map((extra) => saidTo('Tell me about trains', extra)),
    )
    expect(again).toBe(one)
    expect(new Set([one, other, none]).size).toBe(3)
  })

  it.each([
    ['9223372036854775806', '9223372036854775807'],
    ['-9223372036854775807', '-9223372036854775808'],
    ['9007199254740993', '9007199254740992'],
  ])('of 64 bits counts to its last digit: %s and %s', async (one, other) => {
    expect(await withSeed(one)).toBe(await withSeed(one))
    expect(await withSeed(one)).not.toBe(await withSeed(other))
  })
})

describe('what the text depends on', () => {
  const said = (extra: Body, content = 'Tell me about trains'): Promise<string> => saidTo(content, extra)

  const defaults = {
    frequency_penalty: 0,
    presence_penalty: 0,
    verbosity: 'medium',
    reasoning_effort: 'medium',
  }
  it.each<[string, Body]>([
    ['user', { user: 'u' }],
    ['safety_identifier', { safety_identifier: 's' }],
    ['prompt_cache_key', { prompt_cache_key: 'k' }],
    ['metadata', { metadata: { a: 'b' } }],
    ['store', { store: true }],
    ['logprobs', { logprobs: true, top_logprobs: 3 }],
    ['n', { n: 1 }],
    ['a limit that is not reached', { max_completion_tokens: 10_000 }],
    ['a stop sequence that does not come', { stop: 'zzz' }],
    ['a temperature of 1, which is the default', { temperature: 1 }],
    ['a top_p of 1, which is the default', { top_p: 1 }],
    ['other defaults that are written out', defaults],
    ['a temperature of null', { temperature: null }],
    ['the order of the fields', { messages: [{ content: 'Tell me about trains', role: 'user' }], model }],
  ])('not %s', async (_, extra) => {
    expect(await said(extra)).toBe(await said({}))
  })

  it.each<[string, Body]>([
    ['the model', { model: 'gpt-4o-mini' }],
    ['temperature', { temperature: 0.5 }],
    ['seed', { seed: 1 }],
  ])('but %s', async (_, extra) => {
    expect(await said(extra)).not.toBe(await said({}))
  })
})
