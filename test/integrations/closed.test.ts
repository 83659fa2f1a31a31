/** A simulator that was closed: whoever still calls it learns that it is gone. */
import { expect, it } from 'vitest'
import { SimulatorClosedError } from '../../src/index.ts'
import { describeIntegrations, get, simulator } from '../_setup.ts'

const closed =
  'the simulator is closed and rejects requests: close it after the last request, or create a new simulator'

describeIntegrations('a request to a closed simulator', (integration) => {
  it('fails as with a server that is gone', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    expect((await call(`${url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })).status).toBe(
      200,
    )
    await sim.close()
    await expect(call(`${url}/v1/models`)).rejects.toThrow(/fetch failed|Failed to fetch|is closed/)
    await expect(call(`${url}/__sim/clock`)).rejects.toThrow(/fetch failed|Failed to fetch|is closed/)
    expect(sim.warnings).toEqual([])
  })
})

it('the reason is reported in-process', async () => {
  const sim = simulator()
  const session = sim.createSession({ name: 'mine' })
  await sim.close()
  await expect(get(sim, '/v1/models')).rejects.toThrow(new SimulatorClosedError())
  await expect(session.fetch('/v1/models')).rejects.toThrow(SimulatorClosedError)
  const call = {
    method: 'GET',
    path: '/v1/models',
    query: '',
    headers: {},
    payload: { kind: 'none' },
  } as const
  expect(() => sim.handle(call)).toThrow(closed)
})

it('a closed simulator creates no sessions, and methods of a session throw', async () => {
  const sim = simulator()
  const session = sim.createSession({ name: 'mine' })
  await get(sim, '/v1/models')
  await sim.close()
  for (const late of [
    () => sim.createSession({ name: 'late' }),
    () => sim.journal(),
    () => sim.clock.advance('1s'),
    () => session.verify({ requests: 'chat.create', never: true }),
    () => session.reset(),
    () => sim.resetAll(),
    () => sim.routes,
  ])
    expect(late).toThrow(SimulatorClosedError)
  await expect(sim.settled()).rejects.toThrow(SimulatorClosedError)
})

it('a request whose body is still being read gets no response', async () => {
  const sim = simulator()
  const body = new Blob([JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] })])
  const call = sim.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer a' },
    body,
  })
  const ended = expect(call).rejects.toThrow(SimulatorClosedError)
  await sim.close()
  await ended
})
