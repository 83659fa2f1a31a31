/**
 * Which calls a rule is about: operations, bodies, forms, headers, queries, paths, keys, models,
 * conversations.
 */
import { describe, expect, it } from 'vitest'
import { teapot, under } from './_gateway.ts'

const met = teapot('met')
type Gateway = ReturnType<typeof under>
type Call = (gateway: Gateway) => Promise<{ rule: string | undefined }>

const get =
  (path: string): Call =>
  (g) =>
    g.call('GET', path)
const chat =
  (fields: object = {}, headers: Record<string, string> = {}): Call =>
  (g) =>
    g.chat('x', fields, headers)
const talk =
  (...messages: readonly unknown[]): Call =>
  (g) =>
    g.chat(messages)
const video =
  (fields: object = {}): Call =>
  (g) =>
    g.call('POST', '/v1/videos', { prompt: 'a sunset', ...fields })
const formOf =
  (path: string, fields: Readonly<Record<string, string | File>>): Call =>
  (g) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return g.call('POST', path, form)
  }
const ofChat = (body: object): object => ({ operation: 'chat.create', body })
const ofVideo = (body: object): object => ({ operation: 'videos.create', body })

/** Each row: a `when`, a call that meets it, and one that does not. */
function tells(rows: readonly (readonly [title: string, when: object, yes: Call, no: Call])[]): void {
  it.each(rows)('%s', async (_title, when, yes, no) => {
    const gateway = under([{ id: 'it', when, then: met }])
    expect([(await yes(gateway)).rule, (await no(gateway)).rule]).toEqual(['it', undefined])
  })
}

describe('an operation', () => {
  tells([
    ['by its id', { operation: 'videos.create' }, video(), chat()],
    ['one of several', { operation: ['videos.create', 'videos.list'] }, get('/v1/videos'), chat()],
    ['of a group', { operation: 'videos.*' }, get('/v1/videos'), chat()],
  ])

  it.each([{ operation: '*' }, {}])('of all operations: %j', async (when) => {
    const gateway = under([{ id: 'it', when, then: met }])
    expect([(await chat()(gateway)).rule, (await get('/v1/models')(gateway)).rule]).toEqual(['it', 'it'])
  })

  it('of a group: only those that `then` can affect', async () => {
    const gateway = under([{ id: 'it', when: { operation: 'videos.*' }, then: { job: 'stuck' } }])
    expect([(await get('/v1/videos')(gateway)).rule, (await video()(gateway)).rule]).toEqual([
      undefined,
      'it',
    ])
  })
})

describe('the body', () => {
  const format = (type: string) => ({ response_format: { type } })
  const user = { role: 'user', content: 'json' }
  tells([
    ['an equal field', ofVideo({ prompt: 'a sunset' }), video(), video({ prompt: 'a sunrise' })],
    [
      'a part of a nested object',
      ofChat(format('json_object')),
      chat({ ...format('json_object'), messages: [user] }),
      chat(format('text')),
    ],
    [
      'a whole list',
      ofChat({ stop: ['a', 'b'] }),
      chat({ stop: ['a', 'b'] }),
      chat({ stop: ['a', 'b', 'c'] }),
    ],
    ['contains, in a text', ofVideo({ prompt: { contains: 'sun' } }), video(), video({ prompt: 'a moon' })],
    [
      'contains, in a list',
      ofChat({ stop: { contains: 'b' } }),
      chat({ stop: ['a', 'b'] }),
      chat({ stop: ['a'] }),
    ],
    [
      'startsWith and endsWith',
      ofVideo({ prompt: { startsWith: 'a', endsWith: 'set' } }),
      video(),
      video({ prompt: 'a moon' }),
    ],
    ['regex', ofVideo({ prompt: { regex: '^a \\w+set$' } }), video(), video({ prompt: 'a sunset boat' })],
    [
      'a regex that RegExp would not finish',
      { operation: 'chat.create', conversation: { lastUser: { regex: '^(a+)+$' } } },
      talk({ ...user, content: 'a'.repeat(40) }),
      talk({ ...user, content: `${'a'.repeat(40)}!` }),
    ],
    [
      'gt and lte',
      ofChat({ temperature: { gt: 0.5, lte: 1 } }),
      chat({ temperature: 1 }),
      chat({ temperature: 0.5 }),
    ],
    [
      'gte and lt',
      ofChat({ temperature: { gte: 0.5, lt: 1 } }),
      chat({ temperature: 0.5 }),
      chat({ temperature: 1 }),
    ],
    ['exists', ofChat({ user: { exists: true } }), chat({ user: 'u' }), chat()],
    ['exists: false', ofChat({ user: { exists: false } }), chat(), chat({ user: 'u' })],
    ['anyOf', ofVideo({ seconds: { anyOf: ['4', '8'] } }), video({ seconds: '8' }), video({ seconds: '12' })],
    ['not', ofVideo({ prompt: { not: { contains: 'moon' } } }), video(), video({ prompt: 'a moon' })],
    [
      'some item of a list',
      ofChat({ messages: { some: { role: 'system' } } }),
      talk({ role: 'system', content: 's' }, user),
      chat(),
    ],
    ['the length of a list', ofChat({ messages: { length: { gte: 2 } } }), talk(user, user), chat()],
    [
      'equals, an object literally',
      ofChat({ metadata: { equals: { a: '1' } } }),
      chat({ metadata: { a: '1' } }),
      chat({ metadata: { a: '1', b: '2' } }),
    ],
    [
      'of a form, field by field',
      ofVideo({ prompt: { contains: 'sunset' }, seconds: '8' }),
      formOf('/v1/videos', { prompt: 'a sunset', seconds: '8' }),
      formOf('/v1/videos', { prompt: 'a sunset', seconds: '4' }),
    ],
  ])

  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const edit = (name: string): Call =>
    formOf('/v1/images/edits', { prompt: 'a hat', image: new File([png], name, { type: 'image/png' }) })
  const image = { filename: { endsWith: '.png' }, contentType: 'image/png', size: { gt: 10 } }
  tells([
    ['a file of a form', { operation: 'images.edit', body: { image } }, edit('cat.png'), edit('cat.bin')],
  ])
})

