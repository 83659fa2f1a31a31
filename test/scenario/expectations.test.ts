/**
 * What a step expects and could never find, or what nobody would judge: refused before anything runs. What
 * only a run can know is left to it.
 */
import { describe, expect, it } from 'vitest'
import { ScenarioError, type ScenarioInput } from '../../src/index.ts'
import { simulator } from '../_setup.ts'

/** What is wrong with steps, as `field message`; the steps are numbered from 0. */
function mistakes(steps: readonly unknown[], more: object = {}): string[] {
  try {
    simulator({ scenarios: [{ title: 'a', ...more, steps } as unknown as ScenarioInput] })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.map(({ field, message }) => `${field.replace('steps[0].', '')} ${message}`)
  }
}

const list = { call: 'models.list' }
const look = { call: 'videos.retrieve', with: { video_id: 'video_1' } }
const talk = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const chat = { call: 'chat.create', with: { ...talk, stream: true } }
const message = { call: 'messages.create', with: { ...talk, max_tokens: 9, stream: true } }

describe('what is never judged', () => {
  it.each<readonly [string, object, readonly string[]]>([
    [
      'a reply of `advance`',
      { advance: '3s', expect: { status: 777, body: { a: 'b' }, fired: [{ to: 'completed' }] } },
      [
        'expect.status does not apply here: `advance` gets no reply and can expect only `fired`',
        'expect.body does not apply here: `advance` gets no reply and can expect only `fired`',
      ],
    ],
    [
      'changes during a call',
      { ...list, expect: { fired: [{ to: 'completed' }] } },
      ['expect.fired applies only to `advance`: expect it there'],
    ],
    [
      'changes until something is so',
      { ...look, until: { fired: [{ to: 'completed' }] } },
      ['until.fired applies only to `advance`: expect it there'],
    ],
    [
      'an end of a stream that there is not',
      { ...list, stopAfter: 2 },
      ['stopAfter does nothing here: models.list does not stream'],
    ],
    [
      'an end of a stream that nobody asks for',
      { call: 'chat.create', with: talk, stopAfter: 2 },
      ['stopAfter does nothing here: chat.create streams only when asked to: with: { stream: true }'],
    ],
    [
      'how often one call is made',
      { ...list, every: '3s', limit: '4s' },
      [
        'every does nothing without `until`: the call is made once',
        'limit does nothing without `until`: the call is made once',
      ],
    ],
  ])('%s', (_what, step, found) => {
    expect(mistakes([step])).toEqual(found)
  })
})

describe('what no reply can meet', () => {
  it.each<readonly [string, object, string]>([
    [
      'a field',
      { ...look, until: { body: { statu: 'completed' } } },
      'until.body.statu no reply has a field "statu" here; did you mean status?',
    ],
    [
      'a field of an item',
      { call: 'videos.list', expect: { body: { data: { some: { staus: 'completed' } } } } },
      'expect.body.data.some.staus no reply has a field "staus" here; did you mean status?',
    ],
    [
      'a word',
      { ...look, expect: { body: { status: 'compleeted' } } },
      'expect.body.status can never be met: no reply holds "compleeted" here; did you mean completed?',
    ],
    [
      'a word behind an operator',
      { ...look, expect: { body: { status: { anyOf: ['pending', 'compleeted'] } } } },
      'expect.body.status.anyOf[1] can never be met: no reply holds "compleeted" here; did you mean completed?',
    ],
    [
      'an equal word',
      { ...look, expect: { body: { status: { equals: 'compleeted' } } } },
      'expect.body.status.equals can never be met: no reply holds "compleeted" here; did you mean completed?',
    ],
    [
      'an operator',
      { ...list, expect: { status: { gte: 200, ltt: 300 } } },
      'expect.status.ltt unknown operator "ltt"; did you mean lt?',
    ],
    [
      'a status that is a text',
      { ...list, expect: { status: '200' } },
      'expect.status can never be met: no reply holds "200" here; did you mean 200, without quotes?',
    ],
    [
      'a time that is a text',
      { ...list, expect: { took: '5s' } },
      'expect.took can never be met: no reply holds "5s" here; in milliseconds that is 5000',
    ],
    [
      'a reply beside a reset',
      { ...list, expect: { broken: 'reset', status: 200 } },
      'expect.status can never be met with `broken: reset`: there is no reply',
    ],
    [
      'a field of a change',
      { advance: '3s', expect: { fired: [{ too: 'completed' }] } },
      'expect.fired[0].too no reply has a field "too" here; did you mean to?',
    ],
    [
      'a kind of thing',
      { advance: '3s', expect: { fired: [{ resource: 'vidoe' }] } },
      'expect.fired[0].resource can never be met: no reply holds "vidoe" here; did you mean video?',
    ],
    [
      'a stream of a call that has none',
      { ...list, expect: { stream: { text: 'a' } } },
      'expect.stream models.list does not stream',
    ],
    [
      'a stream that nobody asks for',
      { call: 'chat.create', with: talk, expect: { stream: { text: 'a' } } },
      'expect.stream chat.create streams only when asked to: with: { stream: true }',
    ],
    [
      'a stream that nobody leaves',
      { ...chat, expect: { stream: { ended: 'left' } } },
      'expect.stream.ended can never be met: only a step with `stopAfter` leaves a stream',
    ],
    [
      'a reason of no API',
      { ...chat, expect: { stream: { finish: 'tool_cals' } } },
      'expect.stream.finish can never be met: no reply holds "tool_cals" here; did you mean tool_calls?',
    ],
    [
      'a reason of another API',
      { ...chat, expect: { stream: { finish: 'end_turn' } } },
      'expect.stream.finish can never be met: no reply holds "end_turn" here, expected one of stop, length, tool_calls, content_filter, function_call',
    ],
    [
      'a refusal of messages',
      { ...message, expect: { stream: { refusal: 'no' } } },
      'expect.stream.refusal can never be met: messages send a refusal as `text` and end with finish: refusal',
    ],
    [
      'a field of an event',
      { ...chat, expect: { stream: { events: [{ data: { choicez: [] } }] } } },
      'expect.stream.events[0].data.choicez no reply has a field "choicez" here; did you mean choices?',
    ],
  ])('%s', (_what, step, found) => {
    expect(mistakes([step])).toEqual([found])
  })

  it('is found beside other mistakes of the same expectation', () => {
    expect(
      mistakes([{ ...look, expect: { statsu: 200, took: '5s', body: { statu: 'completed' } } }]).map(
        (one) => one.split(' ')[0],
      ),
    ).toEqual(['expect.statsu', 'expect.took', 'expect.body.statu'])
  })
})

