/**
 * Which calls a rule is about: operations, bodies, forms, headers, queries, paths, keys, models,
 * conversations.
 */
import { describe, expect, it } from 'vitest'
import { teapot, under } from './_gateway.ts'

const met = teapot('met')

/** The rule sees the first call and not the second. */
function tells(
  title: string,
  when: object,
  calls: (
    gateway: ReturnType<typeof under>,
  ) => readonly [Promise<{ rule: string | undefined }>, Promise<{ rule: string | undefined }>],
): void {
  it(title, async () => {
    const gateway = under([{ id: 'it', when, then: met }])
    const [yes, no] = await Promise.all(calls(gateway))
    expect([yes.rule, no.rule]).toEqual(['it', undefined])
  })
}

const video = (gateway: ReturnType<typeof under>, fields: object = {}) =>
  gateway.call('POST', '/v1/videos', { prompt: 'a sunset', ...fields })

describe('an operation', () => {
  tells('by its id', { operation: 'videos.create' }, (g) => [video(g), g.chat('hello')])
  tells('one of several', { operation: ['videos.create', 'videos.list'] }, (g) => [
    g.call('GET', '/v1/videos'),
    g.chat('hello'),
  ])
  tells('of a group', { operation: 'videos.*' }, (g) => [g.call('GET', '/v1/videos'), g.chat('hello')])
  it('of all', async () => {
    const { chat, call } = under([{ id: 'it', when: { operation: '*' }, then: met }])
    expect([(await chat('hello')).rule, (await call('GET', '/v1/models')).rule]).toEqual(['it', 'it'])
  })
  it('left out: all of them', async () => {
    const { chat, call } = under([{ id: 'it', then: met }])
    expect([(await chat('hello')).rule, (await call('GET', '/v1/models')).rule]).toEqual(['it', 'it'])
  })
  it('of a group: only those that the answer can act on', async () => {
    const { call } = under([{ id: 'it', when: { operation: 'videos.*' }, then: { job: 'stuck' } }])
    expect([
      (await call('GET', '/v1/videos')).rule,
      (await call('POST', '/v1/videos', { prompt: 'a' })).rule,
    ]).toEqual([undefined, 'it'])
  })
})

describe('the body', () => {
  tells('by an equal field', { operation: 'videos.create', body: { prompt: 'a sunset' } }, (g) => [
    video(g),
    video(g, { prompt: 'a sunrise' }),
  ])
  tells(
    'by a part of a nested object',
    { operation: 'chat.create', body: { response_format: { type: 'json_object' } } },
    (g) => [
      g.chat('json', { response_format: { type: 'json_object' } }),
      g.chat('json', { response_format: { type: 'text' } }),
    ],
  )
  tells('by a whole list', { operation: 'chat.create', body: { stop: ['a', 'b'] } }, (g) => [
    g.chat('x', { stop: ['a', 'b'] }),
    g.chat('x', { stop: ['a', 'b', 'c'] }),
  ])
  tells(
    'contains, in a text',
    { operation: 'videos.create', body: { prompt: { contains: 'sunset' } } },
    (g) => [video(g), video(g, { prompt: 'a moon' })],
  )
  tells('contains, in a list', { operation: 'chat.create', body: { stop: { contains: 'b' } } }, (g) => [
    g.chat('x', { stop: ['a', 'b'] }),
    g.chat('x', { stop: ['a'] }),
  ])
  tells(
    'startsWith and endsWith',
    { operation: 'videos.create', body: { prompt: { startsWith: 'a', endsWith: 'set' } } },
    (g) => [video(g), video(g, { prompt: 'a moon' })],
  )
  tells('regex', { operation: 'videos.create', body: { prompt: { regex: '^a \\w+set$' } } }, (g) => [
    video(g),
    video(g, { prompt: 'a sunset boat' }),
  ])
  tells(
    'a regex that RegExp would not finish',
    { operation: 'chat.create', conversation: { lastUser: { regex: '^(a+)+$' } } },
    (g) => [g.chat('a'.repeat(40)), g.chat(`${'a'.repeat(40)}!`)],
  )
  tells('gt and lte', { operation: 'chat.create', body: { temperature: { gt: 0.5, lte: 1 } } }, (g) => [
    g.chat('x', { temperature: 1 }),
    g.chat('x', { temperature: 0.5 }),
  ])
  tells('gte and lt', { operation: 'chat.create', body: { temperature: { gte: 0.5, lt: 1 } } }, (g) => [
    g.chat('x', { temperature: 0.5 }),
    g.chat('x', { temperature: 1 }),
  ])
  tells('exists', { operation: 'chat.create', body: { user: { exists: true } } }, (g) => [
    g.chat('x', { user: 'u' }),
    g.chat('x'),
  ])
  tells('exists: false', { operation: 'chat.create', body: { user: { exists: false } } }, (g) => [
    g.chat('x'),
    g.chat('x', { user: 'u' }),
  ])
  tells('anyOf', { operation: 'videos.create', body: { seconds: { anyOf: ['4', '8'] } } }, (g) => [
    video(g, { seconds: '8' }),
    video(g, { seconds: '12' }),
  ])
  tells('not', { operation: 'videos.create', body: { prompt: { not: { contains: 'moon' } } } }, (g) => [
    video(g),
    video(g, { prompt: 'a moon' }),
  ])
  tells(
    'some item of a list',
    { operation: 'chat.create', body: { messages: { some: { role: 'system' } } } },
    (g) => [
      g.chat([
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ]),
      g.chat('x'),
    ],
  )
  tells(
    'the length of a list',
    { operation: 'chat.create', body: { messages: { length: { gte: 2 } } } },
    (g) => [
      g.chat([
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ]),
      g.chat('x'),
    ],
  )
  tells(
    'equals, an object literally',
    { operation: 'chat.create', body: { metadata: { equals: { a: '1' } } } },
    (g) => [g.chat('x', { metadata: { a: '1' } }), g.chat('x', { metadata: { a: '1', b: '2' } })],
  )
  tells(
    'of a form, field by field',
    { operation: 'videos.create', body: { prompt: { contains: 'sunset' }, seconds: '8' } },
    (g) => {
      const form = (seconds: string): FormData => {
        const made = new FormData()
        made.set('prompt', 'a sunset')
        made.set('seconds', seconds)
        return made
      }
      return [g.call('POST', '/v1/videos', form('8')), g.call('POST', '/v1/videos', form('4'))]
    },
  )
})

