/** Who may call, for every group that takes a bearer key. */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, get, post, simulator } from '../_setup.ts'
import { operationsOf, sendTo } from './_operations.ts'

const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const messageOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { message: string } }).error.message

describeIntegrations('a call without a key', (integration) => {
  it('is rejected with what to send', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const rejected = await call(`${url}/v1/models`)
    expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await rejected.json()).toEqual({
      error: {
        type: 'authentication_error',
        code: 401,
        message: 'No API key: send `authorization: Bearer <API_KEY>` (got no such header).',
        param: null,
        details: [],
        trace_id: expect.stringMatching(/^trc_[0-9a-f]{32}$/) as string,
      },
    })
  })

  it.each([
    ['/v1/models', 'x-api-key', '`authorization: Bearer <API_KEY>`'],
    ['/v1/models', 'x-goog-api-key', '`authorization: Bearer <API_KEY>`'],
    ['/v1/messages', 'api-key', '`x-api-key: <API_KEY>` or `authorization: Bearer <API_KEY>`'],
  ])('is told at %s that the key came in %s', async (path, header, wanted) => {
    const { fetch: call, url } = await integration.open(simulator())
    const rejected = await call(url + path, {
      ...(path === '/v1/models' ? {} : { method: 'POST', body: '{}' }),
      headers: { [header]: 'sk-test', 'content-type': 'application/json' },
    })
    expect([rejected.status, await messageOf(rejected)]).toEqual([
      401,
      `No API key: send ${wanted} (got \`${header}\`).`,
    ])
  })
})

describe('every operation', () => {
  const via = (sim: ReturnType<typeof simulator>) => ({
    fetch: sim.fetch as typeof fetch,
    url: 'http://gateway.test',
  })
  const keyed = (sim: ReturnType<typeof simulator>) =>
    operationsOf(sim).filter(({ endpoint }) => endpoint.open !== true)

  it('is rejected without a key, and with one that is wrong', async () => {
    const sim = simulator({ settings: { keys: { 'sk-test': {} } } })
    for (const operation of keyed(sim)) {
      const statuses = [
        {},
        { authorization: 'Bearer sk-someone' },
        { authorization: 'Basic c2stdGVzdA==' },
      ].map(async (headers) => (await sendTo(operation, via(sim), headers)).status)
      expect([operation.endpoint.operation, ...(await Promise.all(statuses))]).toEqual([
        operation.endpoint.operation,
        401,
        401,
        401,
      ])
    }
  })

  it('takes the same bearer key: one account for all groups', async () => {
    const sim = simulator({ settings: { keys: { 'sk-test': {} } } })
    const groups = new Set<string>()
    for (const operation of keyed(sim)) {
      const { status } = await sendTo(operation, via(sim), {
        authorization: 'Bearer sk-test',
        'content-type': 'application/json',
      })
      // Whatever else such an empty call lacks, it is no longer the key.
      expect([operation.endpoint.operation, status]).not.toEqual([operation.endpoint.operation, 401])
      groups.add(operation.group.name)
    }
    expect(groups.size).toBeGreaterThan(5)
  })

  it('but messages takes no x-api-key', async () => {
    const sim = simulator()
    for (const operation of keyed(sim)) {
      const { status } = await sendTo(operation, via(sim), { 'x-api-key': 'sk-test' })
      expect([operation.endpoint.operation, status === 401]).toEqual([
        operation.endpoint.operation,
        operation.group.name !== 'messages',
      ])
    }
  })
})

