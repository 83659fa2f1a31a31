/** `strict`: a call that makes something needs a rule. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../../../src/index.ts'
import { bodyOf, describeIntegrations, get, jsonCall, post, simulator, withRules } from '../../_setup.ts'

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'What is the weather in Bern?' }] }
const story = withRules([
  'id: rome, when: { operation: chat.create, model: gpt-4o, conversation: { lastUser: { contains: Rome } } }, then: {}',
  'id: streams, when: { operation: chat.create, model: o1, body: { stream: true } }, then: { text: Streamed. }',
  'id: once, when: { operation: videos.create, times: 1 }, then: { job: { failAt: 50 } }',
  'id: third, when: { operation: images.generate, nth: 3 }, then: { error: { status: 503 } }',
  `id: two-answers, when: { operation: chat.create, model: twice },
      then: { sequence: [{ text: One. }, { text: Two. }], end: pass }`,
])
const strict = (options: SimulatorOptions = {}) => simulator({ strict: true, ...story, ...options })

interface Rejection {
  readonly error: {
    readonly message: string
    readonly code: number
    readonly type: string
    readonly details: readonly { readonly field: string; readonly message: string }[]
  }
}
const rejectionOf = async (response: Response): Promise<Rejection['error']> =>
  ((await response.json()) as Rejection).error

describeIntegrations('a call that no rule names', (integration) => {
  it('is rejected with 422 and says which rule came nearest, what it wants there and what the call has', async () => {
    const sim = strict()
    sim.createSession({ name: 'blue' })
    const { fetch, url } = await integration.open(sim)
    const response = await fetch(`${url}/s/blue/v1/chat/completions`, jsonCall(chat))
    expect(response.status).toBe(422)
    expect(response.headers.get('x-sim-explain')).toBe(
      'strict: no rule matches this request. Closest: rule rome: `conversation.lastUser`: expected a value containing "Rome", got "What is the weather in Bern?" (condition 2 of 2). Session "blue".',
    )
    expect(await rejectionOf(response)).toMatchObject({
      type: 'invalid_request_error',
      code: 422,
      message:
        'strict: no rule matches this chat.create request in the session "blue". Closest: rule rome: `conversation.lastUser`: expected a value containing "Rome", got "What is the weather in Bern?" (condition 2 of 2). ' +
        'rule two-answers: `model`: expected "twice", got "gpt-4o". rule streams: `model`: expected "o1", got "gpt-4o" (condition 1 of 2). Add a rule for it; `{ when: { operation: chat.create }, then: {} }` allows every chat.create request.',
      details: [
        {
          field: 'rome.when.conversation.lastUser',
          code: 422,
          message: expect.stringContaining('expected a value containing "Rome"') as string,
        },
        {
          field: 'two-answers.when.model',
          code: 422,
          message: expect.stringContaining('expected "twice"') as string,
        },
        {
          field: 'streams.when.model',
          code: 422,
          message: expect.stringContaining('expected "o1"') as string,
        },
      ],
    })
    const { entries } = await bodyOf(fetch(`${url}/s/blue/__sim/journal?status=422`))
    expect(entries).toMatchObject([
      {
        operation: 'chat.create',
        response: { status: 422 },
        cause: { unmatched: true, decidedBy: { kind: 'strict' }, violations: [] },
      },
    ])
  })

  it('is answered when a rule names it', async () => {
    const sim = strict()
    const { fetch, url } = await integration.open(sim)
    const response = await fetch(
      `${url}/v1/chat/completions`,
      jsonCall({ ...chat, messages: [{ role: 'user', content: 'And in Rome?' }] }),
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('x-sim-explain')).toBe('Rule rome answered. Session "default".')
  })
})

describe('the rejection in a session with scenarios of its own', () => {
  it('speaks of the rules of that session, overrides and added scenarios among them', async () => {
    const sim = simulator({ strict: true })
    const rule = 'id: mine, when: { operation: videos.create }, then: { error: { status: 503 } }'
    const session = sim.createSession(withRules([rule]))
    const ask = async (): Promise<string> =>
      (await rejectionOf(await session.fetch('/v1/chat/completions', jsonCall(chat, session.headers))))
        .message
    expect(await ask()).toContain('The only rule is for other operations.')
    session.overrides.add({ when: { operation: 'images.generate' }, then: { error: { status: 429 } } })
    expect(await ask()).toContain('All 2 rules are for other operations')
    expect((await rejectionOf(await post(sim, '/v1/chat/completions', chat))).message).toContain(
      'There are no rules: load a scenario',
    )
  })
})

describe('the rejection says what was exhausted', () => {
  it('of `times`', async () => {
    const sim = strict()
    const video = { model: 'sora-2', prompt: 'a sunset' }
    expect((await post(sim, '/v1/videos', video)).status).toBe(200)
    expect((await rejectionOf(await post(sim, '/v1/videos', video))).message).toContain(
      'rule once: used up (answered 1 of 1 time).',
    )
  })

  it('of `nth`', async () => {
    const sim = strict()
    const image = { model: 'gpt-image-1', prompt: 'a cat' }
    const said: string[] = []
    for (let call = 0; call < 3; call++)
      said.push((await rejectionOf(await post(sim, '/v1/images/generations', image))).message)
    expect(said[0]).toContain('rule third: match 1; it answers only nth 3.')
    expect(said[1]).toContain('match 2')
    expect(said[2]).toContain('(scenario rule third)')
  })

  it('of a sequence at its end', async () => {
    const sim = strict({ clock: 'auto' })
    const statuses: number[] = []
    let last = ''
    for (let call = 0; call < 3; call++) {
      const response = await post(sim, '/v1/chat/completions', { ...chat, model: 'twice' })
      statuses.push(response.status)
      last = await response.text()
    }
    expect([statuses, last]).toEqual([
      [200, 200, 422],
      expect.stringContaining('rule two-answers: its sequence ended after 2 responses.'),
    ])
  })
})

describe('strict lets pass', () => {
  it('reading and listing what an earlier call has made', async () => {
    const sim = strict()
    const { id } = await bodyOf(post(sim, '/v1/videos', { model: 'sora-2', prompt: 'x' }))
    sim.clock.advance('60s')
    const statuses = [
      (await get(sim, '/v1/models')).status,
      (await get(sim, '/v1/videos')).status,
      (await get(sim, `/v1/videos/${id}`)).status,
    ]
    expect(statuses).toEqual([200, 200, 200])
  })

  it('reserved values, which speak for themselves', async () => {
    expect((await post(strict(), '/v1/chat/completions', { ...chat, model: 'sim-overloaded' })).status).toBe(
      503,
    )
  })

  it('rejections of the service that come before rules are asked', async () => {
    const sim = strict()
    expect((await post(sim, '/v1/chat/completions', { ...chat, model: 7 })).status).toBe(400)
    expect((await post(sim, '/v1/chat/completions', chat, { authorization: '' })).status).toBe(401)
    expect((await post(sim, '/v1/no-such-path', chat)).status).toBe(404)
  })
})

describe('clients', () => {
  it('of the openai SDK get the sentence at once, and do not try again', async () => {
    const sim = strict()
    const openai = new OpenAI({ apiKey: 'sk-a', baseURL: 'http://gateway.test/v1', fetch: sim.fetch })
    await expect(openai.chat.completions.create(chat as never)).rejects.toThrow(
      /422 .*rule rome: `conversation.lastUser`/,
    )
    expect(sim.journal().length).toBe(1)
  })

  it('of the Anthropic SDK do as well', async () => {
    const sim = strict()
    const anthropic = new Anthropic({
      apiKey: 'sk-a',
      baseURL: 'http://gateway.test',
      fetch: sim.fetch as never,
    })
    await expect(anthropic.messages.create({ ...chat, max_tokens: 9 } as never)).rejects.toThrow(
      /422 .*All 5 rules are for other operations/,
    )
    expect(sim.journal().length).toBe(1)
  })
})

describe('secrets', () => {
  it('that conditions look at are not shown', async () => {
    const sim = simulator({
      strict: true,
      ...withRules([
        'id: alice, when: { operation: chat.create, key: sk-of-alice }, then: { text: Hi. }',
        'id: bearer, when: { operation: chat.create, headers: { authorization: Bearer x } }, then: { text: Hi. }',
      ]),
    })
    const text = await (
      await post(sim, '/v1/chat/completions', chat, { authorization: 'Bearer sk-the-secret-of-bob' })
    ).text()
    expect(text).toContain('sk-the***bob')
    expect(text + sim.explainRequest(0).text).not.toContain('secret-of')
  })
})

describe('settings', () => {
  it('say the same, and the option wins', async () => {
    const status = async (options: SimulatorOptions): Promise<number> =>
      (await post(simulator({ settings: { strict: true }, ...options }), '/v1/chat/completions', chat)).status
    expect([await status({}), await status({ strict: false })]).toEqual([422, 200])
  })

  it('are rejected when they cannot be', () => {
    expect(() => simulator({ strict: 'yes' as never })).toThrow('strict')
    expect(() => simulator({ strict: { expect: [] } as never })).toThrow('strict')
  })
})
