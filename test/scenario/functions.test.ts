/** Rules that are functions: `then: (call, { random }) => answer | undefined`. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { connect } from '../../src/client.ts'
import {
  createSimulator,
  defineScenario,
  type RuleCall,
  type RuleFunction,
  type ScenarioError,
  type ScenarioInput,
} from '../../src/index.ts'
import { under } from './_gateway.ts'

/** A chat answers as the function says. */
const answering = (then: RuleFunction, more: object = {}, rule: object = {}) =>
  under([{ id: 'mine', when: { operation: 'chat.create' }, ...rule, then }], more)

const said = ({ body }: { readonly body: any }): unknown => body?.choices?.[0]?.message?.content

/** The errors of a scenario object, each with its field. */
function rejected(scenario: object): string[] {
  try {
    createSimulator({ scenarios: [scenario as ScenarioInput] })
  } catch (error) {
    return (error as ScenarioError).errors.map(({ field, message }) => `${field}: ${message}`)
  }
  return []
}

describe('a rule as a function', () => {
  it('responds with its result, in the terms of files', async () => {
    const gateway = answering(({ model, conversation }) => ({
      text: `${model} heard: ${conversation.lastUser}`,
      headers: { 'x-mine': 'yes' },
    }))
    const response = await gateway.chat('Hello')
    expect(said(response)).toBe('gpt-4o heard: Hello')
    expect(response.headers.get('x-mine')).toBe('yes')
  })

  it('can reject, patch, fail and delay like any rule', async () => {
    const gateway = answering(({ nth }) =>
      nth === 1
        ? { error: { status: 429, retryAfter: '2s' } }
        : nth === 2
          ? { patch: { system_fingerprint: 'fp_mine' } }
          : { fault: 'rate-limit' },
    )
    const first = await gateway.chat('a')
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2'])
    expect((await gateway.chat('b')).body.system_fingerprint).toBe('fp_mine')
    expect((await gateway.chat('c')).status).toBe(429)
  })

  it('passes a request on when it returns undefined, and does not count as a response', async () => {
    const { sim, chat } = under([
      {
        id: 'mine',
        when: { times: 1 },
        then: ({ body }: RuleCall) => (body.user ? { text: 'mine' } : undefined),
      },
      { id: 'rest', then: { text: 'rest' } },
    ])
    expect(said(await chat('a'))).toBe('rest')
    expect(said(await chat('b', { user: 'u' }))).toBe('mine')
    expect(said(await chat('c', { user: 'u' }))).toBe('rest')
    expect(sim.explainRequest(0).text).toContain(
      'rule mine: its function passed the request on to later rules.',
    )
    expect(sim.scenarios.list()[0]?.rules[0]).toEqual({ id: 'mine', matched: 3, answered: 1, enabled: true })
  })

  it('is called only for requests that match its conditions and counts', async () => {
    const seen: number[] = []
    const gateway = answering(
      ({ nth, answered }) => {
        seen.push(nth, answered)
        return { text: 'x' }
      },
      {},
      { when: { operation: 'chat.create', model: 'gpt-4o', nth: [2, 3] } },
    )
    await gateway.chat('a', { model: 'gpt-4o-mini' })
    for (const text of ['b', 'c', 'd', 'e']) await gateway.chat(text)
    expect(seen).toEqual([2, 0, 3, 1])
  })

  it('receives the request in the terms of `when`, as a copy', async () => {
    let call: RuleCall | undefined
    const gateway = answering(
      (given) => {
        call = given
        given.body.messages = []
        return undefined
      },
      { flags: { mood: 'calm' } },
    )
    const messages = [
      { role: 'user', content: 'What is 2 + 2?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '4' },
    ]
    const response = await gateway.call(
      'POST',
      '/v1/chat/completions?trace=1',
      { model: 'gpt-4o', messages },
      { 'x-team': 'blue' },
    )
    expect(response.status).toBe(200)
    expect(call).toMatchObject({
      operation: 'chat.create',
      model: 'gpt-4o',
      key: 'sk-test',
      body: { model: 'gpt-4o' },
      query: { trace: '1' },
      path: {},
      conversation: { lastUser: 'What is 2 + 2?', toolResult: '4', turn: 2 },
      flags: { mood: 'calm' },
      nth: 1,
      answered: 0,
      now: Date.parse('2026-01-01T00:00:00Z'),
    })
    expect(call?.headers['x-team']).toBe('blue')
  })

  it('sets flags, and later rules see them', async () => {
    const { chat } = under(
      [
        { when: { flags: { mood: 'angry' } }, then: { text: 'No.' } },
        {
          then: ({ conversation }: RuleCall) =>
            conversation.lastUser === 'idiot' ? { setFlags: { mood: 'angry' } } : undefined,
        },
      ],
      { flags: { mood: 'calm' } },
    )
    await chat('idiot')
    expect(said(await chat('Please?'))).toBe('No.')
  })

  it('uses the randomness of its request: equal requests get equal responses', async () => {
    const run = async (seed: string) => {
      const gateway = answering((_, { random }) => ({ text: random.hex(8) }), { seed })
      return [said(await gateway.chat('a')), said(await gateway.chat('a')), said(await gateway.chat('b'))]
    }
    const first = await run('one')
    expect(await run('one')).toEqual(first)
    expect(new Set(first).size).toBe(3)
    expect(await run('two')).not.toEqual(first)
  })

  it("is not a template: a user's text is literal", async () => {
    const gateway = answering(({ conversation }) => ({ text: `You said ${conversation.lastUser}` }))
    expect(said(await gateway.chat('${body.model} and ${nothing}'))).toBe(
      'You said ${body.model} and ${nothing}',
    )
  })

  it('can set the course of a job, and respond in several steps', async () => {
    const { sim, call } = under([
      {
        id: 'v',
        when: { operation: 'videos.create' },
        then: ({ body }: RuleCall) => ({ job: { failAt: body.seconds === '4' ? 50 : 90 } }),
      },
      {
        id: 's',
        when: { operation: 'chat.create' },
        then: () => ({ sequence: [{ text: 'one' }, { text: 'two' }] }),
      },
    ])
    const { body } = await call('POST', '/v1/videos', { model: 'sora-2', prompt: 'a fox', seconds: '4' })
    sim.clock.advance({ to: 'idle' })
    expect((await call('GET', `/v1/videos/${body.id}`)).body).toMatchObject({
      status: 'failed',
      progress: 50,
    })
    const ask = { model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] }
    expect(said(await call('POST', '/v1/chat/completions', ask))).toBe('one')
    expect(said(await call('POST', '/v1/chat/completions', ask))).toBe('two')
  })

  it('is identified in explanations', async () => {
    const gateway = answering(() => ({ text: 'x' }))
    await gateway.chat('a')
    expect(gateway.sim.explainRequest(0)).toMatchObject({
      rule: 'mine',
      because: 'Rule mine (function) answered: it matches every request for chat.create.',
    })
  })

  it('can be loaded into a session', async () => {
    const { sim, chat } = under([])
    sim.scenarios.add({ title: 'later', rules: [{ id: 'later', then: () => ({ text: 'loaded' }) }] })
    expect(said(await chat('a'))).toBe('loaded')
  })
})

