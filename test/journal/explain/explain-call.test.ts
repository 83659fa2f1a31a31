/** Why a call got its response: by the library, in a header, over the control API. */
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../../src/index.ts'
import { describeIntegrations, jsonCall, post, simulator, withRules } from '../../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const ask = (sim: Simulator, more: object = {}, headers: Record<string, string> = {}): Promise<Response> =>
  post(sim, '/v1/chat/completions', { ...chat, ...more }, headers)

describe('an explanation says', () => {
  it('which rule answered, and why the others did not', async () => {
    const sim = simulator(
      withRules([
        'id: other-model, when: { operation: chat.create, model: o1 }, then: { text: a }',
        'id: second, when: { operation: chat.create, nth: 2 }, then: { text: b }',
        'id: hello, when: { operation: chat.create, times: 2, body: { messages: [{ content: Hello }] } }, then: {}',
        'id: late, when: { operation: chat.create }, then: { text: d }',
        'id: warm, when: { operation: chat.create, body: { temperature: { gt: 1 } } }, then: { text: e }',
      ]),
    )
    await ask(sim)
    const found = sim.explainRequest(0)
    expect(found).toMatchObject({
      rule: 'hello',
      because: 'Rule hello answered: its condition matched, use 1 of 2.',
    })
    expect(found.rules.map(({ rule, outcome }) => [rule, outcome])).toEqual([
      ['hello', 'answered'],
      ['second', 'count'],
      ['late', 'behind'],
      ['other-model', 'differs'],
      ['warm', 'differs'],
    ])
    expect(found.rules[3]).toMatchObject({ field: 'model', expected: '"o1"', got: '"gpt-4o"' })
    expect(found.text).toBe(
      [
        `POST /v1/chat/completions (chat.create, seq 0, ${found.requestId}) got 200.`,
        'Rule hello answered: its condition matched, use 1 of 2.',
        'Other rules, closest match first:',
        '  - rule second: match 1; it answers only nth 2.',
        '  - rule late: it matches, but an earlier rule answered.',
        '  - rule other-model: `model`: expected "o1", got "gpt-4o".',
        '  - rule warm: `body.temperature`: expected more than 1, got nothing.',
        'Session "default", selected by default: the request names no session.',
      ].join('\n'),
    )
  })

  it('which call it was of those that a rule counts, and which of several answers came', async () => {
    const sim = simulator(
      withRules([
        'id: b, when: { operation: chat.create, nth: 2 }, then: { text: b }',
        `id: three, when: { operation: chat.create, nth: [3, 5], body: { messages: [{ content: Hello }] } },
            then: { sequence: [{ text: c }, { text: d }] }`,
        'id: once, when: { operation: chat.create, times: 1 }, then: { text: e }',
        'id: any, when: { operation: [chat.create, messages.create] }, then: { text: g }',
      ]),
    )
    for (let call = 0; call < 5; call++) await ask(sim)
    expect([0, 1, 2, 3, 4].map((call) => sim.explainRequest(call).because)).toEqual([
      'Rule once answered: it matches every request for chat.create, use 1 of 1.',
      'Rule b answered: request 2 of chat.create, nth 2.',
      'Rule three answered: its condition matched, match 3, nth 3, 5; response 1 of 2 in its sequence.',
      'Rule any answered: it matches every request for chat.create and messages.create.',
      'Rule three answered: its condition matched, match 5, nth 3, 5; response 2 of 2 in its sequence.',
    ])
  })

  it('that the default behaviour answered, with the nearest rule first', async () => {
    const sim = simulator(
      withRules([
        'id: far, when: { operation: chat.create, model: o1, headers: { x-a: "1" }, body: { stream: true } }, then: {}',
        'id: near, when: { operation: chat.create, model: gpt-4o, body: { messages: { length: 2 } } }, then: {}',
      ]),
    )
    await ask(sim)
    const { because, rules, rule } = sim.explainRequest(0)
    expect(because).toBe('No rule matched (2 evaluated). Default response sent.')
    expect(rule).toBeUndefined()
    expect(rules.map(({ sentence }) => sentence)).toEqual([
      'rule near: `body.messages`: expected a length of 2, got a list of 1 (condition 2 of 2).',
      'rule far: `model`: expected "o1", got "gpt-4o" (condition 1 of 3).',
    ])
  })

  it('that a rule is used up, whatever else differs', async () => {
    const sim = simulator(
      withRules([
        'id: cut, when: { operation: chat.create, times: 1, body: { stream: true } }, then: { text: a }',
      ]),
    )
    await ask(sim)
    await ask(sim, { stream: true })
    await ask(sim)
    expect([0, 2].map((seq) => sim.explainRequest(seq).rules[0]?.sentence)).toEqual([
      'rule cut: `body.stream`: expected true, got nothing.',
      'rule cut: used up (answered 1 of 1 time).',
    ])
  })

  it('which reserved value decided', async () => {
    const sim = simulator()
    await ask(sim, { model: 'sim-overloaded' })
    await ask(sim, { messages: [{ role: 'user', content: 'Hello [sim:error-after-4]' }], stream: true })
    await ask(sim, { model: 'no-such-model' })
    await ask(sim, {}, { authorization: 'Bearer sk-wrong' })
    expect(sim.explainRequest(0)).toMatchObject({
      because: 'Decided by reserved model sim-overloaded: 503, overloaded (messages: 529).',
    })
    expect([1, 2, 3].map((seq) => sim.explainRequest(seq).because)).toEqual([
      'Decided by reserved prompt [sim:error-after-4]: a stream with an error event after 4 events. ' +
        'Applied fault: error-event.',
      'Decided by reserved model no-such-model: 404, unknown model (image jobs: 403, model not enabled).',
      'Decided by reserved key word wrong: 401, authentication failed.',
    ])
  })

  it('that the service rejected the call before a rule was asked', async () => {
    const sim = simulator(withRules(['id: any, when: { operation: chat.create }, then: {}']))
    await ask(sim, { temperature: 9 })
    await ask(sim, {}, { authorization: '' })
    expect(sim.explainRequest(0).because).toMatch(
      /^Rejected before rules were evaluated \(invalid_request_error: `temperature`: .*\)\.$/,
    )
    expect(sim.explainRequest(1).because).toBe(
      'Rejected before rules were evaluated (authentication_error). Error message: No API key: send ' +
        '`authorization: Bearer <API_KEY>` (got `authorization` in another form).',
    )
    expect(sim.explainRequest(1).rules).toEqual([])
  })

  it('all violations of a rejected request, and of many the first five', async () => {
    const sim = simulator({ settings: { explain: true } })
    const three = { temperature: 9, top_p: 2, n: 0 }
    const header = (await ask(sim, three)).headers.get('x-sim-explain')
    for (const text of [header, sim.explainRequest(0).because])
      expect(text).toMatch(/\(invalid_request_error: `n`: .*; `temperature`: .*; `top_p`: .*\)/)
    await ask(sim, { ...three, messages: Array.from({ length: 9 }, () => ({ role: 'nobody' })) })
    expect(sim.explainRequest(1).because).toMatch(
      /^Rejected before rules were evaluated \(.*; and \d+ more\)\.$/,
    )
  })

  it('which faults the response met', async () => {
    const sim = simulator({
      clock: 'auto',
      ...withRules([
        'when: { operation: chat.create }, then: { fault: { kind: disconnect, afterEvents: 1 } }',
      ]),
    })
    await (await ask(sim, { stream: true })).text().catch(() => '')
    expect(sim.explainRequest(0).because).toContain('Applied fault: disconnect.')
  })

  it('how the session was named', async () => {
    const sim = simulator()
    const response = await ask(sim, {}, { authorization: 'Bearer sk-sim-blue-me' })
    const found = sim.explainRequest(response.headers.get('x-request-id') as string)
    expect(found.text).toContain('Session "blue", selected by its API key sk-sim-<session>-….')
  })

  it('at most fifty rules, those that came nearest', async () => {
    const rules = Array.from({ length: 80 }, (_, index) => {
      return `id: r${index}, when: { operation: chat.create, ${index === 79 ? 'nth: 9' : 'model: o1'} }, then: {}`
    })
    const sim = simulator(withRules(rules))
    await ask(sim)
    const { rules: listed, because, text } = sim.explainRequest(0)
    expect(listed.length).toBe(50)
    expect(listed[0]?.rule).toBe('r79')
    expect(because).toBe('No rule matched (80 evaluated). Default response sent.')
    expect(text.split('\n')).toContain('  - and 30 more')
  })

  it('what held when the call was answered, whatever rules and states are like by now', async () => {
    const rules = [
      'id: shut, when: { operation: chat.create, flags: { door: shut } }, then: { text: a }',
      'id: other, when: { operation: chat.create, model: o1 }, then: { text: a }',
      'id: shuts, when: { operation: chat.create, times: 1 }, then: { text: b, setFlags: { door: shut } }',
    ]
    const sim = simulator(withRules(rules, 'flags: { door: open }\n'))
    await ask(sim)
    const before = sim.explainRequest(0)
    expect(before.rules.map(({ sentence }) => sentence)).toEqual([
      'rule shuts answered: it matches every request for chat.create, use 1 of 1.',
      'rule shut: `flags.door`: expected "shut", got "open".',
      'rule other: `model`: expected "o1", got "gpt-4o".',
    ])
    await ask(sim)
    sim.overrides.add({ when: { operation: 'chat.create' }, fault: 'overloaded' })
    sim.core.useScripts(undefined)
    expect(sim.explainRequest(0)).toEqual(before)
  })

  it('the same of a body longer than what the journal keeps', async () => {
    const sim = simulator(
      withRules([
        'id: user, when: { operation: chat.create, body: { user: ann } }, then: { text: a }',
        'id: second, when: { operation: chat.create, nth: 2 }, then: { text: b }',
      ]),
    )
    const content = 'x'.repeat(70_000)
    await ask(sim, { user: 'bob', messages: [{ role: 'user', content }] })
    expect(sim.explainRequest(0).rules.map(({ sentence }) => sentence)).toEqual([
      'rule second: match 1; it answers only nth 2.',
      'rule user: `body.user`: expected "ann", got "bob".',
    ])
  })

  it('keeps little of what a call has: a long text its beginning', async () => {
    const rule = 'when: { operation: chat.create, conversation: { lastUser: short } }, then: {}'
    const sim = simulator(withRules([rule]))
    await ask(sim, { messages: [{ role: 'user', content: 'x'.repeat(100_000) }] })
    expect(sim.explainRequest(0).rules[0]?.got?.length).toBeLessThan(250)
  })
})

