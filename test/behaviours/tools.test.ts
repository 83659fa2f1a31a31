/** Tool calls without a script: tools are chosen by shared words, arguments by the form of tokens. */
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../_setup.ts'

type Parameters = Readonly<Record<string, object>>

function tool(name: string, description: string, parameters: Parameters, required = Object.keys(parameters)) {
  return {
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties: parameters, required } },
  }
}
const text = { type: 'string' }
const number = { type: 'number' }
const calculator = tool('calculator', 'Calculate', {
  a: number,
  b: number,
  operation: { enum: ['add', 'subtract'] },
})
const convert = tool('convert_currency', 'Convert an amount between currencies', {
  amount: number,
  from: { type: 'string', description: 'Source currency code' },
  to: { type: 'string', description: 'Target currency code' },
})
const weather = tool(
  'get_weather',
  'Get the current weather for a city',
  { city: text, unit: { enum: ['celsius', 'fahrenheit'] } },
  ['city'],
)
const readFile = tool('read_file', 'Read a file', { path: text })
const mail = tool('send_email', 'Send an email', { to: { type: 'string', format: 'email' }, subject: text })
const findOrder = tool('find_order', 'Find the order of a customer', { customer: text })
const cancelOrder = tool('cancel_order', 'Cancel an order', { order_id: text })
const all = [calculator, convert, weather, readFile, mail]

interface Message {
  readonly content: string | null
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

async function reply(
  messages: readonly object[],
  tools: readonly object[],
  more: object = {},
): Promise<Message> {
  const response = await post(simulator(), '/v1/chat/completions', {
    model: 'gpt-4o',
    messages,
    tools,
    ...more,
  })
  return ((await response.json()) as { choices: [{ message: Message }] }).choices[0].message
}

async function callsFor(
  prompt: string,
  tools: readonly object[],
  more: object = {},
): Promise<readonly unknown[]> {
  const { tool_calls: calls = [] } = await reply([{ role: 'user', content: prompt }], tools, more)
  return calls.map(({ function: called }) => ({ [called.name]: JSON.parse(called.arguments) as unknown }))
}

describe('the tool that shares words with the prompt is called', () => {
  it.each<[string, readonly object[]]>([
    ['Add 17 and 25', [{ calculator: { a: 17, b: 25, operation: 'add' } }]],
    ['subtract 4 from 10', [{ calculator: { a: 4, b: 10, operation: 'subtract' } }]],
    ['Convert 100 USD to EUR', [{ convert_currency: { amount: 100, from: 'USD', to: 'EUR' } }]],
    ['What is the weather in Paris?', [{ get_weather: { city: 'Paris' } }]],
    [
      'The weather in New York in fahrenheit, please',
      [{ get_weather: { city: 'New York', unit: 'fahrenheit' } }],
    ],
    ['Read the file src/index.ts', [{ read_file: { path: 'src/index.ts' } }]],
    [
      'Send an email to bob@example.com with the subject "Hi Bob"',
      [{ send_email: { to: 'bob@example.com', subject: 'Hi Bob' } }],
    ],
    ['Hello there', []],
    ['Tell me a story about a fox', []],
  ])('%s', async (prompt, calls) => {
    expect(await callsFor(prompt, all)).toEqual(calls)
  })
})

describe('several calls', () => {
  it.each<[string, readonly object[]]>([
    [
      'What is the weather in Paris and London in celsius?',
      [
        { get_weather: { city: 'Paris', unit: 'celsius' } },
        { get_weather: { city: 'London', unit: 'celsius' } },
      ],
    ],
    [
      'Weather in Rome, Tokyo and San Francisco in Celsius',
      ['Rome', 'Tokyo', 'San Francisco'].map((city) => ({ get_weather: { city, unit: 'celsius' } })),
    ],
    [
      'Read src/a.ts and then tell me the weather in Oslo',
      [{ read_file: { path: 'src/a.ts' } }, { get_weather: { city: 'Oslo' } }],
    ],
  ])('are made in one turn: %s', async (prompt, calls) => {
    expect(await callsFor(prompt, all)).toEqual(calls)
    expect(await callsFor(prompt, all, { parallel_tool_calls: false })).toEqual(calls.slice(0, 1))
  })

  it('take each value of an enum once, in the order of the text', async () => {
    const coin = { enum: ['USD', 'EUR', 'GBP'] }
    const exchange = tool('convert_currency', 'Convert an amount', { amount: number, from: coin, to: coin })
    expect(await callsFor('Convert 100 GBP to USD', [exchange])).toEqual([
      { convert_currency: { amount: 100, from: 'GBP', to: 'USD' } },
    ])
  })

  it('one at a time take the fields of earlier results that have their names, and end', async () => {
    const messages: object[] = [{ role: 'user', content: 'Find the customer Ada, then cancel the order' }]
    const made: unknown[] = []
    for (let turn = 0; turn < 5; turn++) {
      const message = await reply(messages, [findOrder, cancelOrder], { parallel_tool_calls: false })
      messages.push(message)
      if (message.tool_calls === undefined) break
      for (const { id, function: called } of message.tool_calls) {
        made.push([called.name, JSON.parse(called.arguments)])
        messages.push({ role: 'tool', tool_call_id: id, content: '{"order_id":"A-17"}' })
      }
    }
    expect(made).toEqual([
      ['find_order', { customer: 'Ada' }],
      ['cancel_order', { order_id: 'A-17' }],
    ])
    expect(messages.at(-1)).toMatchObject({ content: expect.stringContaining('A-17') })
  })
})

it('structured output takes what has the form of its fields', async () => {
  const properties = {
    name: text,
    email: { type: 'string', format: 'email' },
    born: { type: 'string', format: 'date' },
    age: { type: 'integer' },
  }
  const schema = {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
  const format = { type: 'json_schema', json_schema: { name: 'person', schema } }
  const prompt = 'Extract: Ada Lovelace, ada@example.com, born 2026-01-07, aged 36'
  const { content } = await reply([{ role: 'user', content: prompt }], [], {
    response_format: format,
    tools: undefined,
  })
  expect(JSON.parse(content ?? '')).toEqual({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    born: '2026-01-07',
    age: 36,
  })
})