describe('results that a function must not return', () => {
  const cases: readonly (readonly [string, () => unknown, string])[] = [
    ['an unknown word', () => ({ dely: '3s' }), 'then.dely: unknown key "dely": did you mean delay?'],
    ['a wrong value', () => ({ error: { status: 99 } }), 'then.error.status: expected '],
    ['text', () => 'Hello', 'to later rules, got "Hello"'],
    ['false', () => false, "expected a response object such as { text: 'Hello' }, or undefined"],
    ['a promise', () => Promise.resolve({ text: 'x' }), 'to later rules, got a Promise'],
    ['a Response', () => new Response('x'), 'to later rules, got a Response'],
    ['a function', () => ({ text: () => 'x' }), 'then.text: got a function'],
    [
      'what another operation has',
      () => ({ timeline: [{ at: '0s', status: 'pending' }] }),
      'then.timeline: does not apply to chat.create, only to imageJobs.create',
    ],
    [
      'what is decided earlier',
      () => ({ error: { status: 401, before: 'auth' } }),
      'a function runs only after the API key and the body are checked',
    ],
    ['an unknown flag', () => ({ setFlags: { mood: 'x' } }), 'then.setFlags.mood: there is no such flag'],
  ]

  it.each(cases)(
    '%s: the request is rejected, and the message names the rule and the place',
    async (_, then, message) => {
      const gateway = answering(then as RuleFunction)
      const { status, body } = await gateway.chat('a')
      expect(status).toBe(500)
      expect(body.error.type).toBe('api_error')
      expect(body.error.message).toContain('the function in rule mine failed: ')
      expect(body.error.message).toContain(message)
      expect(gateway.sim.warnings).toHaveLength(1)
      expect(gateway.sim.journal()[0]).toMatchObject({ cause: { rule: 'mine', violations: [] } })
    },
  )

  it('an error thrown by it is reported, with its place in the warning', async () => {
    const gateway = answering(({ body }) => ({ text: body.nothing.here }))
    const { body } = await gateway.chat('a')
    expect(body.error.message).toContain('the function in rule mine failed: TypeError: ')
    expect(body.error.message).not.toContain('functions.test.ts')
    expect(gateway.sim.warnings[0]).toContain('functions.test.ts')
  })
})