describe('the end of a response', () => {
  const lines = (sim: Simulator): string[] => sim.explainRequest(0).text.split('\n')

  it('is told of a stream that is open, and of one that its client has left', async () => {
    const sim = simulator()
    const leave = new AbortController()
    await sim.fetch('http://gateway.test/v1/chat/completions', {
      ...jsonCall({ ...chat, stream: true }),
      signal: leave.signal,
    })
    expect(lines(sim)).toContain('The response has not ended: 0 events sent so far.')
    leave.abort()
    // Nothing of it was sent: the journal lists what was.
    expect(lines(sim)).toContain('The client aborted the response.')
  })

  it('is told of a stream that was broken off, and not of one that came to its end', async () => {
    const sim = simulator({
      clock: 'auto',
      ...withRules(['when: { times: 1 }, then: { fault: { kind: disconnect, afterEvents: 2 } }']),
    })
    const read = async (): Promise<string> => (await ask(sim, { stream: true })).text()
    await expect(read()).rejects.toThrow()
    expect(lines(sim)).toContain('The server cut the connection after 2 events.')
    await read()
    expect(sim.explainRequest(1).text).not.toMatch(/before its end|not ended/)
  })
})

describe('a call that is not there', () => {
  it('of a session that is no more is unknown', async () => {
    const sim = simulator()
    const mine = sim.createSession({ name: 'mine' })
    const answer = await post(sim, '/s/mine/v1/chat/completions', chat)
    const id = answer.headers.get('x-request-id') as string
    expect(sim.explainRequest(id).session).toBe('mine')
    mine.dispose()
    expect(() => sim.explainRequest(id)).toThrow('There is no request')
  })

  it('is rejected with what there is', async () => {
    const sim = simulator({ settings: { memory: { items: 4 } } })
    expect(() => sim.explainRequest(0)).toThrow('holds 0 of 0 requests')
    for (let call = 0; call < 5; call++) await ask(sim)
    expect(() => sim.explainRequest(1)).toThrow(
      'There is no request 1 in the journal of the session "default": expected a request id, a seq or last. The journal holds 3 of 5 requests.',
    )
    expect(() => sim.explainRequest('req_nonsense')).toThrow('There is no request "req_nonsense"')
    expect(() => sim.explainRequest(null as never)).toThrow('There is no request')
  })
})

