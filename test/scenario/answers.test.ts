/**
 * What a rule answers: patches, whole responses, errors, sequences, chance, delays, states, values of the
 * request.
 */
import { describe, expect, it } from 'vitest'
import { under } from './_gateway.ts'

describe('a patch', () => {
  it('merges objects, replaces other values, and changes list items by path', async () => {
    const { chat } = under([
      {
        then: {
          patch: {
            usage: { prompt_tokens: 7 },
            'choices.0.message.content': 'patched',
            service_tier: 'flex',
          },
        },
      },
    ])
    const { status, body } = await chat('hello')
    expect(status).toBe(200)
    expect(body.choices[0].message).toMatchObject({ role: 'assistant', content: 'patched' })
    expect(body.usage.prompt_tokens).toBe(7)
    expect(body.usage.completion_tokens).toBeGreaterThan(0)
    expect(body.service_tier).toBe('flex')
  })

  it('sets null, and removes the fields of `unset`; the contract allows both', async () => {
    const { chat, sim } = under([
      {
        then: {
          patch: { 'choices.0.message.content': null, 'choices.0.finish_reason': 'eos' },
          unset: ['system_fingerprint', 'choices.0.logprobs'],
        },
      },
    ])
    const { body } = await chat('hello')
    expect(sim.warnings).toEqual([])
    expect(body.choices[0].message.content).toBeNull()
    expect(body).not.toHaveProperty('system_fingerprint')
    expect(body.choices[0]).not.toHaveProperty('logprobs')
  })

  it('leaves each image in place', async () => {
    const draw = (rules: readonly object[]) =>
      under(rules).call('POST', '/v1/images/generations', {
        model: 'gpt-image-1',
        prompt: 'a cat',
        n: 3,
        size: '1024x1024',
      })
    const [plain, changed] = [
      await draw([]),
      await draw([{ then: { patch: { 'data.0.b64_json': 'none' }, unset: ['data.1'] } }]),
    ]
    expect(changed.body.data).toEqual([{ b64_json: 'none' }, plain.body.data[2]])
  })

  it('warns if there was nothing to change', async () => {
    const { chat, sim } = under(
      [{ id: 'p', then: { patch: { 'choices.0.message.content': 'x' } } }],
      {},
      { clock: 'auto' },
    )
    await chat('hello', { stream: true })
    expect((sim as unknown as { warnings: string[] }).warnings).toEqual([
      'rule p changed nothing: `patch` and `unset` apply only to JSON, but the response of chat.create is not JSON. For a stream, use `text` or `stream.script`.',
    ])
  })

  it('warns if its result breaks the contract, unless that is intended', async () => {
    const { chat, sim } = under([
      {
        id: 'p',
        when: { operation: 'chat.create' },
        then: { patch: { usage: { total_tokens: '${body.user}' } } },
      },
    ])
    expect((await chat('hello', { user: 'many' })).body.usage.total_tokens).toBe('many')
    expect((sim as unknown as { warnings: string[] }).warnings).toEqual([
      expect.stringContaining(
        'rule p makes chat.create send a response that violates the contract: usage.total_tokens: expected',
      ),
    ])
    const meant = under([{ then: { patch: { usage: { total_tokens: 'many' } }, offContract: true } }])
    await meant.chat('hello')
    expect((meant.sim as unknown as { warnings: string[] }).warnings).toEqual([])
  })
})

describe('a whole response', () => {
  it('replaces the default response, and nothing is executed', async () => {
    const { call, sim } = under([
      {
        when: { operation: 'videos.create' },
        then: {
          response: { body: { any: ['thing'] } },
          headers: { 'X-Cache': 'hit', 'x-request-id': null },
          offContract: true,
        },
      },
    ])
    const { status, body, headers } = await call('POST', '/v1/videos', { prompt: 'a' })
    expect([status, body, headers.get('x-cache')]).toEqual([200, { any: ['thing'] }, 'hit'])
    expect((await call('GET', '/v1/videos')).body.data).toEqual([])
    expect(sim.journal()).toHaveLength(2)
  })

  it('can be text, with any status, outside the contract', async () => {
    const { chat } = under([
      {
        then: {
          response: { status: 502, text: '<html>Bad Gateway</html>' },
          headers: { 'content-type': 'text/html' },
          offContract: true,
        },
      },
    ])
    const { status, text, headers } = await chat('hello')
    expect([status, text, headers.get('content-type')]).toEqual([
      502,
      '<html>Bad Gateway</html>',
      'text/html',
    ])
  })
})

