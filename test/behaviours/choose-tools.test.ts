import { describe, expect, it } from 'vitest'
import { wantedCalls } from '../../src/behaviours/answers/call-tools.ts'
import type { PastCall, Tool, ToolChoice } from '../../src/behaviours/answers/conversation.ts'
import { createSchemas } from '../../src/behaviours/json-schema/schemas.ts'

const tool = (name: string, description = '', properties: Record<string, unknown> = {}): Tool => ({
  kind: 'function',
  name,
  description,
  parameters: { type: 'object', properties },
  path: 'tools[0].function.parameters',
})

const weather = tool('get_weather', 'Get the current weather in a given location', { location: {}, unit: {} })
const time = tool('get_time', 'Get the current time in a time zone', { timezone: {} })
const mail = tool('sendEmail', 'Sends an email to a recipient', { to: {}, subject: {}, body: {} })
const search = tool('web_search', 'Search the web', { query: {} })
const sum = tool('add', 'Adds two numbers', { a: {}, b: {} })
const orders = tool('lookup_order', 'Finds the status of a customer order', { order_id: {} })
const all = [weather, time, mail, search, sum, orders]

const made = { name: 'get_weather', input: '{}', result: '18 degrees', failed: false }
const auto: ToolChoice = { mode: 'auto' }
const names = (
  prompt: string,
  tools: readonly Tool[] = all,
  choice: ToolChoice = auto,
  options: Partial<{ parallel: boolean; again: boolean; earlier: readonly PastCall[] }> = {},
): string[] =>
  wantedCalls(
    {
      tools,
      choice,
      parallel: options.parallel ?? true,
      conversation: {
        instructions: '',
        lastUser: prompt,
        calls: options.again === true ? [made] : [],
        earlier: options.earlier,
        lastTool: undefined,
        toolResults: options.again === true ? [made] : [],
      },
      schemas: createSchemas(),
      shared: {},
      now: 0,
    },
    choice.mode === 'required' || choice.mode === 'named',
  ).calls.map(({ tool: { name } }) => name)

describe('auto calls the tool that a prompt is about', () => {
  it.each([
    ['What is the weather in Paris?', 'get_weather'],
    ["What's the temperature in Tokyo right now?", 'get_weather'],
    ['Will I need an umbrella in London?', 'get_weather'],
    ['What time is it in Berlin?', 'get_time'],
    ['Send an email to bob@example.com', 'sendEmail'],
    ['Mail Ada that the meeting is moved', 'sendEmail'],
    ['Search for the latest news on bees', 'web_search'],
    ['What is 17 + 25?', 'add'],
    ['Where is my order 4711?', 'lookup_order'],
    ['Please use lookup_order now', 'lookup_order'],
    ['今天北京的天气怎么样？', 'get_weather'],
  ])('%s', (prompt, name) => {
    expect(names(prompt)).toEqual([name])
  })

  it('finds words in any form', () => {
    expect(names('Translating this takes long', [tool('translate_text', 'Translates text')])).toEqual([
      'translate_text',
    ])
    expect(names('I want to cancel my bookings', [tool('cancel_booking')])).toEqual(['cancel_booking'])
    expect(names('查一下账户余额', [tool('f1', '获取账户余额')])).toEqual(['f1'])
  })
})

describe('a tool is told from others', () => {
  const id = { event_id: { type: 'string' } }
  const needing = (name: string, description: string, properties: Record<string, unknown>): Tool => ({
    ...tool(name, description),
    parameters: { type: 'object', properties, required: Object.keys(properties) },
  })
  const find = needing('find_events', 'Search the calendar', { query: { type: 'string' } })
  const move = needing('move_event', 'Move an event', {
    ...id,
    start: { type: 'string', format: 'date-time' },
  })
  const answer = { response: { type: 'string', enum: ['accepted', 'declined'] } }

  it('by a verb among the values that it lists', () => {
    const rsvp = needing('rsvp', 'Respond to an invitation', { ...id, ...answer })
    expect(names('Decline the event evt_9', [find, rsvp])).toEqual(['rsvp'])
  })

  it('by the first word of its description, known as a verb or not', () => {
    const stage = needing('git_add', 'Stage files', { path: { type: 'string' } })
    expect(names('stage index.html', [tool('git_log', 'Show the log'), stage])).toEqual(['git_add'])
  })

  it('and what an earlier question found is not looked up again', () => {
    expect(names('Move it to Friday at 9', [find, move])).toEqual(['find_events'])
    const earlier = [{ name: 'find_events', input: '{}', result: '[{"event_id":"evt_81"}]', failed: false }]
    expect(names('Move it to Friday at 9', [find, move], auto, { earlier })).toEqual(['move_event'])
  })
})

