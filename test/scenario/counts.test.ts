/** Which of the calls that meet a rule's conditions it answers: by count, by virtual time, by named state. */
import { describe, expect, it } from 'vitest'
import { teapot, under } from './_gateway.ts'

/** The rules that answered so many equal calls. */
async function answered(rules: readonly object[], calls: number): Promise<(string | undefined)[]> {
  const { chat } = under(rules)
  const list: (string | undefined)[] = []
  for (let index = 0; index < calls; index++) list.push((await chat('hello')).rule)
  return list
}
const _ = undefined

describe('among equal requests, a rule matches', () => {
  it.each([
    ['the second', { nth: 2 }, [_, 'r', _, _, _, _]],
    ['the second and the fifth', { nth: [2, 5] }, [_, 'r', _, _, 'r', _]],
    ['the first two', { first: 2 }, ['r', 'r', _, _, _, _]],
    ['every second', { everyNth: 2 }, [_, 'r', _, 'r', _, 'r']],
    ['at most three', { times: 3 }, ['r', 'r', 'r', _, _, _]],
    ['at most one of every second', { everyNth: 2, times: 1 }, [_, 'r', _, _, _, _]],
  ] as const)('%s', async (_title, when, expected) => {
    expect(await answered([{ id: 'r', when, then: teapot('r') }], 6)).toEqual(expected)
  })

  it('the first matching rule applies, in file order', async () => {
    expect(
      await answered(
        [
          { id: 'a', when: { times: 1 }, then: teapot('a') },
          { id: 'b', when: { times: 1 }, then: teapot('b') },
        ],
        3,
      ),
    ).toEqual(['a', 'b', _])
  })

  it('requests matched by an earlier rule also count', async () => {
    expect(
      await answered(
        [
          { id: 'a', when: { first: 1 }, then: teapot('a') },
          { id: 'b', when: { nth: 2 }, then: teapot('b') },
        ],
        3,
      ),
    ).toEqual(['a', 'b', _])
  })

  it('requests rejected before the rules do not count: a wrong API key, an invalid body', async () => {
    const { chat } = under([{ id: 'r', when: { operation: 'chat.create', nth: 2 }, then: teapot('r') }], {
      keys: { 'sk-test': {} },
    })
    const calls = [
      await chat('hello'),
      await chat('hello', {}, { authorization: 'Bearer sk-other' }),
      await chat('hello', { temperature: 9 }),
      await chat('hello'),
    ]
    expect(calls.map(({ status, rule }) => [status, rule])).toEqual([
      [200, _],
      [401, _],
      [400, _],
      [503, 'r'],
    ])
  })

  it.each([
    ['a model that the settings do not know', { model: 'gpt-9' }, 404],
    ['an unknown parameter', { temprature: 1 }, 400],
    ['fields that contradict each other', { top_logprobs: 2 }, 400],
    ['a tool choice without that tool', { tool_choice: 'required' }, 400],
  ])('nor do %s, which strict rejects with the error of the gateway', async (_title, fields, status) => {
    const models = { chat: ['gpt-4o'] }
    const settings = { strict: true, models, chat: { unknownParameters: 'reject' } } as const
    const { chat, sim } = under(
      [{ id: 'r', when: { times: 1 }, then: { text: 'only once' } }],
      {},
      { settings },
    )
    expect((await chat('hello', fields)).status).toBe(status)
    expect(sim.unusedRules()).toEqual(['r'])
    expect((await chat('hello')).rule).toBe('r')
    expect((await chat('hello', fields)).status).toBe(status)
    expect((await chat('hello')).status).toBe(422)
  })

  it('invalid requests count for a rule that rejects earlier', async () => {
    const { chat } = under([
      {
        id: 'r',
        when: { operation: 'chat.create', nth: 2 },
        then: { error: { status: 503, before: 'validation' } },
      },
    ])
    expect([(await chat('hello', { temperature: 9 })).rule, (await chat('hello')).rule]).toEqual([_, 'r'])
  })

  it('only requests that match all other conditions count', async () => {
    const { chat } = under([
      {
        id: 'r',
        when: { operation: 'chat.create', nth: 2, conversation: { lastUser: { contains: 'x' } } },
        then: teapot('r'),
      },
    ])
    expect([(await chat('x 1')).rule, (await chat('y')).rule, (await chat('x 2')).rule]).toEqual([_, _, 'r'])
  })

  it('each session counts separately', async () => {
    const { chat } = under([{ id: 'r', when: { nth: 2 }, then: teapot('r') }])
    const one = { 'x-sim-session': 'one' }
    await chat('x')
    expect((await chat('x', {}, one)).status).toBe(200)
    expect((await chat('x', {}, one)).status).toBe(503)
    expect((await chat('x')).status).toBe(503)
  })

  it('a reset restarts the counts', async () => {
    const { chat, sim } = under([{ id: 'r', when: { nth: 2 }, then: teapot('r') }])
    await chat('x')
    sim.resetAll()
    expect([(await chat('x')).rule, (await chat('x')).rule]).toEqual([_, 'r'])
  })
})

