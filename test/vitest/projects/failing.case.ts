/** Tests as a project would write them; each of them must fail, and for what it passed over. */
import { expect, test } from '../../../src/vitest.ts'
import { ask, overloaded } from './_client.ts'

test('a wrong number of requests', async ({ sim }) => {
  await ask(sim, 'Hello')
  await expect(sim).toHaveReceived('chat.create', { times: 2 })
})

test.scenario(overloaded('large', 'gpt-4o'))('a rule that never responded', async ({ sim }) => {
  await ask(sim, 'Hello', 'gpt-4o-mini')
})

test.scenario(overloaded('large', 'gpt-4o'))('unused rules of a failed test are not reported', () => {
  expect(1).toBe(2)
})

test.scenario(overloaded('large', 'gpt-4o'))('the same with a session', async ({ sim }) => {
  expect(await sim.unusedRules()).toEqual([])
})

test('a badly behaved client', async ({ sim }) => {
  await sim.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { ...sim.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-4o',
      temperature: 0.2,
      top_p: 0.5,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
  await expect(sim).toBeWellBehaved()
})

test('a bug of the simulator, swallowed by the client', async ({ sim, simulator }) => {
  // A job without its facts: no call can make one.
  simulator.core.sessions.get(sim.name).sandbox.store.add({
    kind: 'imageJob',
    id: 'job-1',
    owner: sim.apiKey,
    bornAt: await sim.clock.now(),
    facts: undefined,
    timeline: [{ at: 0, patch: { status: 2 } }],
  })
  await (await sim.fetch('/v1/tob/job/job-1', { headers: sim.headers })).text()
})

const strict = test.extend('simulatorOptions', { scope: 'worker' }, { strict: true })

strict('a call that no rule names, swallowed by the client', async ({ sim }) => {
  await ask(sim, 'Hello')
})

strict.extend('scenario', overloaded('large', 'gpt-4o'))('such a call before a reset', async ({ sim }) => {
  await ask(sim, 'Hello', 'gpt-4o-mini')
  await ask(sim, 'Hello')
  await sim.reset()
})

strict.extend('scenario', { ...overloaded('large', 'gpt-4o'), keys: { 'sk-alice': {} } })(
  'such a call with the keys of a scenario',
  async ({ sim }) => {
    await ask(sim, 'Hello')
    await ask(sim, 'Hello', 'gpt-4o-mini')
  },
)

test.scenario({
  title: 'Wrong',
  rules: [{ when: { operation: 'chat.creat' as 'chat.create' }, then: { error: { status: 503 } } }],
})('a scenario that is wrong', async ({ sim }) => {
  await ask(sim, 'Hello')
})