describe('keys', () => {
  const keyless = 'No API key: send `authorization: Bearer <API_KEY>` (got `authorization` in another form).'
  it.each([
    ['', keyless],
    ['Bearer', keyless],
    ['Basic abc', keyless],
    ['sk-test', keyless],
    ['Bearer my-invalid-key', 'Incorrect API key provided: the key contains the reserved word "invalid".'],
    ['Bearer wrong', 'Incorrect API key provided: the key contains the reserved word "wrong".'],
  ])('%j gets 401', async (authorization, message) => {
    const rejected = await get(simulator(), '/v1/models', { authorization })
    expect([rejected.status, await messageOf(rejected)]).toEqual([401, message])
  })

  it('the scheme may be written in any case', async () => {
    expect((await get(simulator(), '/v1/models', { authorization: 'bEARER x' })).status).toBe(200)
  })

  it('forbidden gets 403', async () => {
    const rejected = await get(simulator(), '/v1/models', { authorization: 'Bearer sk-forbidden' })
    expect([rejected.status, await messageOf(rejected)]).toEqual([
      403,
      'No access permission: the key contains the reserved word "forbidden".',
    ])
  })

  it('come before everything that is wrong with the body', async () => {
    const sim = simulator()
    const rejected = await sim.fetch('http://gateway.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer invalid', 'content-type': 'application/json' },
      body: '{',
    })
    expect(rejected.status).toBe(401)
  })

  it('with keys in the settings, the key of a session is one of them after the name', async () => {
    const sim = simulator({ settings: { keys: { 'sk-alice': { models: ['gpt-4o'] } } } })
    const ask = async (key: string, model: string): Promise<number> =>
      (await post(sim, '/v1/chat/completions', { ...body, model }, { authorization: `Bearer ${key}` })).status
    expect(await ask('sk-sim-mytest-sk-alice', 'gpt-4o')).toBe(200)
    expect(await ask('sk-sim-mytest-sk-alice', 'gpt-5')).toBe(403)
    expect(await ask('sk-sim-mytest-sk-mallory', 'gpt-4o')).toBe(401)
    expect(sim.journal()).toEqual([])
  })

  it('with keys in the settings only those work, each with its own models', async () => {
    const sim = simulator({
      settings: { keys: { 'sk-alice': {}, 'sk-bob': { models: ['gpt-4o', 'video-*'] } } },
    })
    const ask = (key: string, model: string): Promise<Response> =>
      post(sim, '/v1/chat/completions', { ...body, model }, { authorization: `Bearer ${key}` })
    expect((await ask('sk-alice', 'anything')).status).toBe(200)
    expect((await ask('sk-bob', 'gpt-4o')).status).toBe(200)
    const unknown = await ask('sk-somebody-else', 'gpt-4o')
    expect([unknown.status, await messageOf(unknown)]).toEqual([
      401,
      'Incorrect API key provided: sk-som***lse. The `keys` setting (or `keys` in a scenario) lists ' +
        '2 valid API keys.',
    ])
    const rejected = await ask('sk-bob', 'gpt-5')
    expect([rejected.status, await messageOf(rejected)]).toEqual([
      403,
      'The model `gpt-5` is not enabled for this API key. Enabled models: gpt-4o, video-* (setting keys).',
    ])
    const named = await ask('__proto__', 'gpt-4o')
    expect(named.status).toBe(401)
  })

  it('a catalogue makes other models unknown', async () => {
    const sim = simulator({ settings: { models: { chat: ['gpt-4o', 'o3*'] } } })
    expect((await post(sim, '/v1/chat/completions', { ...body, model: 'o3-mini' })).status).toBe(200)
    const rejected = await post(sim, '/v1/chat/completions', { ...body, model: 'gpt-3' })
    expect([rejected.status, await messageOf(rejected)]).toEqual([
      404,
      'The model `gpt-3` does not exist or you do not have access to it. Known models: gpt-4o, o3* (setting ' +
        'models.chat).',
    ])
  })

  it('are never echoed whole', async () => {
    const sim = simulator({ settings: { keys: { 'sk-alice': {} } } })
    expect(
      await messageOf(await get(sim, '/v1/models', { authorization: 'Bearer sk-some-long-secret' })),
    ).not.toContain('some-long-secret')
  })
})
