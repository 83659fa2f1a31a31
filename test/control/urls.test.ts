/**
 * Addresses under the control API where nothing stands, wrong methods there, and what is said when the
 * simulator itself goes wrong: problems (RFC 9457) like every rejection of it.
 */
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { bodyOf, describeIntegrations, get, jsonCall, post, simulator } from '../_setup.ts'

interface Problem {
  readonly type: string
  readonly status: number
  readonly detail: string
  readonly errors: readonly unknown[]
}
const problem = async (response: Response): Promise<Problem> => {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  const said = (await response.json()) as Problem
  expect(said.status).toBe(response.status)
  return said
}

describeIntegrations('an unknown URL of the control API', (integration) => {
  it('is rejected as a problem that names the nearest operation', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    const near = await problem(await call(`${url}/__sim/sesions`))
    expect(near).toMatchObject({
      type: 'urn:gateway-sim:problem:not_found_error',
      status: 404,
      detail: 'Unknown path: GET /__sim/sesions. Did you mean /__sim/sessions?',
    })
    const misspelt = await call(`${url}/s/mine/__sim/clock/advanse`, jsonCall({ by: '1s' }))
    expect((await problem(misspelt)).detail).toContain('Did you mean /__sim/clock/advance?')
    for (const path of ['/__sim', '/__sim/', '/__sim/nothing/like/it'])
      expect((await problem(await call(`${url}${path}`))).detail).toContain('List all paths with')
    // Like every control call, it takes no part.
    expect(sim.journal()).toEqual([])
  })

  it('with a wrong method is rejected as a problem with the allowed ones', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const response = await call(`${url}/__sim/clock/advance`, { method: 'PUT', body: '{}' })
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
    expect(await problem(response)).toMatchObject({
      type: 'urn:gateway-sim:problem:method_not_allowed',
      status: 405,
      detail: 'PUT is not supported by /__sim/clock/advance: expected POST.',
    })
  })
})

describe('an unknown URL of the control API', () => {
  it('is an unknown path of the service if the control API is off', async () => {
    expect((await problem(await get(simulator(), '/__sim/clok'))).detail).toContain(
      'Did you mean /__sim/clock?',
    )
    const off = simulator({ settings: { control: { enabled: false } } })
    expect(await bodyOf(get(off, '/__sim/clok'))).toMatchObject({ error: { type: 'not_found_error' } })
  })

  it('does not match longer names', async () => {
    expect(await bodyOf(get(simulator(), '/__simple'))).toMatchObject({
      error: { type: 'not_found_error' },
    })
  })
})

describe('an unknown path of the service', () => {
  it('is rejected in the format of its API', async () => {
    const sim = simulator()
    expect(await bodyOf(get(sim, '/v1beta/models/veo-3:nonsense'))).toMatchObject({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: expect.stringContaining('Unknown path: GET /v1beta/models/veo-3:nonsense. '),
      },
    })
    expect(await bodyOf(post(sim, '/v1/messages/batches', {}))).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    })
    expect(await bodyOf(get(sim, '/v1/nonsense'))).toMatchObject({ error: { code: 404, param: null } })
    expect(sim.journal().map(({ response }) => response?.status)).toEqual([404, 404, 404])
  })
})

describe('a control request that hits a bug of the simulator', () => {
  it('returns a problem that says so', async () => {
    // The feed reads it once, for the first control request, then the call itself, then what it does.
    let left = Infinity
    const warnings: string[] = []
    const sim = createSimulator({
      onWarning: (message) => void warnings.push(message),
      wallClock() {
        if (left-- === 0) throw new Error('the clock on the wall has stopped')
        return 0
      },
    })
    left = 2
    const said = await problem(await post(sim, '/__sim/sessions', { clock: 'real' }))
    expect(said).toMatchObject({
      type: 'urn:gateway-sim:problem:simulator_bug',
      title: 'Internal error in gateway-sim',
      status: 500,
      detail: expect.stringContaining('the clock on the wall has stopped'),
      errors: [],
    })
    expect(warnings[0]).toContain('internal error in gateway-sim during POST /__sim/sessions')
  })
})
