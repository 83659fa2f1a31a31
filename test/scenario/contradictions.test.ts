/**
 * What of a scenario would do nothing, or would win over something else without a word, is refused when it is
 * loaded.
 */
import { describe, expect, it } from 'vitest'
import { createSimulator, ScenarioError } from '../../src/index.ts'
import { under } from './_gateway.ts'

/** The mistakes of a scenario with one rule. */
function mistakes(rule: object, more: object = {}): string[] {
  try {
    createSimulator({ scenarios: [{ title: 't', ...more, rules: [rule] } as never] })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.map(({ field, message }) => `${field.replace('rules[0].', '')}: ${message}`)
  }
}

describe('an answer whose words act against each other', () => {
  const submit = { operation: 'videos.create' }
  const chat = { operation: 'chat.create' }
  const timeline = [{ at: 0, status: 'pending' }]
  it.each([
    [
      'a job fault beside a timeline',
      submit,
      { timeline, fault: 'stuck' },
      'then.timeline: conflicts with the fault stuck',
    ],
    [
      'a job fault beside a job',
      submit,
      { job: 'at-once', fault: 'stuck' },
      'then.job: conflicts with the fault stuck',
    ],
    ['two job faults', submit, { fault: ['stuck', 'fail'] }, 'then.fault[1]: fail: conflicts with stuck'],
    [
      'a refusing fault beside a text',
      chat,
      { text: 'hi', fault: 'overloaded' },
      'then.text: conflicts with the fault overloaded',
    ],
    [
      'a refusing fault beside a patch',
      chat,
      { patch: { model: 'x' }, fault: 'rate-limit' },
      'then.patch: conflicts with the fault rate-limit',
    ],
    [
      'a refusing fault beside an error',
      chat,
      { error: { status: 400 }, fault: 'overloaded' },
      'then.error: conflicts with the fault overloaded',
    ],
    [
      'two refusing faults',
      chat,
      { fault: ['overloaded', 'rate-limit'] },
      'then.fault[1]: rate-limit: the call is refused by overloaded already',
    ],
    [
      'a fault of the job beside an error',
      submit,
      { error: { status: 500 }, fault: 'stuck' },
      'then.fault: stuck: the call is refused, so there is no job',
    ],
    [
      'a fault of streams beside an error',
      chat,
      { error: { status: 500 }, fault: 'disconnect' },
      'then.fault: disconnect: acts on streams',
    ],
    [
      'the filter beside a text',
      chat,
      { text: 'hi', fault: 'content-filter' },
      'then.text: conflicts with the fault content-filter',
    ],
    [
      'pictures of a failed job',
      { operation: 'imageJobs.create' },
      { job: { blocked: [1], failAt: 50 } },
      'then.job.blocked: conflicts with `failAt`',
    ],
    ['a failure that never comes', submit, { job: { code: 'x' } }, 'then.job.code: belongs to a failure'],
    ['a job without a word', submit, { job: {} }, 'then.job: is empty'],
    [
      'a failure behind the end',
      submit,
      { job: { failAt: 40, vanishAt: 20 } },
      'then.job.vanishAt: hides `failAt` (40)',
    ],
    [
      'words behind the end of a stream',
      chat,
      { stream: { script: [{ text: 'a' }, { fault: 'disconnect' }, { text: 'b' }] } },
      'then.stream.script[2]: comes after a fault that ends the stream',
    ],
    [
      'two places of one fault',
      chat,
      { fault: { kind: 'disconnect', afterEvents: 3, afterBytes: 10 } },
      'then.fault.afterBytes: conflicts with `afterEvents`',
    ],
    [
      'a header that cannot be sent',
      chat,
      { headers: { 'x-a': 'a\nb' } },
      'then.headers.x-a: expected visible ASCII',
    ],
    [
      'a name that is none',
      chat,
      { headers: { 'bad name': 'x' } },
      'then.headers.bad name: is not a header name',
    ],
    [
      'a header of the sender',
      chat,
      { headers: { 'Transfer-Encoding': 'chunked' } },
      'then.headers.Transfer-Encoding: is set when the reply is sent',
    ],
  ])('%s', (_title, when, then, expected) => {
    expect(mistakes({ when, then })).toEqual([expect.stringContaining(expected)])
  })

  it('what comes by chance stands beside what comes otherwise', () => {
    expect(
      mistakes({ when: chat, then: { text: 'hi', fault: { kind: 'overloaded', chance: 0.5 } } }),
    ).toEqual([])
  })
})

