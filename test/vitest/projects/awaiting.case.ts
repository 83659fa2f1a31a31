/** Tests as a project would write them: how they wait for expectations, wherever the simulator is. */
import { expect, test } from '../../../src/vitest.ts'
import { ask } from './_client.ts'

test('a caught failure does not fail the test', async ({ sim }) => {
  await ask(sim, 'Hello')
  const caught = expect(sim)
    .toHaveReceived('videos.create')
    .catch((error: Error) => error.message)
  expect(await caught).toMatch(/^Expected videos\.create at least once, got none\./)
  await expect(expect(sim).toHaveReceived('chat.create', { times: 2 })).rejects.toThrow('got one')
})

test('an expectation that is not awaited', async ({ sim }) => {
  await ask(sim, 'Hello')
  void expect(sim).toHaveReceived('chat.create')
  void expect(sim).toHaveReceived('videos.create')
})

test('an invalid expectation that is not awaited', ({ sim }) => {
  void expect(sim).not.toHaveReceived('chat.create', { rule: 'nosuch' })
})
