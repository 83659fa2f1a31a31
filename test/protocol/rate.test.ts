/** Requests per key and virtual minute, and the headers that speak of it. */
import { describe, expect, it } from 'vitest'
import { get, post, simulator } from '../_setup.ts'

const headersOf = (response: Response): (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`x-ratelimit-${name}-requests`))

const waitOf = ({ status, headers }: Response): unknown[] => [
  status,
  headers.get('retry-after'),
  headers.get('retry-after-ms'),
]

describe('without a limit', () => {
  it('the headers are constant, whoever calls and however often', async () => {
    const sim = simulator()
    for (const authorization of ['Bearer sk-test', 'Bearer sk-test', 'Bearer sk-other'])
      expect(headersOf(await get(sim, '/v1/models', { authorization }))).toEqual(['10000', '9999', '6ms'])
  })
})

it('a limit of the settings wins over the limit of a scenario, at every depth', async () => {
  const sim = simulator({
    scenarios: [
      {
        title: 'one request a minute',
        limits: { requestsPerMinute: 1 },
        keys: { 'sk-a': { models: ['gpt-5'] } },
      },
    ],
    settings: { limits: { requestsPerMinute: 2 }, keys: { 'sk-a': { models: ['gpt-4o'] } } },
  })
  const ask = async (model: string): Promise<number> => {
    const body = { model, messages: [{ role: 'user', content: 'hi' }] }
    return (await post(sim, '/v1/chat/completions', body, { authorization: 'Bearer sk-a' })).status
  }
  expect([await ask('gpt-4o'), await ask('gpt-4o'), await ask('gpt-4o')]).toEqual([200, 200, 429])
})

describe('with limits.requestsPerMinute', () => {
  const settings = { limits: { requestsPerMinute: 2 } }

  it('the headers count down, per key', async () => {
    const sim = simulator({ settings })
    expect(headersOf(await get(sim, '/v1/models'))).toEqual(['2', '1', '60s'])
    sim.clock.advance('20s')
    expect(headersOf(await get(sim, '/v1/models'))).toEqual(['2', '0', '40s'])
    expect(headersOf(await get(sim, '/v1/models', { authorization: 'Bearer sk-other' }))).toEqual([
      '2',
      '1',
      '40s',
    ])
  })

  it('one request beyond is rejected until the minute is over', async () => {
    const sim = simulator({ settings })
    await get(sim, '/v1/models')
    await get(sim, '/v1/models')
    sim.clock.advance('59s')
    const rejected = await get(sim, '/v1/models')
    expect(waitOf(rejected)).toEqual([429, '1', '1000'])
    expect(await rejected.json()).toMatchObject({
      error: {
        type: 'rate_limit_error',
        code: 429,
        message:
          'Rate limit reached: 2 requests per minute for this API key (setting limits.requestsPerMinute). Try ' +
          'again in 1 s.',
      },
    })
    sim.clock.advance('1s')
    expect((await get(sim, '/v1/models')).status).toBe(200)
  })

  it('in auto a rejection lets the wait pass before the next try', async () => {
    const sim = simulator({ settings, clock: 'auto' })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await get(sim, '/v1/models')).status)
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
    const ask = () => get(sim, '/v1/models', { authorization: 'Bearer sk-other' })
    const rejected = await ask().then(ask).then(ask)
    // Its minute is whole, but a client that sleeps as it is told sleeps a second.
    expect(waitOf(rejected)).toEqual([429, '1', '1000'])
  })

  it('a request that is rejected for its body or its key does not count', async () => {
    const sim = simulator({ settings })
    const invalid = await post(sim, '/v1/chat/completions', { model: 'gpt-4o' })
    expect([invalid.status, ...headersOf(invalid)]).toEqual([400, '2', '2', '60s'])
    expect((await get(sim, '/v1/models', { authorization: '' })).status).toBe(401)
    expect(headersOf(await get(sim, '/v1/models'))).toEqual(['2', '1', '60s'])
  })
})