describe('a scenario whose words act against each other', () => {
  it('a speed of a clock that has none', () => {
    expect(mistakes({ then: {} }, { clock: { mode: 'manual', speed: 3 } })).toEqual([
      expect.stringContaining('clock.speed: applies only to a real clock'),
    ])
  })

  it('a status that the timeline hides', () => {
    expect(
      mistakes(
        { then: {} },
        { given: { imageJobs: [{ status: 'running', timeline: [{ at: 0, status: 'waiting' }] }] } },
      ),
    ).toEqual([expect.stringContaining('given.imageJobs[0].status: is never seen')])
  })
})

describe('a rule whose answer no call can get', () => {
  const account = {
    models: { chat: ['gpt-4o'], messages: ['claude-*'] },
    keys: { 'sk-a': {}, 'sk-b': { models: ['o3'] } },
  }
  const whole = { operation: 'chat.create', body: { stream: false } }
  const streamed = { operation: 'chat.create', body: { stream: true } }
  const words = { script: [{ text: 'a' }, { fault: 'disconnect' }] }
  it.each([
    [
      'a fault of streams for calls that want none',
      whole,
      { fault: { kind: 'disconnect', afterEvents: 3 } },
      'then.fault: disconnect: acts on streams',
    ],
    [
      'the same in a list, where the field may not be there',
      { operation: 'messages.create', body: { stream: { exists: false } } },
      { fault: ['bom'] },
      'then.fault[0]: bom: acts on streams',
    ],
    [
      'a fault in the script of such a call',
      whole,
      { stream: words },
      'then.stream.script[1]: acts on streams',
    ],
    [
      'the pace of such a call',
      whole,
      { stream: { every: '1s' } },
      'then.stream.every: is the pace of a stream',
    ],
    [
      'the same in a sequence',
      whole,
      { sequence: [{ text: 'a' }, { fault: 'stall' }] },
      'then.sequence[1].fault: stall: acts on streams',
    ],
    [
      'a fault of JSON for calls that want a stream',
      streamed,
      { fault: 'malformed-json' },
      'then.fault: malformed-json: acts on JSON bodies',
    ],
    [
      'a patch for calls that want a stream',
      streamed,
      { patch: { 'choices.0.message.content': 'x' } },
      'no event of chat.create has choices.0.message.content',
    ],
    [
      'a model that the account does not have',
      { operation: 'chat.create', model: 'gpt-5' },
      { text: 'a' },
      'when.model: the service refuses it (404), so the answer does nothing: `account.models.chat` has gpt-4o, not "gpt-5"',
    ],
    [
      'the same of two catalogues',
      { operation: ['chat.create', 'messages.create'], model: 'gpt-5' },
      { fault: 'disconnect' },
      'when.model: the service refuses it (404)',
    ],
    [
      'a model that the key may not use',
      { operation: 'chat.create', model: 'gpt-4o', key: 'sk-b' },
      { text: 'a' },
      'when.model: the service refuses it (403), so the answer does nothing: the key sk-b may not use it',
    ],
    [
      'a model where none is named',
      { operation: 'videos.retrieve', model: 'sora-2' },
      { error: { status: 500 } },
      'when.model: can never be met: no request of videos.retrieve names a model',
    ],
    [
      'a query where none is taken',
      { operation: 'videos.retrieve', query: { limit: 3 } },
      { error: { status: 500 } },
      'when.query.limit: can never be met: videos.retrieve takes no query',
    ],
    [
      'the same where something is deleted',
      { operation: 'videos.delete', query: { force: 'true' } },
      { error: { status: 500 } },
      'when.query.force: can never be met: videos.delete takes no query',
    ],
    [
      'what is left out of an answer by a filter, of a model that is not there',
      { operation: 'chat.create', model: 'gpt-5' },
      { fault: 'content-filter' },
      'when.model: the service refuses it (404)',
    ],
    [
      'a field of the body in the query',
      { operation: 'videos.create', query: { seconds: 8 } },
      { error: { status: 500 } },
      'when.query.seconds: can never be met: seconds is a field of the body',
    ],
    [
      'a key where none is asked for',
      { operation: 'imageJobs.readImage', key: 'sk-a' },
      { error: { status: 500 } },
      'when.key: can never be met: imageJobs.readImage takes no key',
    ],
  ])('%s', (_title, when, then, expected) => {
    expect(mistakes({ when, then }, { account })).toEqual([expect.stringContaining(expected)])
  })

  it.each([
    ['words of a script, which are said in one body too', whole, { stream: { script: [{ text: 'a' }] } }],
    [
      'a fault of streams where some want one',
      { operation: 'chat.create', body: { stream: { exists: true } } },
      { fault: 'disconnect' },
    ],
    [
      'broken JSON where the field may not be there',
      { operation: 'chat.create', body: { stream: { not: false } } },
      { fault: 'malformed-json' },
    ],
    ['broken JSON of a refusal', streamed, { error: { status: 500 }, fault: 'malformed-json' }],
    [
      'a refusal of a model that is not there',
      { operation: 'chat.create', model: 'gpt-5' },
      { error: { status: 404, message: 'Retired.' } },
    ],
    [
      'a reply in its place',
      { operation: 'chat.create', model: 'gpt-5' },
      { reply: { status: 200, body: {} }, offContract: true },
    ],
    [
      'models of which one is there',
      { operation: ['chat.create', 'messages.create'], model: 'gpt-4o' },
      { text: 'a' },
    ],
    ['a reserved model', { operation: 'chat.create', model: 'sim-error-500' }, { text: 'a' }],
    [
      'what a signature brings into the query',
      { operation: 'imageJobs.readImage', query: { sign: 'x' } },
      { error: { status: 500 } },
    ],
    ['models that may be there', { operation: 'chat.create', model: 'gpt-5*' }, { text: 'a' }],
    [
      'a version in the query, as clients send it',
      { operation: 'messages.create', query: { beta: 'true' } },
      { text: 'a' },
    ],
    [
      'what the contract does not know, on purpose',
      { operation: 'videos.retrieve', query: { limit: 3 } },
      { error: { status: 500 }, offContract: true },
    ],
  ])('%s is allowed', (_title, when, then) => {
    expect(mistakes({ when, then }, { account })).toEqual([])
  })
})

