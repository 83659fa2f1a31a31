/** Which tools chat.create calls, and in which form. What fits a prompt is proved in test/behaviours. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { answerTo, asking, type Body, type Choice, completed, functionTool, model, only } from './_chat.ts'

const units = { type: 'string', enum: ['celsius', 'fahrenheit'] }
const weather = functionTool(
  'get_weather',
  'Get the current weather',
  { location: { type: 'string' }, unit: units },
  { required: ['location'] },
)
const time = functionTool('get_time', 'Get the current time', { city: { type: 'string' } })
const mail = functionTool('send_email', 'Send an email', {
  to: { type: 'string', format: 'email' },
  subject: { type: 'string' },
  body: { type: 'string' },
})
const tools = [weather, time, mail]
const named = (...names: string[]): object[] =>
  names.map((name) => ({ type: 'function', function: { name } }))
const inParis = 'What is the weather in Paris?'

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
const called = async (content: string, extra: Body = {}): Promise<Called[]> =>
  callsOf(await answerTo(content, { tools, ...extra }))
const namesOf = async (content: string, extra?: Body): Promise<string[]> =>
  (await called(content, extra)).map(({ name }) => name)

describe('tool_choice auto', () => {
  it('calls the tool that the prompt is about', async () => {
    const id = expect.stringMatching(/^call_[0-9a-f]{24}$/)
    const called = { name: 'get_weather', arguments: '{"location":"Paris","unit":"celsius"}' }
    const tool_calls = [{ id, type: 'function', function: called }]
    expect(only(await completed(asking('What is the weather in Paris in celsius?', { tools })))).toEqual({
      ...{ index: 0, logprobs: null, finish_reason: 'tool_calls' },
      message: { role: 'assistant', content: null, refusal: null, tool_calls, annotations: [] },
    })
  })

  it('answers in text when no tool fits', async () => {
    const { message, finish_reason } = await answerTo('Tell me a joke', { tools })
    expect([finish_reason, message.content]).toEqual(['stop', expect.any(String)])
    expect(message).not.toHaveProperty('tool_calls')
  })

  it('is what holds without a tool_choice', async () => {
    expect(await namesOf('Weather in Paris', { tool_choice: 'auto' })).toEqual(
      await namesOf('Weather in Paris'),
    )
    expect(await namesOf('Tell me a joke', { tools: [] })).toEqual([])
  })
})

describe('other choices', () => {
  it('none: answers in text', async () => {
    expect((await answerTo(inParis, { tools, tool_choice: 'none' })).finish_reason).toBe('stop')
  })

  it('required: calls a tool whatever the prompt says', async () => {
    expect(await namesOf('Tell me a joke', { tool_choice: 'required' })).toEqual(['get_weather'])
    expect(await namesOf('What time is it in Rome?', { tool_choice: 'required' })).toEqual(['get_time'])
  })

  it('a function by name: calls it, and ends with tool_calls', async () => {
    const choice = await answerTo(inParis, { tools, tool_choice: named('send_email')[0] })
    expect([callsOf(choice)[0]?.name, choice.finish_reason]).toEqual(['send_email', 'tool_calls'])
  })

  it('allowed_tools: chooses among these alone', async () => {
    const allowed = (mode: string): Body => ({
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: named('get_time', 'send_email') } },
    })
    expect(await namesOf(inParis, allowed('auto'))).toEqual([])
    expect(await namesOf(inParis, allowed('required'))).toEqual(['get_time'])
    expect(await namesOf('What time is it in Paris?', allowed('auto'))).toEqual(['get_time'])
  })
})

describe('parallel calls', () => {
  const both = 'What is the weather in Paris and London?'

  it('two places are two calls of one tool', async () => {
    expect(await called(both)).toMatchObject([
      { name: 'get_weather', input: { location: 'Paris' } },
      { name: 'get_weather', input: { location: 'London' } },
    ])
  })

  it('two tools that are named are two calls', async () => {
    expect(await called('What is the weather in Paris and the time in Tokyo?')).toMatchObject([
      { name: 'get_weather', input: { location: 'Paris' } },
      { name: 'get_time' },
    ])
  })

  it('have ids of their own', async () => {
    const { message } = await answerTo(both, { tools })
    expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(2)
  })

  it('are not made with parallel_tool_calls: false', async () => {
    for (const prompt of [both, 'What is the weather in Paris and the time in Tokyo?'])
      expect(await called(prompt, { parallel_tool_calls: false })).toHaveLength(1)
  })

  it('are not made for two names that go into one call', async () => {
    const search = functionTool('web_search', 'Search the web', { query: { type: 'string' } })
    expect(await called('Search for Simon and Garfunkel', { tools: [search] })).toHaveLength(1)
    const cities = { cities: { type: 'array', items: { type: 'string' } } }
    const many = functionTool('get_weather', 'Get weather', cities)
    expect(await called('Weather in Paris and London', { tools: [many] })).toEqual([
      { name: 'get_weather', input: { cities: expect.arrayContaining(['Paris', 'London']) } },
    ])
  })
})

describe('arguments', () => {
  const required = { tool_choice: 'required' }

  it('take over what the prompt says', async () => {
    const [call] = await called('Send an email to bob@example.com with the subject "Lunch"')
    expect(call).toMatchObject({ name: 'send_email', input: { to: 'bob@example.com', subject: 'Lunch' } })
  })

  it.each([undefined, {}, true, { $comment: 'nothing' }])(
    'are an object where the schema is %j',
    async (parameters) => {
      const act = { type: 'function', function: { name: 'act', description: 'Acts', parameters } }
      expect(await called('Act now', { tools: [act], ...required })).toEqual([{ name: 'act', input: {} }])
    },
  )

  it('conform to the parameters, with and without strict', async () => {
    const { function: definition } = functionTool('order', 'Orders', {
      mode: { enum: ['fast', 'slow', 3] },
      items: {
        type: 'array',
        minItems: 2,
        uniqueItems: true,
        items: {
          type: 'object',
          properties: { sku: { type: 'string', pattern: '^[A-Z]{3}-\\d+$' } },
          required: ['sku'],
        },
      },
    })
    const conforms = new Ajv2020({ strict: false }).compile(definition.parameters as object)
    for (const strict of [true, false]) {
      const order = { type: 'function', function: { ...definition, strict } }
      const [call] = await called('Do it', { tools: [order], ...required })
      expect(conforms(call?.input), JSON.stringify([call?.input, conforms.errors])).toBe(true)
    }
  })
})

describe('custom tools', () => {
  const custom = (name: string, format?: object): object => ({
    type: 'custom',
    custom: { name, description: 'Runs code', format },
  })
  const grammar = (syntax: string, definition: string): object => ({
    type: 'grammar',
    grammar: { syntax, definition },
  })
  const run = async (content: string, format?: object): Promise<unknown> => {
    const tool_choice = { type: 'custom', custom: { name: 'run_code' } }
    const [call] = await called(content, { tools: [custom('run_code', format)], tool_choice })
    expect(call?.name).toBe('run_code')
    return call?.input
  }

  it('get text: what is asked for word for word, the code of the prompt, or prose', async () => {
    expect(await run('Say "print(1)"')).toBe('print(1)')
    expect(await run('Run this:\n```python\nprint(2)\n```', { type: 'text' })).toBe('print(2)')
    expect(await run('Tell me about trains')).toMatch(/[a-z]{3}.*\.$/)
  })

  it('are called with the custom form', async () => {
    const choice = await answerTo('Say "x"', { tools: [custom('run_code')], tool_choice: 'required' })
    const id = expect.stringMatching(/^call_[0-9a-f]{24}$/)
    expect(choice).toMatchObject({
      message: { tool_calls: [{ id, type: 'custom', custom: { name: 'run_code', input: 'x' } }] },
      finish_reason: 'tool_calls',
    })
  })

  it('take any text, whatever their grammar', async () => {
    expect(await run('Say "*** Begin"', grammar('lark', 'start: "a"'))).toBe('*** Begin')
  })
})

describe('after the results of tools', () => {
  const calling = (...names: string[]): object => ({
    role: 'assistant',
    content: null,
    tool_calls: names.map((name) => ({ id: name, type: 'function', function: { name, arguments: '{}' } })),
  })
  const result = (name: string, content: unknown): object => ({ role: 'tool', tool_call_id: name, content })
  const user = { role: 'user', content: inParis }
  const known = [user, calling('get_weather'), result('get_weather', '18°C')]
  const after = async (messages: object[], extra: Body = {}): Promise<Choice> =>
    only(await completed({ model, tools, messages, ...extra }))

  it('the answer is text that quotes them', async () => {
    const { message, finish_reason } = await after([
      user,
      calling('get_weather', 'get_time'),
      result('get_weather', '18°C and "clear"'),
      result('get_time', [{ type: 'text', text: '10:45' }]),
    ])
    expect(finish_reason).toBe('stop')
    expect(message.content).toContain('get_weather returned: 18°C and "clear"')
    expect(message.content).toContain('get_time returned: 10:45')
  })

  it('those of the last calls are quoted, and none when the model has answered already', async () => {
    const { message } = await after([...known, calling('get_time'), result('get_time', '10:45')])
    expect(message.content).toContain('get_time returned: 10:45')
    expect(message.content).not.toContain('18°C')
    const answered = [...known, { role: 'assistant', content: 'It is 18°C.' }]
    expect((await after(answered, { tool_choice: 'none' })).message.content).not.toContain('returned')
  })

  it('a long result is quoted in part', async () => {
    const long = result('get_weather', 'rain '.repeat(10_000))
    const { message } = await after([user, calling('get_weather'), long])
    expect((message.content as string).length).toBeLessThan(5000)
  })

  it('a choice of a name calls that tool again, one of required goes on to the last of the others', async () => {
    const calledFor = async (tool_choice: unknown): Promise<unknown> =>
      callsOf(await after(known, { tool_choice })).map(({ name }) => name)
    expect(await calledFor(named('get_weather')[0])).toEqual(['get_weather'])
    expect(await calledFor('required')).toEqual(['send_email'])
  })

  it('a new question may call again', async () => {
    const question = { role: 'user', content: 'And what time is it in Rome?' }
    const choice = await after([...known, { role: 'assistant', content: 'It is 18°C.' }, question])
    expect(callsOf(choice)).toMatchObject([{ name: 'get_time' }])
  })
})

describe('legacy functions', () => {
  const functions = tools.map((tool) => tool.function)
  const ask = async (content: string, extra: Body = {}): Promise<Choice> =>
    only(await completed(asking(content, { functions, ...extra })))

  it('auto: are called one at a time, and end with function_call', async () => {
    const function_call = { name: 'get_weather', arguments: '{"location":"Paris","unit":"celsius"}' }
    expect(await ask('What is the weather in Paris in celsius?')).toEqual({
      ...{ index: 0, logprobs: null, finish_reason: 'function_call' },
      message: { role: 'assistant', content: null, refusal: null, function_call, annotations: [] },
    })
    const { message } = await ask('What is the weather in Paris and London?')
    expect(message.function_call?.arguments).toContain('Paris')
  })

  it('auto: are not called when none fits', async () => {
    expect((await ask('Tell me a joke')).finish_reason).toBe('stop')
    expect((await ask('Tell me a joke', { function_call: 'auto' })).finish_reason).toBe('stop')
  })

  it('none: are not called', async () => {
    expect((await ask(inParis, { function_call: 'none' })).finish_reason).toBe('stop')
  })

  it('by name: are called whatever the prompt says', async () => {
    const { message } = await ask('Tell me a joke', { function_call: { name: 'get_time' } })
    expect(message.function_call?.name).toBe('get_time')
  })

  it('are answered in text that quotes the result', async () => {
    const messages = [
      { role: 'user', content: inParis },
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