describe('the rest of the request', () => {
  const key = (bearer: string): Call => chat({}, { authorization: `Bearer ${bearer}` })
  const submit =
    (model: string): Call =>
    (g) =>
      g.call('POST', `/v1beta/models/${model}:predictLongRunning`, { instances: [{ prompt: 'a' }] })
  tells([
    [
      'a header, in any case',
      { headers: { 'X-Attempt': '2' } },
      chat({}, { 'x-attempt': '2' }),
      chat({}, { 'x-attempt': '1' }),
    ],
    [
      'the query',
      { operation: 'videos.list', query: { limit: 2 } },
      get('/v1/videos?limit=2'),
      get('/v1/videos?limit=3'),
    ],
    [
      'a parameter of the path',
      { operation: 'videos.retrieve', path: { video_id: 'video_a' } },
      get('/v1/videos/video_a'),
      get('/v1/videos/video_b'),
    ],
    // What every object has, no call has sent.
    ...['constructor', 'valueof'].map(
      (name) =>
        [
          `a header called ${name}`,
          { headers: { [name]: { exists: true } } },
          chat({}, { [name]: '1' }),
          chat(),
        ] as const,
    ),
    ['the key', { key: 'sk-alice' }, key('sk-alice'), chat()],
    ['the beginning of a key', { key: 'sk-al*' }, key('sk-alice'), chat()],
    ['the model', { model: 'gpt-4o' }, chat(), chat({ model: 'gpt-4o-mini' })],
    ['the beginning of a model', { model: 'o3*' }, chat({ model: 'o3-mini' }), chat()],
    ['the model of a path', { model: 'veo-3' }, submit('veo-3'), submit('veo-2')],
  ])

  it.each([
    ['query', 'no request has a field "constructor" at this path'],
    ['path', 'no request has a field "constructor" at this path'],
  ])('nothing inherited in the %s', (part, message) => {
    const when = { operation: 'videos.list', [part]: { constructor: { exists: true } } }
    expect(() => under([{ id: 'it', when, then: met }])).toThrow(message)
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
  const more = [
    { role: 'assistant', content: 'a' },
    { role: 'user', content: 'thanks' },
  ]
  const ofMessages =
    (text: string): Call =>
    (g) =>
      g.call(
        'POST',
        '/v1/messages',
        {
          model: 'claude-3-5-sonnet-20241022',
          max_tokens: 50,
          tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
          messages: [
            question,
            { role: 'assistant', content: [{ type: 'tool_use', id: 't_1', name: 'get_weather', input: {} }] },
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: 't_1', content: [{ type: 'text', text }] }],
            },
          ],
        },
        { 'x-api-key': 'sk-test', authorization: '', 'anthropic-version': '2023-06-01' },
      )
  const toolResult = { contains: 'sunny' }
  const answered = talk(question, called, result)
  tells([
    [
      'by the last message of the user',
      { conversation: { lastUser: { contains: 'weather' } } },
      talk(question),
      talk(question, ...more),
    ],
    ['by its turn', { conversation: { turn: 2 } }, answered, talk(question)],
    ['by a tool result', { conversation: { toolResult: true } }, answered, talk(question)],
    [
      'by the text of a tool result',
      { conversation: { toolResult } },
      answered,
      talk(question, called, { ...result, content: 'rain' }),
    ],
    [
      'by a tool result that is not there (any more)',
      { conversation: { toolResult: false } },
      talk(question, called, result, ...more),
      answered,
    ],
    [
      'in the form of messages',
      { operation: 'messages.create', conversation: { toolResult } },
      ofMessages('sunny'),
      ofMessages('rain'),
    ],
  ])
})