describe('a window of virtual time', () => {
  it('starts and ends by the session clock', async () => {
    const { chat, sim } = under([
      { id: 'r', when: { during: { from: '10s', until: '20s' } }, then: teapot('r') },
    ])
    const seen: (string | undefined)[] = [(await chat('x')).rule]
    for (const by of ['9999ms', '1ms', '9999ms', '1ms']) {
      sim.clock.advance(by)
      seen.push((await chat('x')).rule)
    }
    expect(seen).toEqual([_, _, 'r', 'r', _])
  })

  it('is explained', async () => {
    const { chat, sim } = under([{ id: 'd', when: { during: { until: '24h' } }, then: teapot('d') }])
    sim.clock.advance('25h')
    await chat('x')
    const expected = sim.journal()[0]?.cause.considered?.map((rule) => 'expected' in rule && rule.expected)
    expect(expected).toEqual(['a time from 0s to 1d of the session'])
  })
})

describe('a flag', () => {
  const rules = [
    {
      id: 'falls',
      when: { operation: 'videos.create', flags: { gateway: 'up' } },
      then: { setFlags: { gateway: 'down' } },
    },
    {
      id: 'down',
      when: { operation: 'chat.create', flags: { gateway: 'down' }, times: 2 },
      then: { sequence: [teapot('down'), { ...teapot('last'), setFlags: { gateway: 'up' } }] },
    },
  ]

  it('is separate in each session', async () => {
    const { chat, call } = under(rules, { flags: { gateway: 'up' } })
    await call('POST', '/v1/videos', { prompt: 'a' })
    expect([(await chat('x', {}, { 'x-sim-session': 'other' })).status, (await chat('x')).status]).toEqual([
      200, 503,
    ])
  })

  it('can be set from a value of the request', async () => {
    const { chat } = under(
      [
        {
          id: 'set',
          when: { operation: 'chat.create', body: { user: { exists: true } } },
          then: { setFlags: { last: '${body.user}' } },
        },
        { id: 'of ann', when: { flags: { last: { startsWith: 'an' } } }, then: teapot('x') },
      ],
      { flags: { last: 'nobody' } },
    )
    expect([(await chat('x')).rule, (await chat('x', { user: 'ann' })).rule, (await chat('x')).rule]).toEqual(
      [_, 'set', 'of ann'],
    )
  })
})

describe('the cost of a rule', () => {
  it('is the same with 10 and with 1,000 rules for other operations, in rules tried', async () => {
    const tried = async (others: number): Promise<number | undefined> => {
      const rest = Array.from({ length: others }, (_unused, index) => ({
        id: `other ${index}`,
        when: { operation: 'videos.create', body: { prompt: { contains: `word ${index}` } } },
        then: teapot('x'),
      }))
      const { chat, sim } = under([
        ...rest,
        {
          id: 'r',
          when: { operation: 'chat.create', model: 'gpt-4o', body: { stream: { exists: false } } },
          then: teapot('r'),
        },
      ])
      expect((await chat('x')).rule).toBe('r')
      return sim.journal()[0]?.cause.rulesTried
    }
    expect(await tried(10)).toBe(1)
    expect(await tried(1000)).toBe(1)
  })
})
