import { describe, expect, it } from 'vitest'
import { asking, completed, model, only, rejected, unsuitable } from './_chat.ts'

const text = (words: string): object => ({ type: 'text', text: words })

const user = { role: 'user', content: 'Say "hi"' }
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const answer = { role: 'tool', tool_call_id: 'call_1', content: 'x' }
const calling = { role: 'assistant', content: null, tool_calls: [call] }
const system = { role: 'system', content: 'Be brief.' }
const refusal = (words: string): object => ({ type: 'refusal', refusal: words })
const said = (content: unknown): object => ({ role: 'assistant', content })
const customCall = { id: 'call_3', type: 'custom', custom: { name: 'c', input: 'x' } }
const legacyCalling = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }
const image = (url: string, extra: object = {}): object => ({
  type: 'image_url',
  image_url: { url, ...extra },
})
const of = (...messages: unknown[]): { model: string; messages: unknown[] } => ({ model, messages })
const after = (...messages: unknown[]) => of(user, ...messages)
const sound = (data: string, format = 'wav'): object => ({
  type: 'input_audio',
  input_audio: { data, format },
})
const file = (fields: object): object => ({ type: 'file', file: fields })

describe('messages that are accepted', () => {
  const parts = [
    text('What?'),
    ...['https://a.example/b.png', 'data:image/svg+xml;charset=utf-8;base64,AAAA'].map((url) => image(url)),
    image('https://a.example', { detail: 'low' }),
    ...[sound('AAAA', 'mp3'), file({ file_id: 'file-1' })],
    file({ file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' }),
  ]
  const otherCall = { ...call, id: 'call_2' }

  it.each([
    ['every role', [system, { ...system, role: 'developer' }, { ...user, name: 'ada' }, said('hi'), user]],
    ['a user with every kind of part', [{ role: 'user', content: parts }]],
    ['only a system message', [system]],
    ['an assistant last', [user, said('Once upon')]],
    ['an assistant with parts of both kinds', [user, said([text('a'), refusal('b')]), user]],
    ['an assistant that rejected', [user, { role: 'assistant', content: null, refusal: 'no' }, user]],
    ['an assistant that spoke', [user, { role: 'assistant', audio: { id: 'audio_1' } }, user]],
    [
      'calls of both kinds, answered in any order',
      [
        user,
        { role: 'assistant', tool_calls: [call, otherCall, customCall] },
        ...['call_2', 'call_3', 'call_1'].map((tool_call_id) => ({ ...answer, tool_call_id })),
      ],
    ],
    ['the same id again in a later turn', [user, calling, answer, calling, answer]],
    ['a legacy call and its answer', [user, legacyCalling, { role: 'function', name: 'f', content: 'x' }]],
  ])('%s', async (_, messages) => {
    const { finish_reason, message } = only(await completed({ model, messages }))
    expect(finish_reason).toBe('stop')
    expect(message.content).not.toBe('')
  })
})

describe('messages that are rejected with 400', () => {
  const silent = 'is required unless the message has tool_calls, function_call, refusal or audio'
  const noCall = (id: string): string =>
    `"${id}" matches no tool call in the previous assistant message: expected an id from its \`tool_calls\``
  const unanswered = (id: string): string =>
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
    `'tool_call_id'; these have no tool message: ${id}`

  const first = 'messages[0].content'
  const part = `${first}[0]`
  const noFile = 'expected `file_id` or `file_data`, got neither'
  const twice = '"call_1" already has a tool message'

  it.each<[string, unknown, string, string]>([
    ['an empty file', asking([file({ filename: 'a' })]), `${part}.file`, noFile],
    ['an assistant that says nothing', after({ role: 'assistant' }), 'messages[1].content', silent],
    ['an assistant that says null', after(said(null)), 'messages[1].content', silent],
    [
      'a tool message without a call',
      after({ ...answer, tool_call_id: 'call_9' }),
      'messages[1].tool_call_id',
      noCall('call_9'),
    ],
    [
      'a tool message after the turn is over',
      after(calling, answer, user, answer),
      'messages[4].tool_call_id',
      noCall('call_1'),
    ],
    [
      'a call that has two tool_result blocks',
      after(calling, answer, answer),
      'messages[3].tool_call_id',
      twice,
    ],
    [
      'a call that is not answered before the next turn',
      after(calling, user),
      'messages[1].tool_calls',
      unanswered('call_1'),
    ],
    [
      'a call that is not answered at the end',
      after({ ...calling, tool_calls: [call, { ...call, id: 'call_2' }] }, answer),
      'messages[1].tool_calls',
      unanswered('call_2'),
    ],
  ])('%s', async (_, body, field, sentence) => {
    expect(await rejected(body)).toEqual(unsuitable(field, sentence))
  })

  it.each([
    ...['', 'cat.png', 'ftp://a.example/b', 'https://', 'https:// a', 'data:image/png,abc'],
    ...['data:text/plain;base64,AAAA', 'data:image/png;base64,', 'data:image/png;base64,a b'],
  ])('an image at "%s"', async (url) => {
    expect(await rejected(asking([image(url)]))).toEqual(
      unsuitable(
        'messages[0].content[0].image_url.url',
        'expected an http(s) URL, a data: URL with a base64 image, or the `path` of an uploaded ' +
          `file, got ${JSON.stringify(url)}`,
      ),
    )
  })

  it('all findings at once: the first in the message, each in the details', async () => {
    const { body } = await rejected(after({ role: 'assistant' }, { ...answer, tool_call_id: 'call_7' }))
    const [one, other] = ['messages[1].content', 'messages[2].tool_call_id']
    expect(body).toMatchObject({
      error: {
        message: `\`${one}\`: ${silent} (and 1 more error, see details).`,
        param: one,
        details: [{ field: one }, { code: 400, field: other, message: `\`${other}\`: ${noCall('call_7')}` }],
      },
    })
  })
})