it('a file of a form by its facts', async () => {
  const { call } = under([
    {
      id: 'it',
      when: {
        operation: 'images.edit',
        body: { image: { filename: { endsWith: '.png' }, type: 'image/png', size: { gt: 10 } } },
      },
      then: met,
    },
  ])
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const form = (name: string): FormData => {
    const made = new FormData()
    made.set('prompt', 'a hat')
    made.set('image', new File([png], name, { type: 'image/png' }))
    return made
  }
  expect((await call('POST', '/v1/images/edits', form('cat.png'))).rule).toBe('it')
  expect((await call('POST', '/v1/images/edits', form('cat.bin'))).rule).toBeUndefined()
})

describe('what stands around the body', () => {
  tells('a header, in any case', { headers: { 'X-Attempt': '2' } }, (g) => [
    g.chat('x', {}, { 'x-attempt': '2' }),
    g.chat('x', {}, { 'x-attempt': '1' }),
  ])
  tells('the query', { operation: 'videos.list', query: { limit: 2 } }, (g) => [
    g.call('GET', '/v1/videos?limit=2'),
    g.call('GET', '/v1/videos?limit=3'),
  ])
  tells('a parameter of the path', { operation: 'videos.retrieve', path: { video_id: 'video_a' } }, (g) => [
    g.call('GET', '/v1/videos/video_a'),
    g.call('GET', '/v1/videos/video_b'),
  ])
  // What every object has, no call has sent.
  for (const name of ['constructor', 'valueof'])
    tells(`a header called ${name}`, { headers: { [name]: { exists: true } } }, (g) => [
      g.chat('x', {}, { [name]: '1' }),
      g.chat('x'),
    ])
  it.each([
    ['query', 'no request has a field "constructor" here'],
    ['path', 'no path parameter constructor in videos.list'],
  ])('nothing of the %s that every object has', (part, message) => {
    const when = { operation: 'videos.list', [part]: { constructor: { exists: true } } }
    expect(() => under([{ id: 'it', when, then: met }])).toThrow(message)
  })
  tells('the key', { key: 'sk-alice' }, (g) => [
    g.chat('x', {}, { authorization: 'Bearer sk-alice' }),
    g.chat('x'),
  ])
  tells('the beginning of a key', { key: 'sk-al*' }, (g) => [
    g.chat('x', {}, { authorization: 'Bearer sk-alice' }),
    g.chat('x'),
  ])
  tells('the model', { model: 'gpt-4o' }, (g) => [g.chat('x'), g.chat('x', { model: 'gpt-4o-mini' })])
  tells('the beginning of a model', { model: 'o3*' }, (g) => [g.chat('x', { model: 'o3-mini' }), g.chat('x')])
  tells('the model of a path', { model: 'veo-3' }, (g) => {
    const submit = (model: string) =>
      g.call('POST', `/v1beta/models/${model}:predictLongRunning`, { instances: [{ prompt: 'a' }] })
    return [submit('veo-3'), submit('veo-2')]
  })
})

describe('a conversation', () => {
  const question = { role: 'user', content: 'What is the weather?' }
  const called = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
  }
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' }
  tells('by the last message of the user', { conversation: { lastUser: { contains: 'weather' } } }, (g) => [
    g.chat([question]),
    g.chat([question, { role: 'assistant', content: 'a' }, { role: 'user', content: 'thanks' }]),
  ])
  tells('by its turn', { conversation: { turn: 2 } }, (g) => [
    g.chat([question, called, result]),
    g.chat([question]),
  ])
  tells('by a tool result', { conversation: { toolResult: true } }, (g) => [
    g.chat([question, called, result]),
    g.chat([question]),
  ])
  tells('by the text of a tool result', { conversation: { toolResult: { contains: 'sunny' } } }, (g) => [
    g.chat([question, called, result]),
    g.chat([question, called, { ...result, content: 'rain' }]),
  ])
  tells('by a tool result that is not there (any more)', { conversation: { toolResult: false } }, (g) => [
    g.chat([
      question,
      called,
      result,
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'thanks' },
    ]),
    g.chat([question, called, result]),
  ])
  tells(
    'in the form of messages',
    { operation: 'messages.create', conversation: { toolResult: { contains: 'sunny' } } },
    (g) => {
      const ask = (text: string) =>
        g.call(
          'POST',
          '/v1/messages',
          {
            model: 'claude-3-5-sonnet-20241022',
            max_tokens: 50,
            tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
            messages: [
              question,
              {
                role: 'assistant',
                content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }],
              },
              {
                role: 'user',
                content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text }] }],
              },
            ],
          },
          { 'x-api-key': 'sk-test', authorization: '', 'anthropic-version': '2023-06-01' },
        )
      return [ask('sunny'), ask('rain')]
    },
  )
})
