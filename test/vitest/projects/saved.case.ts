/** Tests as a project would write them: the sessions of those that fail are saved. */
import { expect, test } from '../../../src/vitest.ts'
import { ask, overloaded } from './_client.ts'

// Without PAGES, the folder is the one in GATEWAY_SIM_SAVE_FAILED_TESTS.
const { PAGES: folder } = process.env
if (folder !== undefined) test.override({ saveFailedTests: folder })

test('a passing test', async ({ sim }) => {
  await ask(sim, 'Hello')
})

test('a failed assertion', async ({ sim }) => {
  expect(await ask(sim, 'Reply with exactly: pong')).toBe('ping')
})

test.fails('an expected failure', async ({ sim }) => {
  expect(await ask(sim, 'Hello')).toBe('')
})

test.scenario(overloaded('large', 'gpt-4o'))('an unused rule', async ({ sim }) => {
  await ask(sim, 'Hello', 'gpt-4o-mini')
})
