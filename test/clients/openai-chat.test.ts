/**
 * The openai package, chat: whatever is asked, its stream helper puts together what one body says. What every
 * client does alike is in matrix.test.ts.
 */
import type OpenAI from 'openai'
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/error'
import { zodResponseFormat } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, rejectionOf } from './_integrations.ts'
import { ask, mailTool, only, openaiVia, weatherTool } from './_openai.ts'

type Question = Omit<Parameters<OpenAI['chat']['completions']['stream']>[0], 'stream'>

const model = 'gpt-4o'
const counted = ask('Say "one two three four"')
const refusal = "I'm sorry, but I can't help with that."
const weather = { name: 'get_weather', arguments: '{"city":"Paris"}' }
const both = ask('What is the weather in Paris and London?')
const id = (kind: string) => expect.stringMatching(new RegExp(`^${kind}_[0-9a-f]{24,32}$`))
const calling = (...cities: string[]) =>
  cities.map((city) => ({
    id: id('call'),
    type: 'function',
    function: { name: 'get_weather', arguments: `{"city":"${city}"}` },
  }))
const person = z.object({
  name: z.string(),
  age: z.number().int().min(0).max(120),
  hobbies: z.array(z.string()).min(1).max(4),
  level: z.enum(['beginner', 'expert']),
  address: z.object({ city: z.string(), zip: z.string().regex(/^\d{5}$/) }).nullable(),
})
const ada = ask('My name is Ada Lovelace, I am 36 years old, an expert, and live in London.')
const inShape = { messages: ada, response_format: zodResponseFormat(person, 'person') }

/** What is asked, and what each choice of its answer holds. */
const questions: readonly (readonly [title: string, question: Partial<Question>, choice: object])[] = [
  ['a text', { messages: ask('Tell me about foxes') }, { finish_reason: 'stop', message: { refusal: null } }],
  ['several choices', { messages: ask('Tell me about foxes'), n: 3 }, { finish_reason: 'stop' }],
  [
    'log probabilities',
    { messages: ask('Say "naïve café 🦊"'), logprobs: true, top_logprobs: 2 },
    { logprobs: { refusal: null }, message: { content: 'naïve café 🦊' } },
  ],
  [
    'speech',
    {
      model: 'gpt-4o-audio-preview',
      messages: ask('Say "good morning"'),
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
    },
    { message: { content: null, audio: { id: id('audio'), transcript: 'good morning' } } },
  ],
  [
    'a legacy function call',
    { messages: ask('What is the weather in Paris?'), functions: [weatherTool.function] },
    { finish_reason: 'function_call', message: { content: null, function_call: weather } },
  ],
  [
    'two tool calls',
    { messages: both, tools: [weatherTool, mailTool] },
    { finish_reason: 'tool_calls', message: { content: null, tool_calls: calling('Paris', 'London') } },
  ],
  [
    'one tool call where parallel calls are off',
    { messages: both, tools: [weatherTool, mailTool], parallel_tool_calls: false },
    { finish_reason: 'tool_calls', message: { content: null, tool_calls: calling('Paris') } },
  ],
  [
    'no tool call for a prompt about nothing',
    { messages: ask('Say "hi"'), tools: [weatherTool, mailTool] },
    { finish_reason: 'stop', message: { content: 'hi' } },
  ],
  ['a shape', inShape, { finish_reason: 'stop', message: { refusal: null } }],
  [
    'a refusal in the place of a shape',
    { ...inShape, model: 'sim-refusal' },
    { finish_reason: 'stop', message: { content: null, refusal } },
  ],
  [
    'a text that a filter cut',
    { model: 'sim-content-filter', messages: counted },
    { finish_reason: 'content_filter', message: { content: 'one two' } },
  ],
  [
    'a text that a limit cut',
    { model: 'sim-length', messages: counted },
    { finish_reason: 'length', message: { content: 'one two' } },
  ],
]

/** Without the ids, which differ, and without what the helper adds or leaves out. */
const compared = (choices: readonly object[]): unknown =>
  JSON.parse(JSON.stringify(choices), (key, value: unknown) =>
    /^(?:id|annotations|parsed.*)$/.test(key) ? undefined : value,
  )

describe.each([...clientIntegrations, mswIntegration])('openai, through $name', (integration) => {
  it.each(questions)('gets %s, and the same from the stream helper', async (_, asked, choice) => {
    const client = await openaiVia(integration)
    const question = { model, ...asked } as Question
    const { choices, usage } = await client.chat.completions.create(question)
    expect(choices).toMatchObject(Array(question.n ?? 1).fill(choice))
    const stream = client.chat.completions.stream({ ...question, stream_options: { include_usage: true } })
    const whole = await stream.finalChatCompletion()
    expect(compared(whole.choices)).toEqual(compared(choices))
    expect(whole.usage).toEqual(usage)
  })
})

describe.each(clientIntegrations)('openai, what its helpers do, through $name', (integration) => {
  it('parses a shape, whole and in parts as they come', async () => {
    const client = await openaiVia(integration)
    const { parsed } = only(await client.chat.completions.parse({ model, ...inShape })).message
    expect(person.parse(parsed)).toEqual(parsed)
    const told = { name: 'Ada Lovelace', age: 36, level: 'expert', address: { city: 'London' } }
    expect(parsed).toMatchObject(told)
    const partial: unknown[] = []
    const stream = client.chat.completions
      .stream({ model, ...inShape })
      .on('content.delta', (delta) => void partial.push(structuredClone(delta.parsed)))
    expect(only(await stream.finalChatCompletion()).message.parsed).toEqual(parsed)
    expect(partial).toContainEqual({ name: 'Ada Lovelace' })
    expect(partial.at(-1)).toEqual(parsed)
  })

  it.each([
    ['sim-length', LengthFinishReasonError, {}],
    ['sim-content-filter', ContentFilterFinishReasonError, {}],
    [model, LengthFinishReasonError, { max_completion_tokens: 5 }],
  ])('throws for a shape that broke off, plain and streamed: %s', async (id, thrown, limit) => {
    const { completions } = (await openaiVia(integration)).chat
    const question = { ...inShape, ...limit, model: id }
    expect(await rejectionOf(completions.parse(question))).toBeInstanceOf(thrown)
    expect(await rejectionOf(completions.stream(question).finalChatCompletion())).toBeInstanceOf(thrown)
  })

  it('names the request in the answer, in the headers and in the journal', async () => {
    const sim = simulator({ clock: 'auto' })
    const client = await openaiVia(integration, sim)
    const { data, response, request_id } = await client.chat.completions
      .create({ model, messages: ask('Hi') })
      .withResponse()
    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/)
    expect(data).toHaveProperty('_request_id', request_id)
    const named = [response.headers.get('x-request-id'), sim.journal()[0]?.cause.requestId]
    expect(named).toEqual([request_id, request_id])
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('9999')
  })
})
