/**
 * Tests as a project would write them; all of them pass, with a simulator in their process and with one on a
 * server.
 */
import { describe } from 'vitest'
import { expect, it, test } from '../../../src/vitest.ts'
import { ask, overloaded } from './_client.ts'

test('each test has its own session', async ({ sim }) => {
  expect(await ask(sim, 'Reply with exactly: pong')).toBe('pong')
  await expect(sim).toHaveReceived('chat.create', { times: 1, noOthers: true })
  await expect(sim).toBeWellBehaved()
})

test('nothing remains of the previous test', async ({ sim }) => {
  await expect(sim).not.toHaveReceived('chat.create')
})

test.concurrent.for([1, 2, 3, 4, 5])(
  'concurrent tests are isolated, %i requests',
  async (calls, { sim, expect: own }) => {
    for (let call = 0; call < calls; call++) await ask(sim, 'Hello')
    own((await sim.journal()).length).toBe(calls)
    await expect(sim).toHaveReceived('chat.create', { times: calls })
  },
)

test('a session is named after its test, the same in every run', async ({ sim }) => {
  expect(sim.name).toMatch(/^a-session-is-named-after-its-test-[a-z-]+-[0-9a-f]{12}$/)
  expect(sim.baseUrl.endsWith(`/s/${sim.name}`)).toBe(true)
})

describe('with a scenario and a clock', () => {
  test.override({ scenario: overloaded('large', 'gpt-4o'), session: { clock: 'manual', seed: 'fox-7' } })

  test('rules answer', async ({ sim }) => {
    expect([await ask(sim, 'Hello'), await ask(sim, 'Reply with exactly: pong', 'gpt-4o-mini')]).toEqual([
      '503',
      'pong',
    ])
    await expect(sim).toHaveReceivedInOrder([
      { operation: 'chat.create', rule: 'large' },
      { operation: 'chat.create', model: 'gpt-4o-mini' },
    ])
    await expect(sim).toHaveUsedAllRules()
  })

  test('time advances on request, and a reset keeps everything that the test is judged by', async ({
    sim,
  }) => {
    const before = await sim.clock.now()
    await sim.clock.advance('5s')
    expect((await sim.clock.now()) - before).toBe(5000)
    await ask(sim, 'Hello')
    await sim.reset()
    expect(await sim.clock.now()).toBe(before)
    await expect(sim).not.toHaveReceived('chat.create')
  })
})

test.scenario(overloaded('large', 'gpt-4o'), overloaded('small', 'gpt-4o-mini'))(
  'scenarios may be named for one test',
  async ({ sim }) => {
    expect([await ask(sim, 'Hello'), await ask(sim, 'Hello', 'gpt-4o-mini')]).toEqual(['503', '503'])
  },
)

describe('with overrides around it', () => {
  test.override({ session: { clock: 'manual', seed: 'fox-7' }, scenario: overloaded('small', 'gpt-4o-mini') })

  describe('and within', () => {
    test.override('failOn', { unusedRules: false })

    test.scenario(overloaded('large', 'gpt-4o'))('a scenario for one test keeps them', async ({ sim }) => {
      expect((await sim.clock.state()).mode).toBe('manual')
      expect(await sim.unusedRules()).toEqual(['large'])
    })
  })

  test.scenario(overloaded('large', 'gpt-4o')).for([1, 2])('each of %i too', async (_, { sim }) => {
    expect((await sim.clock.state()).mode).toBe('manual')
    expect(await ask(sim, 'Hello')).toBe('503')
  })
})

test.scenario(overloaded('large', 'gpt-4o'))('overrides of a describe end with it', async ({ sim }) => {
  expect((await sim.clock.state()).mode).toBe('auto')
  expect(await ask(sim, 'Hello')).toBe('503')
})

test('the clock can be advanced during an SDK request', async ({ sim }) => {
  await sim.scenarios.add({
    title: 'slow',
    rules: [{ id: 'slow', then: { stream: { eventInterval: '1s' } } }],
  })
  const answer = ask(sim, 'Reply with exactly: pong')
  await sim.settled()
  await sim.clock.advance('1h')
  expect(await answer).toBe('pong')
})

test.scenario(new URL('./overloaded.yaml', import.meta.url))('a scenario may be a file', async ({ sim }) => {
  expect(await ask(sim, 'Hello')).toBe('503')
})

describe('what is switched off', () => {
  test.override({ failOn: { unusedRules: false }, scenario: overloaded('large', 'gpt-4o') })

  test('a rule can stay unused', async ({ sim }) => {
    expect(await sim.unusedRules()).toEqual(['large'])
  })
})

it('overrides can be added and jobs finished', async ({ sim }) => {
  await sim.overrides.add({ fault: 'overloaded', times: 1 })
  expect([await ask(sim, 'Hello'), await ask(sim, 'Reply with exactly: pong')]).toEqual(['503', 'pong'])
})

test('a retried test starts anew', { retry: 2 }, async ({ sim, task }) => {
  await ask(sim, 'Hello')
  await expect(sim).toHaveReceived('chat.create', { times: 1 })
  expect(task.result?.retryCount).toBe(2)
})

test('a repeated test starts anew', { repeats: 2 }, async ({ sim }) => {
  await ask(sim, 'Hello')
  await expect(sim).toHaveReceived('chat.create', { times: 1 })
})

describe('hooks', () => {
  test.beforeEach(async ({ sim }) => {
    await ask(sim, 'Hello')
  })
  test.afterEach(async ({ sim }) => {
    await expect(sim).toHaveReceived('chat.create', { times: 2 })
  })

  test('have the session of their test', async ({ sim }) => {
    await ask(sim, 'Hello again')
  })
})

test.describe('of one name', () => {
  for (const content of ['one', 'two']) {
    test.concurrent('two tests are isolated', async ({ sim }) => {
      await ask(sim, content)
      await expect(sim).toHaveReceived('chat.create', { times: 1, body: { messages: [{ content }] } })
    })
  }
})

test('the journal is the same everywhere', async ({ sim }) => {
  await ask(sim, 'Hello')
  await ask(sim, 'Hello', 'gpt-4o-mini')
  expect(await sim.journal({ status: '2xx', limit: 1 })).toMatchObject([
    { seq: 0, operation: 'chat.create', at: '2026-01-01T00:00:00.000Z' },
  ])
  expect((await sim.explainRequest(1)).text).toContain('chat.create')
})

test('a scenario can be loaded', async ({ sim }) => {
  await sim.scenarios.add(new URL('./overloaded.yaml', import.meta.url))
  expect(await ask(sim, 'Hello')).toBe('503')
})

test('a regular expression means the same everywhere', async ({ sim }) => {
  await ask(sim, 'a Fox')
  await expect(sim).toHaveReceived('chat.create', { body: { messages: [{ content: /^a [Ff]ox$/u }] } })
  // Flags that a server could not be told are rejected, not dropped.
  await expect(async () =>
    sim.safeVerify({ requests: { operation: 'chat.create', body: { messages: [{ content: /fox/i }] } } }),
  ).rejects.toThrow('expected a regular expression without the flags i')
})
