import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { asking, type Body, type Choice, completed, model, only, refused } from './_chat.ts'

const parametersOf = (
  properties: Record<string, unknown>,
  required: string[] = Object.keys(properties),
): object => ({ type: 'object', properties, required, additionalProperties: false })
const functionTool = (
  name: string,
  description: string,
  parameters?: object,
  extra: object = {},
): { type: 'function'; function: { name: string; description: string; parameters: object | undefined } } => ({
  type: 'function',
  function: { name, description, parameters, ...extra },
})
const weather = functionTool(
  'get_weather',
  'Get the current weather',
  parametersOf({ location: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } }, [
    'location',
  ]),
)
const time = functionTool('get_time', 'Get the current time', parametersOf({ city: { type: 'string' } }))
const mail = functionTool(
  'send_email',
  'Send an email',
  parametersOf({
    to: { type: 'string', format: 'email' },
    subject: { type: 'string' },
    body: { type: 'string' },
  }),
)
const tools = [weather, time, mail]
const custom = (name: string, format?: object): object => ({
  type: 'custom',
  custom: { name, description: 'Runs code', format },
})
const grammar = (syntax: string, definition: string): object => ({
  type: 'grammar',
  grammar: { syntax, definition },
})

interface Called {
  readonly name: string
  readonly input: unknown
}

const callsOf = ({ message }: Choice): Called[] =>
  (message.tool_calls ?? []).map((call) =>
    call.type === 'function'
      ? { name: call.function.name, input: JSON.parse(call.function.arguments) }
      : { name: call.custom.name, input: call.custom.input },
  )
const called = async (content: string, extra: Body = { tools }): Promise<Called[]> =>
  callsOf(only(await completed(asking(content, extra))))
const namesOf = async (content: string, extra?: Body): Promise<string[]> =>
  (await called(content, extra)).map(({ name }) => name)

describe('tool_choice auto', () => {
  it('calls the tool that the prompt is about', async () => {
    expect(only(await completed(asking('What is the weather in Paris in celsius?', { tools })))).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [
          {
            id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
            type: 'function',
            function: { name: 'get_weather', arguments: '{"location":"Paris","unit":"celsius"}' },
          },
        ],
        annotations: [],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    })
  })

  it('answers in text when no tool fits', async () => {
    const { message, finish_reason } = only(await completed(asking('Tell me a joke', { tools })))
    expect(finish_reason).toBe('stop')
    expect(message.content).toContain('joke')
    expect(message).not.toHaveProperty('tool_calls')
  })

  it('is what holds without a tool_choice', async () => {
    expect(await namesOf('Weather in Paris', { tools, tool_choice: 'auto' })).toEqual(
      await namesOf('Weather in Paris', { tools }),
    )
    expect(await namesOf('Tell me a joke', { tools: [] })).toEqual([])
  })
})

describe('other choices', () => {
  it('none: answers in text', async () => {
    expect(
      only(await completed(asking('What is the weather in Paris?', { tools, tool_choice: 'none' })))
        .finish_reason,
    ).toBe('stop')
  })

  it('required: calls a tool whatever the prompt says', async () => {
    expect(await namesOf('Tell me a joke', { tools, tool_choice: 'required' })).toEqual(['get_weather'])
    expect(await namesOf('What time is it in Rome?', { tools, tool_choice: 'required' })).toEqual([
      'get_time',
    ])
  })

  it('a function by name: calls it, and ends with tool_calls', async () => {
    const choice = only(
      await completed(
        asking('What is the weather in Paris?', {
          tools,
          tool_choice: { type: 'function', function: { name: 'send_email' } },
        }),
      ),
    )
    expect([callsOf(choice).map(({ name }) => name), choice.finish_reason]).toEqual([
      ['send_email'],
      'tool_calls',
    ])
  })

  it('allowed_tools: chooses among these alone', async () => {
    const allowed = (mode: string): Body => ({
      tools,
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode,
          tools: [
            { type: 'function', function: { name: 'get_time' } },
            { type: 'function', function: { name: 'send_email' } },
          ],
        },
      },
    })
    expect(await namesOf('What is the weather in Paris?', allowed('auto'))).toEqual([])
    expect(await namesOf('What is the weather in Paris?', allowed('required'))).toEqual(['get_time'])
    expect(await namesOf('What time is it in Paris?', allowed('auto'))).toEqual(['get_time'])
  })
})

