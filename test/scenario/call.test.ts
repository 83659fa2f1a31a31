/** `call` in a rule: the easy way to script tool calls. */
import { describe, expect, it } from 'vitest'
import { run } from '../cli/_io.ts'
import { type Answered, under } from './_gateway.ts'

type Json = Record<string, unknown>

/** A tool call, whatever the API. */
interface Called {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

interface Api {
  readonly path: string
  tool(name: string, schema: Json): Json
  body(fields: Json): Json
  /** The calls of a response, its text, and why it ended. */
  read(answer: Answered): { readonly calls: readonly Called[]; readonly text: string; readonly ended: string }
  /** The messages with which a client returns the results of calls. */
  results(answer: Answered, result: string): readonly Json[]
}

const chat: Api = {
  path: '/v1/chat/completions',
  tool: (name, parameters) => ({ type: 'function', function: { name, parameters } }),
  body: (fields) => ({ model: 'gpt-4o', ...fields }),
  read({ body }) {
    const [{ message, finish_reason }] = body.choices
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }: any) => ({
      id,
      name,
      input: JSON.parse(input),
    }))
    return { calls, text: message.content ?? '', ended: finish_reason }
  },
  results: ({ body: { choices } }, content) => [
    // Clients write the arguments of a call in their own way.
    JSON.parse(JSON.stringify(choices[0].message).replaceAll('{\\"', '{ \\"')),
    ...choices[0].message.tool_calls.map(({ id }: Called) => ({ role: 'tool', tool_call_id: id, content })),
  ],
}
const messages: Api = {
  path: '/v1/messages',
  tool: (name, schema) => ({ name, input_schema: { type: 'object', ...schema } }),
  body: (fields) => ({ model: 'claude-sonnet-4-5', max_tokens: 500, ...fields }),
  read({ body }) {
    const calls = body.content.filter(({ type }: any) => type === 'tool_use')
    const texts = body.content.filter(({ type }: any) => type === 'text')
    return { calls, text: texts.map(({ text }: any) => text).join(''), ended: body.stop_reason }
  },
  results({ body: { content } }, result) {
    const calls = content.filter(({ type }: any) => type === 'tool_use')
    const results = calls.map(({ id }: Called) => ({ type: 'tool_result', tool_use_id: id, content: result }))
    return [
      { role: 'assistant', content },
      { role: 'user', content: results },
    ]
  },
}

/** Sends bodies to a gateway under rules. */
function postTo(api: Api, rules: readonly object[]): (fields: Json) => Promise<Answered> {
  const { call } = under(rules, {}, { clock: 'auto' })
  return (fields) => call('POST', api.path, api.body(fields), { 'anthropic-version': '2023-06-01' })
}