describe('auto answers in text', () => {
  it.each([
    'Tell me a joke',
    'Hello!',
    'Who wrote Faust?',
    'Write a poem about the location of stars',
    'Explain recursion in one sentence',
    'What would happen if I used sendEmail?',
    '',
    '你好',
  ])('when no tool fits: "%s"', (prompt) => {
    expect(names(prompt)).toEqual([])
  })

  it('when the prompt declines tools', () => {
    expect(names('What is the weather in Paris? Do not use any tools.')).toEqual([])
    expect(names('What is the weather in Paris? Answer without calling functions')).toEqual([])
  })

  it('when results of tools have just come back', () => {
    expect(names('What is the weather in Paris?', all, auto, { again: true })).toEqual([])
  })

  it('when there are no tools', () => {
    expect(names('What is the weather in Paris?', [])).toEqual([])
  })
})

describe('several tools', () => {
  it('are called together when the prompt names each, in its order', () => {
    expect(names('What is the weather in Paris and the time in Tokyo?')).toEqual(['get_weather', 'get_time'])
    expect(names('Give me the time in Tokyo, the weather in Paris, and email both to Ada')).toEqual([
      'get_time',
      'get_weather',
      'sendEmail',
    ])
    expect(names('Call get_time and get_weather')).toEqual(['get_time', 'get_weather'])
  })

  it('are not called for one and the same word', () => {
    expect(
      names('What is the weather in Paris?', [weather, tool('weather_alerts', 'Weather alerts')]),
    ).toEqual(['get_weather'])
  })

  it('are not called where parallel calls are not allowed', () => {
    expect(
      names('What is the weather in Paris and the time in Tokyo?', all, auto, { parallel: false }),
    ).toHaveLength(1)
  })

  it('are at most eight', () => {
    const letters = [...'abcdefghijkl'].map((letter) => tool(`do_${letter}${letter}${letter}`))
    expect(names(letters.map(({ name }) => name).join(' and '), letters)).toHaveLength(8)
  })
})

describe('a choice', () => {
  it('of none calls nothing', () => {
    expect(names('What is the weather in Paris?', all, { mode: 'none' })).toEqual([])
  })

  it('of required calls the best tool, the first when none fits, another one after results', () => {
    expect(names('What time is it?', all, { mode: 'required' })).toEqual(['get_time'])
    expect(names('Tell me a joke', all, { mode: 'required' })).toEqual(['get_weather'])
    expect(names('Tell me a joke', all, { mode: 'required' }, { again: true })).toEqual(['get_time'])
  })

  it('of a name calls that tool whatever the prompt says, again after results', () => {
    expect(names('Tell me a joke', all, { mode: 'named', name: 'add' })).toEqual(['add'])
    expect(names('Tell me a joke', all, { mode: 'named', name: 'add' }, { again: true })).toEqual(['add'])
  })
})

describe('a lookup before a call that lacks an id', () => {
  const needing = (name: string, description: string, ...required: readonly string[]): Tool => ({
    ...tool(name, description),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(required.map((field) => [field, { type: 'string' }])),
      required,
    },
  })
  const cancel = needing('cancel_booking', 'Cancel a booking', 'booking_id')

  it('is a tool that says it finds or shows something', () => {
    expect(
      names('Cancel my booking', [cancel, tool('recent_activity', 'The recent bookings of the user')]),
    ).toEqual(['recent_activity'])
  })

  it('is no tool that says nothing of the kind, and none that destroys', () => {
    expect(names('Cancel my booking', [cancel, tool('heartbeat', 'Keeps alive')])).toEqual(['cancel_booking'])
    const wipe = tool('wipe_account', 'The endpoint that deletes an account')
    expect(names('Cancel my booking', [cancel, wipe])).toEqual(['cancel_booking'])
  })

  it('is made once where two other lookups need it', () => {
    const tools = [
      needing('pay_invoice', 'Pay an invoice from an account', 'account_id', 'invoice_id'),
      needing('find_account', 'Find the account of a customer', 'customer_id'),
      needing('find_invoice', 'Find an invoice of a customer', 'customer_id'),
      needing('find_customer', 'Find a customer by name', 'name'),
    ]
    const returned = (name: string, result: string): PastCall => ({
      name,
      input: '{}',
      result,
      failed: false,
    })
    const calls: PastCall[] = []
    const order: string[] = []
    for (let turn = 0; turn < 6; turn++) {
      const conversation = { instructions: '', lastUser: 'Pay the invoice of Ada Lovelace', calls }
      const [next] = wantedCalls(
        {
          ...{ tools, choice: auto, parallel: false, schemas: createSchemas(), shared: {}, now: 0 },
          conversation: { ...conversation, lastTool: undefined, toolResults: [] },
        },
        false,
      ).calls
      if (next === undefined) break
      order.push(next.tool.name)
      calls.push(returned(next.tool.name, '{"customer_id":"c1","account_id":"a1","invoice_id":"i1"}'))
    }
    expect(order.filter((name) => name === 'find_customer')).toHaveLength(1)
    expect(order.at(-1)).toBe('pay_invoice')
  })
})