describe('parallel calls', () => {
  it('two places are two calls of one tool', async () => {
    expect(await called('What is the weather in Paris and London?')).toEqual([
      { name: 'get_weather', input: expect.objectContaining({ location: 'Paris' }) },
      { name: 'get_weather', input: expect.objectContaining({ location: 'London' }) },
    ])
    expect(
      (await called('Weather in Paris, New York and Rome please')).map(
        ({ input }) => (input as { location: string }).location,
      ),
    ).toEqual(['Paris', 'New York', 'Rome'])
  })

  it('two tools that are named are two calls', async () => {
    expect(await called('What is the weather in Paris and the time in Tokyo?')).toMatchObject([
      { name: 'get_weather', input: { location: 'Paris' } },
      { name: 'get_time' },
    ])
  })

  it('have ids of their own', async () => {
    const { message } = only(await completed(asking('What is the weather in Paris and London?', { tools })))
    expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(2)
  })

  it('are not made with parallel_tool_calls: false', async () => {
    expect(
      await called('What is the weather in Paris and London?', { tools, parallel_tool_calls: false }),
    ).toHaveLength(1)
    expect(
      await called('What is the weather in Paris and the time in Tokyo?', {
        tools,
        parallel_tool_calls: false,
      }),
    ).toHaveLength(1)
  })

  it('are not made for two names that go into one call', async () => {
    const search = functionTool('web_search', 'Search the web', parametersOf({ query: { type: 'string' } }))
    expect(await called('Search for Simon and Garfunkel', { tools: [search] })).toHaveLength(1)
    const route = functionTool(
      'find_route',
      'Find a route',
      parametersOf({ from: { type: 'string' }, to: { type: 'string' } }),
    )
    expect(await called('Find a route between Paris and London', { tools: [route] })).toHaveLength(1)
    const many = functionTool(
      'get_weather',
      'Get weather',
      parametersOf({ cities: { type: 'array', items: { type: 'string' } } }),
    )
    expect(await called('Weather in Paris and London', { tools: [many] })).toEqual([
      { name: 'get_weather', input: { cities: expect.arrayContaining(['Paris', 'London']) } },
    ])
  })
})

describe('arguments', () => {
  it.each<[string, string, object, object]>([
    [
      'a place and a unit',
      'Weather in Lisbon in fahrenheit',
      weather,
      { location: 'Lisbon', unit: 'fahrenheit' },
    ],
    [
      'a mail',
      'Send an email to bob@example.com with the subject "Lunch"',
      mail,
      { to: 'bob@example.com', subject: 'Lunch' },
    ],
    [
      'numbers',
      'Please add 17 and 25',
      functionTool('add', 'Adds two numbers', parametersOf({ a: { type: 'number' }, b: { type: 'number' } })),
      { a: 17, b: 25 },
    ],
    [
      'an order',
      'Where is my order 4711?',
      functionTool('lookup_order', 'Looks up an order', parametersOf({ order_id: { type: 'string' } })),
      { order_id: '4711' },
    ],
  ])('take over what the prompt says: %s', async (_, content, tool, values) => {
    expect((await called(content, { tools: [tool], tool_choice: 'required' }))[0]?.input).toMatchObject(
      values,
    )
  })

  it.each([{}, true, { $comment: 'nothing' }])('are an object where the schema is %j', async (parameters) => {
    const tool = functionTool('act', 'Acts', parameters as object)
    expect((await called('Act now', { tools: [tool], tool_choice: 'required' }))[0]?.input).toEqual({})
  })

  it.each<[string, object]>([
    [
      'numbers in bounds',
      parametersOf({
        a: { type: 'integer', minimum: 3, maximum: 5 },
        b: { type: 'number', multipleOf: 0.5 },
      }),
    ],
    [
      'lists and nesting',
      parametersOf({
        items: {
          type: 'array',
          minItems: 2,
          uniqueItems: true,
          items: parametersOf({
            sku: { type: 'string', pattern: '^[A-Z]{3}-\\d+$' },
            count: { type: 'integer', exclusiveMinimum: 0 },
          }),
        },
      }),
    ],
    [
      'choices',
      parametersOf({
        mode: { enum: ['fast', 'slow', 3] },
        when: { type: ['string', 'null'], format: 'date-time' },
      }),
    ],
    ['no properties', { type: 'object', properties: {}, additionalProperties: false }],
  ])('conform to the parameters, with and without strict: %s', async (_, parameters) => {
    const conforms = new Ajv2020({ strict: false, validateFormats: false }).compile(parameters)
    for (const strict of [true, false]) {
      for (const seed of [1, 2, 3]) {
        const [call] = await called('Do it', {
          tools: [functionTool('do_it', 'Does it', parameters, { strict })],
          tool_choice: 'required',
          seed,
        })
        expect(conforms(call?.input), JSON.stringify([call?.input, conforms.errors])).toBe(true)
      }
    }
  })

  it('are an empty object for a tool without parameters', async () => {
    expect(
      await called('Ping it', { tools: [functionTool('ping', 'Pings')], tool_choice: 'required' }),
    ).toEqual([{ name: 'ping', input: {} }])
  })
})