describe('an error of the catalogue', () => {
  const messages = {
    model: 'claude-3-5-sonnet-20241022',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'x' }],
  }

  it('has the envelope of its API, with its headers', async () => {
    const { chat, call } = under([
      { id: 'limit', then: { error: { type: 'rate_limit_error', retryAfter: '20s' } } },
    ])
    const response = await chat('hello')
    expect([response.status, response.body.error.type, response.headers.get('retry-after')]).toEqual([
      429,
      'rate_limit_error',
      '20',
    ])
    expect(response.body.error.message).toBe('Rate limit reached (scenario rule limit).')
    const other = await call('POST', '/v1/messages', messages, {
      'x-api-key': 'sk-test',
      authorization: '',
      'anthropic-version': '2023-06-01',
    })
    expect([other.status, other.body.type, other.body.error.type]).toEqual([429, 'error', 'rate_limit_error'])
  })

  it.each([
    [{ status: 529 }, 529, 'overloaded_error'],
    [{ status: 503 }, 503, 'overloaded_error'],
    [{ type: 'insufficient_quota' }, 429, 'insufficient_quota'],
    [{ type: 'timeout_error' }, 504, 'timeout_error'],
    [{ status: 401 }, 401, 'authentication_error'],
    [{ status: 400, param: 'model' }, 400, 'invalid_request_error'],
  ])('%j', async (error, status, type) => {
    const { chat } = under([{ then: { error } }])
    const response = await chat('hello')
    expect([response.status, response.body.error.type]).toEqual([status, type])
    if ('param' in error) expect(response.body.error.param).toBe('model')
  })

  it('can precede the checks of the API key and the body', async () => {
    const { chat } = under([{ then: { error: { status: 503, before: 'auth' } } }])
    expect((await chat('x', {}, { authorization: '' })).status).toBe(503)
    const later = under([{ then: { error: { status: 503, before: 'validation' } } }])
    expect((await later.chat('x', {}, { authorization: '' })).status).toBe(401)
    expect((await later.chat('x', { temperature: 9 })).status).toBe(503)
  })

  it('about the API key precedes its check, also as a fault', async () => {
    const { chat } = under([{ when: { times: 1 }, then: { fault: 'auth' } }])
    expect((await chat('x', { temperature: 9 })).body.error.message).toBe('Incorrect API key provided.')
    expect((await chat('x', { temperature: 9 })).status).toBe(400)
  })

  it('leaves the job running, and names its id', async () => {
    const { call } = under([
      { when: { times: 1 }, then: { error: { status: 424, code: 2002 }, job: 'created' } },
    ])
    const rejected = await call('POST', '/v1/tob/diffusion', { model: 'v7', text: 'a cat' })
    expect([rejected.status, rejected.body.error.code]).toEqual([424, 2002])
    expect((await call('GET', `/v1/tob/job/${rejected.body.error.job_id}`)).body.status).toBe(1)
  })
})