describe('a rule that no call can meet', () => {
  it.each([
    [
      'a window that ends before it begins',
      { during: { from: '10m', until: '5m' } },
      'when.during.until: expected to be later than `from` (10m), got 5m',
    ],
    ['the second of the first', { nth: 2, first: 1 }, 'when.nth: no call matches all counts together'],
    [
      'the first two after the second',
      { first: 2, after: 2 },
      'when.first: no call matches all counts together',
    ],
    [
      'the last of a billion calls and only the first half, worked out and not counted',
      { nth: 1_000_000_000, first: 500_000_000 },
      'when.nth: no call matches all counts together',
    ],
    [
      'a multiple that comes too late',
      { after: 400_000_000, every: 600_000_000, first: 999_999_999 },
      'when.first: no call matches all counts together',
    ],
    [
      'more calls than there can be',
      { nth: 2_147_483_648 },
      'when.nth: expected at most 1000000000, got 2147483648',
    ],
    [
      'a key that the account does not have',
      { key: 'sk-alcie' },
      'when.key: can never be met: the account has no key "sk-alcie"; did you mean sk-alice?',
    ],
    [
      'a turn that is no number',
      { operation: 'chat.create', conversation: { turn: 'first' } },
      'when.conversation.turn: can never be met',
    ],
    [
      'a list where an object is',
      { operation: 'chat.create', body: [1] },
      'when.body: can never be met: no request holds a list here',
    ],
    [
      'a list of models',
      { operation: 'chat.create', model: ['gpt-4o', 'gpt-5'] },
      'when.model: can never be met: no request holds a list here (one of several: { anyOf: […] })',
    ],
    [
      'a list under a header',
      { operation: 'chat.create', headers: { 'x-team': ['a', 'b'] } },
      'when.headers.x-team: can never be met: no request holds a list here',
    ],
    [
      'a text where JSON holds a boolean',
      { operation: 'chat.create', body: { stream: 'true' } },
      'when.body.stream: can never be met: no request holds "true" here; did you mean true, without quotes?',
    ],
  ])('%s', (_title, when, expected) => {
    expect(mistakes({ when, then: {} }, { account: { keys: { 'sk-alice': {} } } })).toEqual([
      expect.stringContaining(expected),
    ])
  })
})

describe('headers with values of the request', () => {
  it('are encoded where they cannot be sent, everywhere alike, and that is told', async () => {
    const { chat, sim } = under([
      { id: 'echo', when: { operation: 'chat.create' }, then: { headers: { 'x-prompt': '${prompt}' } } },
    ])
    expect((await chat('日本 🌅\r\nx-inj: 1')).headers.get('x-prompt')).toBe(
      '%E6%97%A5%E6%9C%AC %F0%9F%8C%85%0D%0Ax-inj: 1',
    )
    expect((sim as unknown as { warnings: string[] }).warnings).toEqual([
      expect.stringContaining('rule echo: the header x-prompt cannot be sent as it is'),
    ])
  })

  it('can say the date and the type, which else are the own ones', async () => {
    const { chat } = under(
      [
        {
          when: { operation: 'chat.create' },
          then: { headers: { date: 'Thu, 01 Jan 1970 00:00:00 GMT', 'content-type': 'text/plain' } },
        },
      ],
      {},
      { clock: 'auto' },
    )
    const plain = await chat('x')
    expect([plain.headers.get('date'), plain.headers.get('content-type')]).toEqual([
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'text/plain',
    ])
    expect((await chat('x', { stream: true })).headers.get('content-type')).toBe('text/plain')
  })
})