describe('custom tools', () => {
  const run = async (content: string, format?: object): Promise<string> => {
    const [call] = await called(content, {
      tools: [custom('run_code', format)],
      tool_choice: { type: 'custom', custom: { name: 'run_code' } },
    })
    expect(call?.name).toBe('run_code')
    return call?.input as string
  }

  it('get text: what is asked for word for word, the code of the prompt, or prose', async () => {
    expect(await run('Say "print(1)"')).toBe('print(1)')
    expect(await run('Run this:\n```python\nprint(2)\n```', { type: 'text' })).toBe('print(2)')
    expect(await run('Tell me about trains')).toContain('trains')
  })

  it('are called with the custom form', async () => {
    const { message, finish_reason } = only(
      await completed(asking('Say "x"', { tools: [custom('run_code')], tool_choice: 'required' })),
    )
    expect(message.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
        type: 'custom',
        custom: { name: 'run_code', input: 'x' },
      },
    ])
    expect(finish_reason).toBe('tool_calls')
  })

  it.each(['\\d{3}-[a-z]{2,4}', '^(?:add|mul)\\([0-9]+, [0-9]+\\)$', '[A-F0-9]{8}'])(
    'keep to a grammar by regular expression: %s',
    async (definition) => {
      expect(await run('Do it', grammar('regex', definition))).toMatch(new RegExp(definition))
    },
  )

  it('with a regular expression that is none are refused', async () => {
    const { status, body } = await refused(
      asking('Hi', { tools: [custom('run_code', grammar('regex', '('))] }),
    )
    expect([status, body]).toMatchObject([
      400,
      {
        error: {
          param: 'tools[0].custom.format.grammar.definition',
          message: expect.stringMatching(
            new RegExp(
              '^Invalid schema at `tools\\[0\\]\\.custom\\.format\\.grammar\\.definition`: pattern: got ' +
                '"\\("; write a regular expression',
            ),
          ),
        },
      },
    ])
  })

  describe('with a lark grammar, whose text the simulator does not write', () => {
    const lark = custom('patch_file', grammar('lark', 'start: "a"'))

    it('may be offered', async () => {
      expect(await namesOf('What is the weather in Paris?', { tools: [lark, weather] })).toEqual([
        'get_weather',
      ])
      expect(await namesOf('Please call patch_file', { tools: [lark] })).toEqual([])
      expect(
        await namesOf('Please call patch_file', { tools: [lark, weather], tool_choice: 'required' }),
      ).toEqual(['get_weather'])
    })

    it.each<[string, unknown]>([
      ['required', 'required'],
      ['by name', { type: 'custom', custom: { name: 'patch_file' } }],
    ])('are refused where nothing else can be called: %s', async (_, tool_choice) => {
      const message =
        '`tools[0].custom.format.grammar.syntax`: the simulator writes no text of this grammar, and the ' +
        'tool "patch_file" must be called: expected a grammar with the syntax "regex", or the format ' +
        '"text".'
      expect(await refused(asking('Hi', { tools: [lark], tool_choice }))).toMatchObject({
        status: 400,
        body: { error: { message, param: 'tools[0].custom.format.grammar.syntax' } },
      })
    })
  })
})