const city: Json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const days: Json = {
  type: 'object',
  properties: { days: { type: 'integer' }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['days', 'unit'],
}
const question = 'What is it like in Paris for 3 days, in fahrenheit?'

describe.each([
  ['chat.create', chat, 'tool_calls', 'stop'],
  ['messages.create', messages, 'tool_use', 'end_turn'],
] as const)('in %s', (_, api, endedByCalls, endedByText) => {
  const tools = [api.tool('get_weather', city), api.tool('get_forecast', days)]
  const ask = (call: unknown, fields: Json = {}): Promise<Answered> =>
    postTo(api, [{ id: 'the-rule', then: { call } }])({
      messages: [{ role: 'user', content: question }],
      tools,
      ...fields,
    })

  it.each<[string, unknown, readonly Json[]]>([
    ['a name fills the arguments from the message', 'get_weather', [{ get_weather: { city: 'Paris' } }]],
    [
      'a name fills the arguments in the types of the schema',
      'get_forecast',
      [{ get_forecast: { days: 3, unit: 'fahrenheit' } }],
    ],
    ['arguments are sent as they are', { get_weather: { town: 7 } }, [{ get_weather: { town: 7 } }]],
    ['no arguments are an empty object', { get_weather: {} }, [{ get_weather: {} }]],
    ['a tool with arguments need not be offered', { find: { a: [1] } }, [{ find: { a: [1] } }]],
    [
      'a list calls several tools in one turn',
      ['get_forecast', { get_weather: { city: 'Oslo' } }, { get_weather: { city: 'Rome' } }],
      [
        { get_forecast: { days: 3, unit: 'fahrenheit' } },
        { get_weather: { city: 'Oslo' } },
        { get_weather: { city: 'Rome' } },
      ],
    ],
  ])('%s', async (_, call, expected) => {
    const { calls, text, ended } = api.read(await ask(call))
    expect(calls.map(({ name, input }) => ({ [name]: input }))).toEqual(expected)
    expect([text, ended]).toEqual(['', endedByCalls])
  })

  it('a stream has the same calls', async () => {
    const { text } = await ask(['get_weather', { get_forecast: { days: 2 } }], { stream: true })
    const written = [...text.matchAll(/"(?:arguments|partial_json)":("(?:[^"\\]|\\.)*")/g)]
    expect(written.map(([, part = '""']) => JSON.parse(part)).join('')).toBe('{"city":"Paris"}{"days":2}')
    expect(text).toContain(`"${endedByCalls}"`)
  })

  it('values of the request can be inserted', async () => {
    const { calls } = api.read(await ask({ get_weather: { city: '${body.model}' } }))
    expect(calls).toMatchObject([{ input: { city: expect.stringMatching(/^(?:gpt|claude)-/) } }])
  })

  it.each([
    ['a name', 'get_weather'],
    ['arguments', { get_weather: { city: 'Oslo' } }],
    ['a list', ['get_weather', { get_weather: { city: 'Oslo' } }]],
  ])('the loop of an agent ends, with %s in a rule for every request', async (_, call) => {
    const post = postTo(api, [{ then: { call } }])
    const said: Json[] = [{ role: 'user', content: question }]
    const send = () => post({ messages: said, tools })
    const first = await send()
    expect(api.read(first).ended).toBe(endedByCalls)
    said.push(...api.results(first, '{"sky":"clear"}'))
    const { calls, text, ended } = api.read(await send())
    expect([calls, ended]).toEqual([[], endedByText])
    expect(text).toContain('{"sky":"clear"}')
    // A new question is answered by the call again.
    said.push({ role: 'assistant', content: text }, { role: 'user', content: 'And tomorrow?' })
    expect(api.read(await send()).ended).toBe(endedByCalls)
  })

  it('a sequence calls one tool after the other; results fill the next call', async () => {
    const sequence = [{ call: 'get_weather' }, { call: 'get_forecast' }, { text: 'Done.' }]
    const post = postTo(api, [{ then: { sequence } }])
    const said: Json[] = [{ role: 'user', content: 'What is it like in Paris?' }]
    const send = async () => {
      const answer = await post({ messages: said, tools })
      const read = api.read(answer)
      if (read.calls.length > 0) said.push(...api.results(answer, '{"days":9,"unit":"celsius"}'))
      return read
    }
    expect((await send()).calls).toMatchObject([{ name: 'get_weather', input: { city: 'Paris' } }])
    expect((await send()).calls).toMatchObject([{ name: 'get_forecast', input: { days: 9 } }])
    expect((await send()).text).toBe('Done.')
  })

  it('a name that the request does not offer is rejected, and the rejection says what to write', async () => {
    const misspelt = await ask('get_wether')
    expect(misspelt.status).toBe(400)
    expect(misspelt.body.error.message).toBe(
      'Scenario rule the-rule calls the tool "get_wether", but this request offers only get_weather, ' +
        'get_forecast; did you mean get_weather?',
    )
    const without = await ask('get_weather', { tools: undefined })
    expect(without.body.error.message).toBe(
      'Scenario rule the-rule calls the tool "get_weather", but this request offers no tools; ' +
        'write its arguments: `call: { get_weather: {} }`',
    )
  })

  it('arguments that the message lacks are fakes, the same ones each time', async () => {
    const register = api.tool('register', {
      type: 'object',
      properties: { email: { type: 'string' } },
      required: ['email'],
    })
    const fields = { messages: [{ role: 'user', content: 'sign me up' }], tools: [register] }
    const [call] = api.read(await ask('register', fields)).calls
    expect(call).toMatchObject({ input: { email: expect.stringMatching(/@example\.com$/) } })
    expect(api.read(await ask('register', fields)).calls).toMatchObject([{ input: call?.input }])
  })
})

describe('in chat.create', () => {
  const tools = [chat.tool('get_weather', city)]

  it('calls that may not be parallel are made one after the other', async () => {
    const call = [{ get_weather: { city: 'Oslo' } }, { get_weather: { city: 'Rome' } }]
    const { chat: post } = under([{ then: { call } }])
    const said: Json[] = [{ role: 'user', content: question }]
    for (const expected of ['Oslo', 'Rome']) {
      const answer = await post(said, { tools, parallel_tool_calls: false })
      expect(chat.read(answer).calls).toMatchObject([{ input: { city: expected } }])
      said.push(...chat.results(answer, 'clear'))
    }
    expect(chat.read(await post(said, { tools, parallel_tool_calls: false })).ended).toBe('stop')
  })

  it('legacy functions and custom tools are called in their own form', async () => {
    const { chat: post } = under([{ then: { call: 'get_weather' } }])
    const legacy = await post(question, { functions: [{ name: 'get_weather', parameters: city }] })
    expect(legacy.body.choices[0]).toMatchObject({
      message: { function_call: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
      finish_reason: 'function_call',
    })
    const custom = await under([{ then: { call: { patch: '*** Begin' } } }]).chat(question, {
      tools: [{ type: 'custom', custom: { name: 'patch' } }],
    })
    expect(custom.body.choices[0].message.tool_calls).toMatchObject([
      { type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
    ])
    const text = await under([{ then: { call: { get_weather: 'Paris' } } }]).chat(question, { tools })
    expect(text.body.error.message).toContain('write an object of arguments')
  })

  it('a pace and faults apply to the call', async () => {
    const then = {
      call: 'get_weather',
      stream: { firstEventAfter: '1s' },
      fault: { kind: 'disconnect', afterEvents: 2 },
    }
    const { chat: post, sim } = under([{ then }], {}, { clock: 'manual' })
    const pending = post(question, { tools, stream: true }).catch((error: unknown) => error)
    await sim.settled()
    sim.clock.advance('999ms')
    await sim.settled()
    expect(sim.journal()[0]).toMatchObject({ ended: 'open', response: { eventCount: 0 } })
    sim.clock.advance('2s')
    expect(await pending).toBeInstanceOf(Error)
    expect(sim.journal()[0]).toMatchObject({ ended: 'disconnected', response: { eventCount: 2 } })
  })
})

it('`explain` shows the call, and the dry run at load finds only what is wrong', async () => {
  const then = '{ call: get_weather, patch: { model: x }, fault: { kind: stall, afterEvents: 1 } }'
  const yaml = `title: A call\nrules:\n  - when: { operation: chat.create }\n    then: ${then}\n`
  expect(await run(['validate', '-'], { stdin: yaml })).toMatchObject({ code: 0, stdout: '1 file valid\n' })
  const wrong = await run(['validate', '-'], { stdin: yaml.replace('model: x', 'model: 7') })
  expect(wrong.stdout).toContain('model: expected a string, got 7')
  const { stdout } = await run(['explain', '-', '--operation', 'chat.create'], { stdin: yaml })
  expect(stdout).toContain('get_weather')
})
