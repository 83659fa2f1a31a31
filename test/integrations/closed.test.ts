/** A simulator that was closed: whoever still calls it learns that it is gone. */
import { expect, it } from 'vitest'
import { describeIntegrations, get, simulator } from '../_setup.ts'

const closed =
  'the simulator was closed, and takes no more calls: close it after the last one, or create another one'

describeIntegrations('a call to a simulator that was closed', (integration) => {
  it('fails as to a server that is gone', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    expect((await call(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })).status).toBe(
      200,
    )
    await sim.close()
    await expect(call(`${url}/v1/models`)).rejects.toThrow(/fetch failed|Failed to fetch/)
    await expect(call(`${url}/__sim/clock`)).rejects.toThrow(/fetch failed|Failed to fetch/)
    expect(sim.warnings).toEqual([])
  })
})

it('the reason is told in-process', async () => {
  const sim = simulator()
  await sim.close()
  await expect(get(sim, '/v1/models')).rejects.toMatchObject({ cause: { message: closed } })
  const call = {
    method: 'GET',
    path: '/v1/models',
    query: '',
    headers: {},
    payload: { kind: 'none' },
  } as const
  expect(() => sim.handle(call)).toThrow(closed)
})

it('it makes no more sessions, and its journal is empty, not an error', async () => {
  const sim = simulator()
  await get(sim, '/v1/models')
  const { journal } = sim
  await sim.close()
  expect(() => sim.createSession({ name: 'late' })).toThrow(closed)
  expect(journal()).toEqual([])
})