describe('what is saved', () => {
  it.each([
    ['body..id', 'expected names separated by dots, such as body.data.0.url, got "body..id"'],
    [
      'boddy.id',
      'expected a part of the reply such as body.id, starting with status, headers, body, text, stream, bytes',
    ],
    ['headers', 'expected names separated by dots, such as body.data.0.url, got "headers"'],
    ['status.code', '`status` has no parts: write status'],
    ['stream.txt', 'stream.txt: no reply has a field "txt" here; did you mean text?'],
    ['body.data[0].idd', 'body.data[0].idd: no reply has a field "idd" here; did you mean id?'],
  ])('%s', (from, found) => {
    expect(mistakes([{ call: 'videos.list', save: { it: from } }])).toEqual([`save.it ${found}`])
  })

  it.each([
    'body',
    'body.data[0].id',
    'body.data.0.id',
    'body.data.length',
    'headers.x-request-id',
    'stream.toolCalls.0.arguments.city',
    'status',
  ])('%s is fine', (from) => {
    expect(mistakes([{ call: 'videos.list', save: { it: from } }])).toEqual([])
  })
})

describe('what only a run can know', () => {
  const odd = { body: { statu: 'completed' } }
  const answered = (then: object, operation = 'videos.retrieve'): object => ({
    rules: [{ when: { operation }, then }],
  })
  it.each<readonly [string, object, object?]>([
    ['a reply that breaks the contract on purpose', { ...look, expect: { ...odd, offContract: true } }],
    ['the body of a refusal', { ...look, expect: { status: 404, body: { anything: 'here' } } }],
    [
      'the body of what may be a refusal',
      { ...look, expect: { status: { anyOf: [200, 429] }, body: { anything: 'here' } } },
    ],
    ['the body of a file', { fetch: '/v1/videos', expect: odd }],
    [
      'a reply that a rule writes',
      { ...look, expect: odd },
      answered({ reply: { body: { statu: 'completed' } }, offContract: true }),
    ],
    [
      'a reply that a rule changes',
      { ...look, expect: odd },
      answered({ patch: { statu: 'completed' }, offContract: true }, 'videos.*'),
    ],
    [
      'a reply that a rule of every call changes in a sequence',
      { ...look, expect: odd },
      { rules: [{ then: { sequence: [{ patch: { statu: 'completed' }, offContract: true }] } }] },
    ],
    [
      'a job that breaks the contract on purpose',
      { ...look, expect: { body: { progress: 140 } } },
      answered({ timeline: [{ at: '0s', progress: 140 }], offContract: true }, 'videos.create'),
    ],
    [
      'a value that an earlier step saves',
      { parallel: [{ ...look, expect: { body: { status: 'completed' }, status: 200 } }] },
    ],
    ['a reply that may be missing', { ...list, expect: { broken: 'reset', text: { exists: false } } }],
    [
      'a reply that is asked to stream by a form',
      { call: 'images.generate', with: { model: 'm', prompt: 'x', stream: 'true' }, stopAfter: 1 },
    ],
    ['the neutral reason of messages', { ...message, expect: { stream: { finish: 'tool_calls' } } }],
    ['fields that are numbers in a header', { ...list, expect: { headers: { 'retry-after': 5 } } }],
  ])('%s', (_what, step, more) => {
    expect(mistakes([step], more as object | undefined)).toEqual([])
  })

  it('what a template brings', () => {
    expect(
      mistakes([
        { call: 'videos.create', with: { prompt: 'x' }, save: { seen: 'body.status', code: 'status' } },
        { ...look, expect: { status: '${code}', body: { status: '${seen}' } } },
      ]),
    ).toEqual([])
  })
})
