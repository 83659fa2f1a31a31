import { describe, expect, it } from 'vitest'
import { withRules } from '../../_setup.ts'
import {
  asking,
  type Body,
  chatSimulator,
  completed,
  envelope,
  model,
  only,
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
const pairs = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))

describe('parameters that are accepted', () => {
  it.each<[string, Body]>([
    ['temperature and top_p together, although one of them should do', { temperature: 0.5, top_p: 0.5 }],
    ['128 legacy functions', { functions: functions(128) }],
    [
      'names of 64 letters, digits, dashes and underscores',
      { tools: [{ type: 'function', function: { name: 'a-B_9'.padEnd(64, 'x') } }] },
    ],
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
  it('names of metadata and of token ids', async () => {
    const long = 'k'.repeat(65)
    const noToken = 'the key: expected a token id, got'
    for (const [extra, field, sentence] of [
      [{ metadata: { [long]: 'v' } }, `metadata.${long}`, 'the key: expected at most 64 characters, got 65'],
      [{ logit_bias: { x: 1 } }, 'logit_bias.x', `${noToken} "x"`],
    ] as const)
      expect(await rejected(ask(extra))).toEqual(unsuitable(field, sentence))
  })

  it.each([
    ['a list', [], 'The body: expected an object, got an empty array'],
    ['null', null, 'The body: expected an object, got null'],
    ['text', 'hi', 'The body: expected an object, got "hi"'],
  ])('a body that is %s', async (_, body, message) => {
    expect(await rejected(body)).toEqual({
      status: 400,
      body: envelope({ message: `${message}.`, details: [{ code: 400, field: '', message }] }),
    })
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
  it('gives the same text for the same seed and another for another', async () => {
    const [one, again, other, none] = await Promise.all(
      [{ seed: 7 }, { seed: 7 }, { seed: 8 }, {}].map((extra) => saidTo('Tell me about trains', extra)),
    )
    expect(again).toBe(one)
    expect(new Set([one, other, none]).size).toBe(3)
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