describe('a sequence', () => {
  const three = [{ error: { status: 500 } }, { error: { status: 503 } }, {}]
  const statuses = async (then: object, calls = 6): Promise<number[]> => {
    const { chat } = under([{ then }])
    const list: number[] = []
    for (let index = 0; index < calls; index++) list.push((await chat('x')).status)
    return list
  }

  it('returns its responses in order, and repeats the last', async () => {
    expect(await statuses({ sequence: three })).toEqual([500, 503, 200, 200, 200, 200])
    expect(await statuses({ sequence: three, end: 'last' })).toEqual([500, 503, 200, 200, 200, 200])
    expect(await statuses({ sequence: three.slice(0, 2) })).toEqual([500, 503, 503, 503, 503, 503])
  })
  it('can restart', async () => {
    expect(await statuses({ sequence: three, end: 'cycle' })).toEqual([500, 503, 200, 500, 503, 200])
  })
  it('can pass the request on to later rules', async () => {
    const { chat } = under([
      { then: { sequence: [{ error: { status: 500 } }], end: 'pass' } },
      { id: 'next', then: { error: { status: 504 } } },
    ])
    expect([(await chat('x')).status, (await chat('x')).status]).toEqual([500, 504])
  })
  it('that started before the API key check is not overridden by a later rule', async () => {
    const { chat } = under([
      { id: 'first', then: { sequence: [{ error: { status: 503, before: 'auth' } }, { text: 'first' }] } },
      { id: 'behind', then: { text: 'behind' } },
    ])
    expect((await chat('x')).status).toBe(503)
    const { body, rule } = await chat('x')
    expect([body.choices[0].message.content, rule]).toEqual(['first', 'first'])
  })
})

describe('chance', () => {
  const flaky = [{ id: 'flaky', then: { fault: { kind: 'overloaded', chance: 0.25 } } }]
  const statuses = async (rules: readonly object[], seed: string): Promise<number[]> => {
    const { chat } = under(rules, { seed })
    const list: number[] = []
    for (let index = 0; index < 200; index++) list.push((await chat(`call ${index}`)).status)
    return list
  }

  it('returns equal responses to equal requests, at about its chance', async () => {
    const [one, again, other] = [
      await statuses(flaky, 'a'),
      await statuses(flaky, 'a'),
      await statuses(flaky, 'b'),
    ]
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    const failed = one.filter((status) => status === 503).length
    expect(failed).toBeGreaterThan(30)
    expect(failed).toBeLessThan(75)
  })

  it('does not depend on the order of other requests', async () => {
    const { chat } = under(flaky, { seed: 'a' })
    const backwards: number[] = []
    for (let index = 199; index >= 0; index--) backwards.unshift((await chat(`call ${index}`)).status)
    expect(backwards).toEqual(await statuses(flaky, 'a'))
  })
})

describe('values of the request', () => {
  it('are inserted into strings, and keep their type if they are the whole string', async () => {
    const { chat } = under([
      {
        when: { operation: 'chat.create' },
        then: {
          patch: {
            'choices.0.message.content': 'You said "${prompt}" to ${model}',
            'usage.prompt_tokens': '${body.max_tokens}',
          },
          headers: { 'x-echo': '${headers.x-attempt}' },
        },
      },
    ])
    const { body, headers } = await chat('hello', { max_tokens: 5 }, { 'x-attempt': '2' })
    expect([body.choices[0].message.content, body.usage.prompt_tokens, headers.get('x-echo')]).toEqual([
      'You said "hello" to gpt-4o',
      5,
      '2',
    ])
  })

  it('leave the text unchanged if they are missing', async () => {
    const { chat } = under([
      {
        when: { operation: 'chat.create' },
        then: { patch: { 'choices.0.message.content': 'Hello ${body.user}' } },
      },
    ])
    expect((await chat('x')).body.choices[0].message.content).toBe('Hello ${body.user}')
  })

  it('are not inserted after `$${`, which writes `${`', async () => {
    const { chat } = under([
      { when: { operation: 'chat.create' }, then: { text: 'Write $${prompt}, $${ or $$${model}' } },
    ])
    expect((await chat('x')).body.choices[0].message.content).toBe('Write ${prompt}, ${ or $${model}')
  })
})

describe('built-in behaviour', () => {
  it('is overridden by a rule that responds: a reserved model', async () => {
    const { chat } = under([{ when: { model: 'sim-overloaded' }, then: { patch: { service_tier: 'flex' } } }])
    expect((await chat('x', { model: 'sim-overloaded' })).body.service_tier).toBe('flex')
    expect((await under([]).chat('x', { model: 'sim-overloaded' })).status).toBe(503)
  })

  it('applies to a rule with an empty `then`', async () => {
    expect((await under([{ then: {} }]).chat('hello')).text).toBe((await under([]).chat('hello')).text)
  })
})
