/**
 * Requests that ask for more than a process can hold, or for work without end: rejected or cut, and answered
 * in bounded time.
 */
import { describe, expect, it } from 'vitest'
import { type Integration, integrations } from '../_setup.ts'
import { welcome } from './_examples.ts'
import { answerOf, problemOf, stillAnswers, target } from './_judge.ts'

const words = 'lorem ipsum dolor sit amet '.repeat(200_000)
const letters = 'x'.repeat(5_000_000)
const user = (content: string) => [{ role: 'user', content }]
const chat = (more: object) =>
  ['/v1/chat/completions', { model: 'm', messages: user('Hello'), ...more }] as const
const message = (more: object) =>
  ['/v1/messages', { model: 'm', max_tokens: 8192, messages: user('Hello'), ...more }] as const
const shaped = (schema: unknown) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
})
const called = {
  role: 'assistant',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
}

const large: Readonly<Record<string, readonly [path: string, body: unknown]>> = {
  'a model of five million letters, in 128 streams': chat({ model: letters, n: 128, stream: true }),
  'five million words to be repeated 128 times': chat({ n: 128, messages: user(`Say exactly: ${words}`) }),
  'a long tool result to be quoted 128 times': chat({
    n: 128,
    messages: [...user('Hello'), called, { role: 'tool', tool_call_id: 'c', content: words }],
  }),
  '10,000 tool results to be quoted 128 times': chat({
    n: 128,
    messages: [
      ...user('Hello'),
      called,
      ...Array.from({ length: 10_000 }, () => ({
        role: 'tool',
        tool_call_id: 'c',
        content: words.slice(0, 500),
      })),
    ],
  }),
  'a long prediction for 128 choices': chat({ n: 128, prediction: { type: 'content', content: words } }),
  'sound for 128 choices': chat({
    n: 128,
    modalities: ['text', 'audio'],
    audio: { voice: 'a', format: 'wav' },
  }),
  'a constant of five million letters': chat({ n: 128, ...shaped({ const: letters }) }),
  'a schema whose values double thirty times': chat(
    shaped({
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries([
        ...Array.from({ length: 30 }, (_, at) => [
          `d${at}`,
          {
            type: 'object',
            required: ['a', 'b'],
            properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } },
          },
        ]),
        ['d30', { type: 'string' }],
      ]),
    }),
  ),
  'a schema that is its own part': chat(
    shaped({ type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }),
  ),
  'a pattern of a million letters': chat(shaped({ type: 'string', pattern: '(a{1000}){1000}' })),
  'a billion items': chat(shaped({ type: 'array', minItems: 1e9, items: {} })),
  '2,000 tools': chat({
    tools: Array.from({ length: 2000 }, (_, at) => ({
      type: 'function',
      function: { name: `t${at}`, description: words.slice(0, 200), parameters: { type: 'object' } },
    })),
    tool_choice: 'required',
    messages: user(words.slice(0, 100_000)),
  }),
  '50,000 turns': message({
    messages: Array.from({ length: 50_000 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: 'a',
    })).slice(0, -1),
  }),
  'an answer that began with 100,000 brackets': message({
    stream: true,
    messages: [...user('Hello'), { role: 'assistant', content: '['.repeat(100_000) }],
  }),
  'a state of five million words': [
    '/v1/systemone',
    { model: 'm', state: words, questions: { a: { type: 'noul', instructions: 'b' } } },
  ],
  '2,000 questions': [
    '/v1/systemone',
    {
      model: 'm',
      state: 'a',
      questions: Object.fromEntries(
        Array.from({ length: 2000 }, (_, at) => [
          `q${at}`,
          { type: 'choice', criteria: { a: null, b: null } },
        ]),
      ),
    },
  ],
  'a film about five million words': ['/v1/videos', { prompt: words }],
  'an image job of a long model': ['/v1/tob/diffusion', { model: letters, text: 'a' }],
}

async function survives(
  integration: Integration,
  [path, body]: readonly [string, unknown],
  what: string,
): Promise<void> {
  const sim = target()
  const { fetch: call, url } = await integration.open(sim)
  const response = await call(`${url}${path}`, {
    method: 'POST',
    headers: { ...welcome, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  expect(problemOf(await answerOf(response), what)).toBeUndefined()
  await stillAnswers(call, url)
}

const inProcess = integrations[0] as Integration

describe('a request that asks for much', () => {
  it.each(Object.entries(large))('%s', (what, request) => survives(inProcess, request, what))
})

describe.each(integrations.slice(0, 2))('a body of millions of values, through $name', (integration) => {
  it.each([
    ['numbers', `[${'0,'.repeat(5_000_000)}0]`],
    ['objects', `{"model":"m","messages":[${'{},'.repeat(5_000_000)}{}]}`],
    ['keys', `{${'"":0,'.repeat(3_000_000)}"a":0}`],
    ['lists in lists', '['.repeat(10_000_000)],
    ['escaped quotation marks', `"${'\\"'.repeat(5_000_000)}"`],
  ])('%s', async (what, text) => survives(integration, ['/v1/chat/completions', text], what))
})