describe('places without functions', () => {
  it('in a file', () => {
    const text = 'title: a\nrules:\n  - then: "(call) => ({ text: call.model })"\n'
    expect(() => under([]).sim.scenarios.add({ text })).toThrow(/then: expected an object, got/)
  })

  it('an async function is rejected when the scenario is loaded', () => {
    expect(rejected({ title: 'a', rules: [{ then: async () => ({ text: 'x' }) }] })).toEqual([
      expect.stringContaining(
        'rules[0].then: expected a synchronous function, got an async function or a generator',
      ),
    ])
  })

  it('elsewhere in a scenario; other values that are not data are rejected as well', () => {
    const rules = [
      { when: { body: () => true, model: /gpt/ }, then: { text: () => 'x' } },
      { when: { model: 'x' }, then: { sequence: [() => ({}), { text: 'a' }] } },
    ]
    expect(rejected({ title: 'a', clock: { start: new Date(0) }, rules })).toEqual([
      'clock.start: got a Date: expected plain data, as in a JSON file',
      'rules[0].when.body: got a function: only the whole `then` of a rule may be a function',
      'rules[0].when.model: got a RegExp: expected plain data, as in a JSON file',
      'rules[0].then.text: got a function: only the whole `then` of a rule may be a function',
      'rules[1].then.sequence[0]: got a function: only the whole `then` of a rule may be a function',
    ])
  })

  it('large byte arrays are rejected too', () => {
    const found = rejected({ title: 'a', rules: [{ then: { text: new Uint8Array(600_000) } }] })
    expect(found).toEqual([expect.stringMatching(/^rules\[0\]\.then\.text: got a Uint8Array: /)])
  })

  it('in requests to a server', async () => {
    const client = connect('http://127.0.0.1:1')
    await expect(client.scenarios.add({ title: 'a', rules: [{ then: () => ({}) }] })).rejects.toThrow(
      '`then` is a function, which cannot be sent: functions cannot be sent: write the response as data, or use createSimulator in this process',
    )
  })
})

describe('defineScenario', () => {
  it('returns its argument, with types inline', () => {
    const scenario = defineScenario({
      title: 'typed',
      rules: [
        {
          when: { operation: 'chat.create' },
          then(call, { random }) {
            expectTypeOf(call).toEqualTypeOf<RuleCall>()
            return random.chance(1, 2) ? { text: call.operation } : undefined
          },
        },
      ],
    })
    expectTypeOf(scenario).toEqualTypeOf<ScenarioInput>()
    expect(createSimulator({ scenarios: [scenario] }).scenarios.list()).toHaveLength(1)
    // @ts-expect-error: an unknown word
    defineScenario({ title: 'typo', rules: [{ wehn: {}, then: {} }] })
  })
})
