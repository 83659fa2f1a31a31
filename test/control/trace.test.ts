/** `GET /__sim/trace`: the sessions as the page shows them without a server, cut to a size. */
import { expect, it } from 'vitest'
import { fitTrace } from '../../src/trace/fit-trace.ts'
import { maxTraceBytes, type SavedTrace } from '../../src/trace/trace.ts'
import { bodyOf, describeIntegrations, get, post, simulator } from '../_setup.ts'

const chat = (content: string) => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] })

describeIntegrations('the trace', (integration) => {
  it('has entries, explanations, jobs, clock and client report of each session, or of one', async () => {
    const sim = simulator()
    const { fetch, url } = await integration.open(sim)
    await post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a fox' })
    await post(sim, '/s/blue/v1/chat/completions', chat('Hello'))
    const trace = (await bodyOf(fetch(`${url}/__sim/trace`))) as SavedTrace
    expect(trace).toMatchObject({ format: 'gateway-sim trace 1', cut: [] })
    expect(trace.sessions.map(({ name }) => name).sort()).toEqual(['blue', 'default'])
    const own = trace.sessions.find(({ name }) => name === 'default')
    expect(own?.entries).toMatchObject([{ operation: 'videos.create' }])
    expect(own?.explanations[0]).toEqual(sim.explainRequest(0))
    expect(own?.jobs.jobs).toEqual(sim.jobs.list().jobs)
    expect(own?.clock).toEqual(sim.clock.state())
    expect(own?.clientReport).toEqual(sim.clientReport())
    const one = (await bodyOf(fetch(`${url}/__sim/trace?session=blue`))) as SavedTrace
    expect(one.sessions.map(({ name }) => name)).toEqual(['blue'])
  })
})

it('bodies are cut first, and the trace says so', async () => {
  const sim = simulator()
  for (let count = 0; count < 100; count++) await post(sim, '/v1/chat/completions', chat('x'.repeat(60_000)))
  const text = await (await get(sim, '/__sim/trace')).text()
  expect(text.length).toBeLessThan(maxTraceBytes)
  const { cut, sessions } = JSON.parse(text) as SavedTrace
  expect(cut).toEqual(['Bodies and streams were truncated after 1,024 characters.'])
  expect(sessions[0]?.entries).toHaveLength(100)
})

it('without room for bodies, the oldest requests go', async () => {
  const sim = simulator()
  for (let count = 0; count < 60; count++) await post(sim, '/v1/chat/completions', chat('Hello'))
  const trace = (await bodyOf(get(sim, '/__sim/trace'))) as SavedTrace
  const json = fitTrace(trace, 20_000)
  expect(json.length).toBeLessThanOrEqual(20_000)
  const { cut, sessions } = JSON.parse(json) as SavedTrace
  const [{ entries = [], first } = {}] = sessions
  expect(entries.at(-1)?.seq).toBe(59)
  expect(first).toBe(entries[0]?.seq)
  expect(cut.join(' ')).toContain(`Only the newest ${entries.length} requests are here`)
})
