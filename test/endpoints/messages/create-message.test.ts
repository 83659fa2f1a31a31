/** messages.create: credentials, the version, refusals in this family's envelope, answers in one body. */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, jsonCall, simulator } from '../../_setup.ts'
import {
  headers,
  messageOf,
  type Rejection,
  rejectionOf,
  request,
  send,
  textOf,
  weather,
} from './_messages.ts'

const hello = request('Say "hello there"')
const turn = (role: string, content: unknown): unknown => ({ role, content })
const user = (content: unknown): unknown => turn('user', content)
const assistant = (content: unknown): unknown => turn('assistant', content)
const text = (words: string): unknown => ({ type: 'text', text: words })
const image = (source: object): unknown => ({ type: 'image', source })
const inBase64 = (type: string, data: string): object => ({ type: 'base64', media_type: type, data })
const asked = (id: string, name = 'get_weather'): unknown => ({ type: 'tool_use', id, name, input: {} })
const answered = (id: string, content: unknown = 'sunny'): unknown => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
const thinking = { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } }
/** What a request is rejected with that differs from a good one in some fields. */
const rejectionTo = (change: object, options?: object) =>
  rejectionOf(simulator(options), { ...request('Hello'), ...change })

describe('messages.create rejects', () => {
  const version = { 'anthropic-version': '2023-06-01' }

  describe('credentials', () => {
    it.each([
      [
        'none',
        {},
        'No API key: send `x-api-key: <API_KEY>` or `authorization: Bearer <API_KEY>` (the ' +
          'header is missing).',
      ],
      [
        'two that differ',
        { 'x-api-key': 'sk-a', authorization: 'Bearer sk-b' },
        'The request has two different API keys: send the key in only one header.',
      ],
      [
        'a reserved one',
        { 'x-api-key': 'sk-invalid' },
        'Incorrect API key provided: the key contains the reserved word "invalid".',
      ],
    ])('%s: 401', async (_, given, message) => {
      const response = await send(simulator(), hello, { ...version, ...given })
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({
        type: 'error',
        error: { type: 'authentication_error', code: 401, message },
      })
    })

    it.each([
      { 'x-api-key': 'sk-a' },
      { authorization: 'Bearer sk-a' },
      { authorization: 'bearer sk-a', 'x-api-key': 'sk-a' },
    ])('%j is taken', async (given) => {
      expect((await send(simulator(), hello, { ...version, ...given })).status).toBe(200)
    })
  })

  describe('the version', () => {
    it.each([
      [{}, 'anthropic-version', 'none'],
      [{ 'anthropic-version': 'latest' }, 'anthropic-version', '"latest"'],
      [{ 'vendor-version': '2023-6-1' }, 'vendor-version', '"2023-6-1"'],
      [{ ...version, 'vendor-version': '2023-13-01' }, 'vendor-version', '"2023-13-01"'],
    ])('%j: 400', async (given, param, got) => {
      const response = await send(simulator(), hello, { 'x-api-key': 'sk-test', ...given })
      expect(response.status).toBe(400)
      const { error } = (await response.json()) as Rejection
      expect(error).toMatchObject({ type: 'invalid_request_error', param })
      expect(error.message).toMatch(/^The header `[a-z]+-version`.*: expected a date such as .*2023-06-01/)
      expect(error.message).toContain(`, got ${got}.`)
    })

    it.each([
      { 'anthropic-version': '2023-06-01' },
      { 'anthropic-version': '2026-10-21' },
      { 'vendor-version': '2024-02-29' },
    ])('%j is taken', async (given) => {
      expect((await send(simulator(), hello, { 'x-api-key': 'sk-test', ...given })).status).toBe(200)
    })

    it('is looked at after the key and before the body', async () => {
      const unkeyed = await send(simulator(), {}, {})
      expect(unkeyed.status).toBe(401)
      const unversioned = await send(simulator(), {}, { 'x-api-key': 'sk-test' })
      expect(((await unversioned.json()) as Rejection).error.param).toBe('anthropic-version')
    })
  })

  it('in the envelope of its family, with the request id in body and header', async () => {
    const response = await send(simulator(), request('Hi', { temperature: 1.5 }))
    const id = response.headers.get('request-id')
    expect(id).toMatch(/^req_[0-9a-f]{32}$/)
    expect(await response.json()).toEqual({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code: 400,
        message: '`temperature`: expected at most 1, got 1.5.',
        param: 'temperature',
        details: [{ code: 400, message: '`temperature`: expected at most 1, got 1.5', field: 'temperature' }],
        trace_id: expect.stringMatching(/^trc_/) as string,
      },
      request_id: id,
    })
  })

  const emptyMessage = 'must not be empty, except in a final assistant message'
  const anyObject = { type: 'json_schema', schema: { type: 'object' } }
  const said = (...messages: unknown[]) => ({ messages })
  const shaped = (input_schema: object) => ({ tools: [{ name: 'x', input_schema }] })
  const thoughtful = (more: object) => ({ ...thinking, ...more })
  const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } })
  const [content, block] = ['messages[0].content', 'messages[0].content[0]']
  const noSystem = 'expected one of "user", "assistant", got "system": put instructions in the `system` field'
  const otherFamily =
    'expected "custom" or the type of a server tool, such as web_search_20250305, got "function" ' +
    '(and 1 more error, see details)'
  const notContinued =
    'cannot be combined with output_config.format: omit the final assistant message or the format'
  const notForced =
    'must not force a tool when thinking is enabled: expected type "auto" or "none", got "any"'
  const notBlank = 'expected at least one non-whitespace character'

  it.each<[string, object, string, string | RegExp]>([
    [
      'max_tokens above the ceiling',
      { max_tokens: 8193 },
      'max_tokens',
      'expected at most 8192 (setting messages.maxTokens), got 8193',
    ],
    ['instructions among the messages', said(turn('system', 'x'), user('y')), 'messages[0].role', noSystem],
    [
      'an assistant who begins',
      said(assistant('x'), user('y')),
      'messages[0].role',
      'expected "user" as the role of the first message, got "assistant"',
    ],
    ['an empty message', said(user('')), content, emptyMessage],
    [
      'an empty list of blocks',
      said(user('x'), assistant([]), user('y')),
      'messages[1].content',
      emptyMessage,
    ],
    ['a message of blanks', said(user(' \n')), content, notBlank],
    ['an empty text block', said(user([text('')])), `${block}.text`, 'must not be empty: omit the block'],
    [
      'a forced tool without tools',
      { tool_choice: { type: 'any' } },
      'tool_choice',
      'can force a tool only if the request has `tools`',
    ],
    [
      'a choice of a tool that is not there',
      { tools: [weather], tool_choice: { type: 'tool', name: 'fly' } },
      'tool_choice.name',
      'expected the name of a tool in `tools` ("get_weather"), got "fly"',
    ],
    [
      'two tools of one name',
      { tools: [weather, weather] },
      'tools[1].name',
      'must be unique: tools[0] is also named "get_weather"',
    ],
    [
      'a tool of the other family',
      { tools: [{ type: 'function', function: { name: 'x', parameters: {} } }] },
      'tools[0].type',
      otherFamily,
    ],
    [
      'a schema that cannot be followed',
      shaped({ type: 'object', properties: { a: { type: 'texts' } } }),
      'tools[0].input_schema.properties.a',
      /^Invalid schema at `tools\[0\]\.input_schema`: properties\.a\.type: got "texts"/,
    ],
    [
      'a format that cannot be followed',
      { output_config: { format: { type: 'json_schema', schema: { $ref: '#/$defs/x' } } } },
      'output_config.format.schema',
      /^Invalid schema at `output_config\.format\.schema`: \$ref: /,
    ],
    [
      'a thinking budget as large as the limit',
      budget(2000),
      'thinking.budget_tokens',
      'expected less than max_tokens (1000), got 2000',
    ],
    [
      'thinking with a temperature',
      thoughtful({ temperature: 0 }),
      'temperature',
      'must be 1 when thinking is enabled, got 0',
    ],
    [
      'thinking with top_k',
      thoughtful({ top_k: 5 }),
      'top_k',
      'is not allowed when thinking is enabled: remove it',
    ],
    [
      'thinking with a low top_p',
      thoughtful({ top_p: 0.5 }),
      'top_p',
      'expected 0.95 to 1 when thinking is enabled, got 0.5',
    ],
    [
      'thinking with a forced tool',
      { tools: [weather], tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } },
      'tool_choice',
      notForced,
    ],
    [
      'a beginning that ends blank',
      said(user('x'), assistant('So ')),
      'messages[1].content',
      'must not end with whitespace, because the response continues this text',
    ],
    [
      'a beginning and a format',
      { ...said(user('x'), assistant('{')), output_config: { format: anyObject } },
      'messages[1].content',
      notContinued,
    ],
    [
      'a format in two places',
      { output_format: anyObject, output_config: { format: anyObject } },
      'output_format',
      'cannot be combined with output_config.format: send only output_config.format',
    ],
  ])('%s', async (_, change, param, message) => {
    const error = await rejectionTo(change)
    expect(error.param).toBe(param)
    if (typeof message === 'string') expect(error.message).toBe(`\`${param}\`: ${message}.`)
    else expect(error.message).toMatch(message)
  })

  describe('tools that are not answered as they were asked', () => {
    const opening = [user('What is the weather?')]
    const unanswered = (id: string) =>
      `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each ` +
      `tool_use needs a tool_result at the start of the next turn`
    const [first, second] = [asked('toolu_1'), asked('toolu_2')]
    const result = answered('toolu_1')

    const use = 'messages[1].content'
    const response = 'messages[2].content[1]'
    it.each<[string, unknown[], string, string]>([
      ['at all', [assistant([first]), user('Well?')], `${use}[0]`, unanswered('toolu_1')],
      ['by the end', [assistant([first])], `${use}[0]`, unanswered('toolu_1')],
      ['each', [assistant([first, second]), user([result])], `${use}[1]`, unanswered('toolu_2')],
      [
        'once',
        [assistant([first]), user([result, result])],
        `${response}.tool_use_id`,
        '"toolu_1" has two tool_result blocks',
      ],
      [
        'by their ids',
        [assistant([first]), user([result, answered('toolu_9')])],
        `${response}.tool_use_id`,
        '"toolu_9" matches no tool_use block in the previous turn: each tool_result needs a matching ' +
          'tool_use',
      ],
      [
        'before anything else is said',
        [assistant([first]), user([text('Here:'), result])],
        response,
        'must precede messages[2].content[0]: put the tool_result blocks of a turn first',
      ],
      [
        'under ids of their own',
        [assistant([first, first]), user([result])],
        `${use}[1].id`,
        '"toolu_1" is not unique: each tool_use block needs a unique id',
      ],
    ])('%s', async (_, rest, field, message) => {
      const { details } = await rejectionTo({ messages: [...opening, ...rest] })
      expect(details).toEqual([{ code: 400, field, message: `\`${field}\`: ${message}` }])
    })

    it('or come back without the thinking they came with', async () => {
      const after = (...blocks: unknown[]) => ({
        ...thinking,
        messages: [...opening, assistant([...blocks, first]), user([result])],
      })
      const expected = 'expected a thinking or redacted_thinking block first, got "tool_use"'
      expect(await rejectionTo(after())).toMatchObject({
        param: 'messages[1].content[0]',
        message: expect.stringContaining(expected) as string,
      })
      const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sig' }
      await messageOf(simulator(), request('', after(thought)))
    })
  })

  it('message threads, in the words that make clients go on without them', async () => {
    expect(await rejectionTo({ thread: { type: 'create' } })).toMatchObject({
      type: 'invalid_request_error',
      param: 'thread',
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    })
    await messageOf(simulator(), request('Hi', { thread: null }))
  })

  it('at most twenty things at once, the first by name', async () => {
    const error = await rejectionTo({ messages: Array.from({ length: 50 }, () => user(' ')) })
    expect(error.details).toHaveLength(20)
    expect(error.message).toBe(
      '`messages[0].content`: expected at least one non-whitespace character (and 19 more errors, see details).',
    )
  })

  it('fields that nobody knows have no effect', async () => {
    const { stop_reason } = await messageOf(simulator(), request('Hi', { colour: 'red' }))
    expect(stop_reason).toBe('end_turn')
  })
})