describe('after the results of tools', () => {
  const call = (id: string, name: string): object => ({
    id,
    type: 'function',
    function: { name, arguments: '{}' },
  })
  const conversation = (...results: readonly [string, unknown][]): object[] => [
    { role: 'user', content: 'What is the weather in Paris?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: results.map(([name], index) => call(`call_${index}`, name)),
    },
    ...results.map(([, content], index) => ({ role: 'tool', tool_call_id: `call_${index}`, content })),
  ]

  it('the answer is text that quotes them', async () => {
    const { message, finish_reason } = only(
      await completed({
        model,
        tools,
        messages: conversation(
          ['get_weather', '18°C and "clear"'],
          ['get_time', [{ type: 'text', text: '10:45' }]],
        ),
      }),
    )
    expect(finish_reason).toBe('stop')
    expect(message.content).toContain('get_weather returned: 18°C and "clear"')
    expect(message.content).toContain('get_time returned: 10:45')
  })

  it('those of the last calls are quoted, and none when the model has answered already', async () => {
    const first = conversation(['get_weather', '18°C'])
    const again = [
      ...first,
      { role: 'assistant', content: null, tool_calls: [call('call_9', 'get_time')] },
      { role: 'tool', tool_call_id: 'call_9', content: '10:45' },
    ]
    const { message } = only(await completed({ model, tools, messages: again }))
    expect([
      message.content?.includes('get_time returned: 10:45'),
      message.content?.includes('18°C'),
    ]).toEqual([true, false])
    const answered = only(
      await completed({
        model,
        tools,
        tool_choice: 'none',
        messages: [...first, { role: 'assistant', content: 'It is 18°C.' }],
      }),
    )
    expect(answered.message.content).not.toContain('returned')
  })

  it('a long result is quoted in part', async () => {
    const { message } = only(
      await completed({ model, tools, messages: conversation(['get_weather', 'rain '.repeat(10_000)]) }),
    )
    expect((message.content as string).length).toBeLessThan(5000)
  })

  it('a choice of a name calls that tool again, one of required goes on to another', async () => {
    const messages = conversation(['get_weather', '18°C'])
    const calledFor = async (tool_choice: unknown): Promise<string[]> =>
      callsOf(only(await completed({ model, tools, tool_choice, messages }))).map(({ name }) => name)
    expect(await calledFor({ type: 'function', function: { name: 'get_weather' } })).toEqual(['get_weather'])
    expect(await calledFor('required')).toEqual(['get_time'])
  })

  it('a new question may call again', async () => {
    const messages = [
      ...conversation(['get_weather', '18°C']),
      { role: 'assistant', content: 'It is 18°C.' },
      { role: 'user', content: 'And what time is it in Rome?' },
    ]
    expect(callsOf(only(await completed({ model, tools, messages }))).map(({ name }) => name)).toEqual([
      'get_time',
    ])
  })
})

describe('legacy functions', () => {
  const functions = tools.map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    parameters,
  }))
  const ask = async (content: string, extra: Body = {}): Promise<Choice> =>
    only(await completed(asking(content, { functions, ...extra })))

  it('auto: are called one at a time, and end with function_call', async () => {
    expect(await ask('What is the weather in Paris in celsius?')).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        function_call: { name: 'get_weather', arguments: '{"location":"Paris","unit":"celsius"}' },
        annotations: [],
      },
      logprobs: null,
      finish_reason: 'function_call',
    })
    expect(
      (await ask('What is the weather in Paris and London?')).message.function_call?.arguments,
    ).toContain('Paris')
  })

  it('auto: are not called when none fits', async () => {
    expect((await ask('Tell me a joke')).finish_reason).toBe('stop')
    expect((await ask('Tell me a joke', { function_call: 'auto' })).finish_reason).toBe('stop')
  })

  it('none: are not called', async () => {
    expect((await ask('What is the weather in Paris?', { function_call: 'none' })).finish_reason).toBe('stop')
  })

  it('by name: are called whatever the prompt says', async () => {
    expect(
      (await ask('Tell me a joke', { function_call: { name: 'get_time' } })).message.function_call?.name,
    ).toBe('get_time')
  })

  it('are answered in text that quotes the result', async () => {
    const messages = [
      { role: 'user', content: 'What is the weather in Paris?' },
      { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{}' } },
      { role: 'function', name: 'get_weather', content: '18°C' },
    ]
    expect(only(await completed({ model, functions, messages }))).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringContaining('get_weather returned: 18°C') },
    })
  })

  it('have arguments that a limit can cut', async () => {
    expect(await ask('What is the weather in Constantinople?', { max_tokens: 8 })).toMatchObject({
      finish_reason: 'length',
      message: { function_call: { name: 'get_weather' } },
    })
  })
})