describeIntegrations('the header x-sim-explain', (integration) => {
  const call = async (sim: Simulator, headers: Record<string, string> = {}): Promise<string | null> => {
    const { fetch, url } = await integration.open(sim)
    const body = { ...chat, messages: [{ role: 'user', content: 'Grüezi 你好' }] }
    const response = await fetch(`${url}/v1/chat/completions`, jsonCall(body, headers))
    return response.headers.get('x-sim-explain')
  }

  it('is there when the caller asks, and else not', async () => {
    expect(await call(simulator())).toBeNull()
  })

  it('says so in ASCII when the caller asks', async () => {
    const rule = 'id: hello, when: { operation: chat.create, conversation: { lastUser: Hello } }, then: {}'
    const sim = simulator(withRules([rule]))
    expect(await call(sim, { 'x-sim-explain': '1' })).toBe(
      'No rule matched (1 evaluated). Default response sent. Closest: rule hello: `conversation.lastUser`: expected "Hello", got "Gr\\u{fc}ezi \\u{4f60}\\u{597d}". Session "default".',
    )
  })

  it('is there for all with the setting', async () => {
    expect(await call(simulator({ settings: { explain: true } }))).toBe(
      'No rule for this operation. Default response sent. Session "default".',
    )
  })
})

describeIntegrations('GET /__sim/journal/{id}/explain', (integration) => {
  it('says the same as the library, by number and by request id of whatever session', async () => {
    const sim = simulator(withRules(['id: second, when: { operation: chat.create, nth: 2 }, then: {}']))
    const { fetch, url } = await integration.open(sim)
    const response = await fetch(`${url}/s/blue/v1/chat/completions`, jsonCall(chat))
    const id = response.headers.get('x-request-id') as string
    const explained = async (path: string): Promise<unknown> => (await fetch(url + path)).json()
    expect(await explained(`/__sim/journal/${id}/explain`)).toEqual(sim.explainRequest(id))
    expect(await explained('/s/blue/__sim/journal/0/explain')).toEqual(sim.explainRequest(id))
    expect((await fetch(`${url}/__sim/journal/0/explain`)).status).toBe(404)
  })
})