describeIntegrations('messages.create answers', (integration) => {
  it('with a message', async () => {
    const { fetch, url } = await integration.open(simulator({ clock: 'auto' }))
    const { method, body } = jsonCall(hello)
    const call = { method, body, headers: { ...headers, 'content-type': 'application/json' } }
    const response = await fetch(`${url}/v1/messages?beta=true`, call)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/) as string,
      type: 'message',
      role: 'assistant',
      model: 'claude-3-5-haiku-20241022',
      content: [{ type: 'text', text: 'hello there' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 2 },
    })
  })
})

describe('messages.create answers', () => {
  it('with the headers of its family, which count down under a limit', async () => {
    const sim = simulator({
      settings: { limits: { requestsPerMinute: 5 } },
      start: '2026-01-01T00:00:20.500Z',
    })
    const response = await send(sim, hello)
    expect(response.headers.get('request-id')).toMatch(/^req_/)
    expect(response.headers.get('anthropic-organization-id')).toBe('gateway-sim')
    const limits = ['limit', 'remaining', 'reset'].map((name) =>
      response.headers.get(`anthropic-ratelimit-requests-${name}`),
    )
    expect(limits).toEqual(['5', '4', '2026-01-01T00:01:00Z'])
    expect([...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })

  it('without a limit with constant ones', async () => {
    const sim = simulator({ start: '2026-01-01T00:00:20.500Z' })
    const seen = [await send(sim, hello), await send(sim, hello)].map((response) =>
      [...response.headers].filter(([name]) => name.startsWith('anthropic-ratelimit')),
    )
    const headersOf = (kind: string, limit: string, remaining: string) => [
      [`anthropic-ratelimit-${kind}-limit`, limit],
      [`anthropic-ratelimit-${kind}-remaining`, remaining],
      [`anthropic-ratelimit-${kind}-reset`, '2026-01-01T00:00:21Z'],
    ]
    const all = [
      ...headersOf('requests', '4000', '3999'),
      ...headersOf('tokens', '480000', '480000'),
      ...headersOf('input-tokens', '400000', '400000'),
      ...headersOf('output-tokens', '80000', '80000'),
    ]
    for (const pairs of seen) expect(Object.fromEntries(pairs)).toEqual(Object.fromEntries(all))
  })

  it('a rejected request beyond the limit names the wait', async () => {
    const sim = simulator({ settings: { limits: { requestsPerMinute: 1 } } })
    await send(sim, hello)
    const rejected = await send(sim, hello)
    expect([
      rejected.status,
      rejected.headers.get('retry-after'),
      rejected.headers.get('anthropic-ratelimit-requests-remaining'),
    ]).toEqual([429, '60', '0'])
    expect(await rejected.json()).toMatchObject({ error: { type: 'rate_limit_error' } })
  })

  it('up to a ceiling that the settings raise', async () => {
    const sim = simulator({ settings: { messages: { maxTokens: 64_000 } } })
    expect((await messageOf(sim, request('Say "hi"', { max_tokens: 64_000 }))).content).toEqual([
      { type: 'text', text: 'hi' },
    ])
    expect((await rejectionOf(sim, request('Say "hi"', { max_tokens: 64_001 }))).param).toBe('max_tokens')
  })

  it('as each of five models of a catalogue, and as no sixth', async () => {
    const five = [
      ...['claude-3-5-sonnet-20241022', 'claude-3-5-haiku-20241022', 'claude-3-opus-20240229'],
      ...['claude-3-sonnet-20240229', 'claude-3-haiku-20240307'],
    ]
    const sim = simulator({ settings: { models: { messages: five } } })
    for (const model of five) expect(await messageOf(sim, request('Hi', { model }))).toMatchObject({ model })
    expect((await send(sim, request('Hi', { model: 'claude-2.1' }))).status).toBe(404)
  })

  it('every parameter at its bounds, and what else its clients send', async () => {
    const body = request('Say "fine"', {
      max_tokens: 8192,
      system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      metadata: { user_id: 'u-1' },
      stop_sequences: ['zzz', 'yyy', 'xxx', 'www'],
      stream: false,
      temperature: 0,
      top_k: 1,
      top_p: 1,
      service_tier: 'standard_only',
      container: null,
      speed: 'standard',
      cache_control: { type: 'ephemeral' },
      output_config: { effort: 'max' },
      thinking: { type: 'disabled' },
      tools: [],
      context_management: { edits: [] },
    })
    expect(await messageOf(simulator(), body)).toMatchObject({
      content: [{ type: 'text', text: 'fine' }],
    })
    const nulls = { temperature: null, system: null, tools: null, stop_sequences: null }
    expect(await textOf(simulator(), request('Say "fine"', nulls))).toBe('fine')
  })

  it('to blocks of every kind', async () => {
    const document = (source: object, more: object = {}) => ({ type: 'document', source, ...more })
    const pdf = { title: 'A', context: 'B', citations: { enabled: true } }
    const first = [
      text('Look at these.'),
      image(inBase64('image/png', 'iVBORw0KGgo=')),
      image({ type: 'url', url: 'https://pictures.example/a.png' }),
      document(inBase64('application/pdf', 'JVBERi0='), pdf),
      document({ type: 'text', media_type: 'text/plain', data: 'A text.' }),
      document({ type: 'url', url: 'https://files.example/a.pdf' }),
      document({ type: 'content', content: [text('Part')] }),
      { type: 'search_result', source: 'https://a.example', title: 'A', content: [text('Found.')] },
    ]
    const second = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
      text('Let me see.'),
      asked('toolu_1'),
    ]
    const result = answered('toolu_1', [text('sunny'), image(inBase64('image/jpeg', '/9j/'))])
    const messages = [user(first), assistant(second), user([result, text('Say "seen"')])]
    const { content, usage } = await messageOf(simulator(), request('', { messages }))
    expect(content).toHaveLength(1)
    // Three images and a linked document at a flat rate each.
    expect(usage.input_tokens).toBeGreaterThan(4 * 1600)
  })

  it('the same to one turn in several messages as to one message', async () => {
    const split = [user('Say'), user([text('"one turn"')])]
    expect(await textOf(simulator(), request('', { messages: split }))).toBe('one turn')
    const messages = [
      user('What is the weather in Rome and Oslo?'),
      assistant([asked('toolu_1')]),
      assistant([asked('toolu_2')]),
      user([answered('toolu_1', 'sunny')]),
      user([answered('toolu_2', 'rainy')]),
    ]
    expect(await textOf(simulator(), request('', { tools: [weather], messages }))).toMatch(
      /get_weather returned: sunny\nget_weather returned: rainy$/,
    )
  })

  it('an empty last message of the assistant as if it were not there', async () => {
    for (const content of ['', []]) {
      const messages = [user('Say "done"'), assistant(content)]
      expect(await textOf(simulator(), request('', { messages }))).toBe('done')
    }
  })

  it('the same content to everybody, under ids of their own', async () => {
    const sim = simulator()
    const question = request('Tell me about foxes')
    const [first, again] = [await messageOf(sim, question), await messageOf(sim, question)]
    const asOther = { ...headers, 'x-api-key': 'sk-other' }
    const tracked = { ...question, metadata: { user_id: 'x' }, service_tier: 'auto' }
    const other = (await (await send(sim, tracked, asOther)).json()) as typeof first
    expect([again.content, other.content]).toEqual([first.content, first.content])
    expect(new Set([first.id, again.id, other.id]).size).toBe(3)
  })
})

describe('reserved values of messages.create', () => {
  it('refusal and content-filter end with the reason refusal, length with max_tokens', async () => {
    const ended = async (model: string): Promise<unknown[]> => {
      const said = request('Say "one two three four"', { model })
      const { stop_reason, content, usage } = await messageOf(simulator(), said)
      return [stop_reason, ...content.map(({ text }) => text), usage.output_tokens]
    }
    expect(await ended('sim-refusal')).toEqual(['refusal', "I'm sorry, but I can't help with that.", 10])
    expect(await ended('sim-content-filter')).toEqual(['refusal', 'one two', 2])
    expect(await ended('sim-length')).toEqual(['max_tokens', 'one two', 2])
  })

  it.each([
    ['content-filter', 'refusal'],
    ['length', 'max_tokens'],
  ])('%s cuts a call in its middle too', async (word, reason) => {
    const body = request('What is the weather in Constantinople?', { tools: [weather] })
    const whole = await messageOf(simulator(), body)
    const cut = await messageOf(simulator(), { ...body, model: `sim-${word}` })
    expect([cut.stop_reason, cut.content.map(({ name, input }) => [name, input])]).toEqual([
      reason,
      [['get_weather', {}]],
    ])
    expect(cut.usage.output_tokens).toBe(whole.usage.output_tokens >> 1)
  })

  it('stand in the prompt too, also when the last message holds only results of tools', async () => {
    const messages = [
      user('What is the weather? [sim:rate-limit]'),
      assistant([asked('toolu_1')]),
      user([answered('toolu_1')]),
    ]
    expect((await send(simulator(), request('', { messages }))).status).toBe(429)
  })
})
