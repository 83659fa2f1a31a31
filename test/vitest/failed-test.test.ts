/** The file with the session of a failed test, and the sentence about it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { collectTrace } from '../../src/trace/collect-trace.ts'
import type { SavedTrace } from '../../src/trace/trace.ts'
import { addSentence, saveFailedTest } from '../../src/vitest/failed-test.ts'
import { requireBuild } from '../_built.ts'
import { simulator } from '../_setup.ts'
import { emptyDirectory } from '../cli/_io.ts'

const failedTest = async () => {
  const sim = simulator()
  const session = sim.createSession({ name: 'asks-politely' })
  await session.fetch('/v1/models', { headers: session.headers })
  const trace = async () =>
    collectTrace([{ sessions: [sim.core.sessions.get(session.name)], parts: sim.core }], { savedAt: 0 })
  return { name: session.name, path: ['a.test.ts', 'a client', 'asks politely'], trace }
}

it('contains the requests, and the sentence contains its path', async () => {
  requireBuild()
  const folder = join(emptyDirectory(), 'not/made/yet')
  const file = join(folder, 'asks-politely.html')
  expect(await saveFailedTest(folder, await failedTest())).toBe(`Requests of this test: ${file}`)
  const [, json = ''] = /id="trace">([^<]*)</.exec(readFileSync(file, 'utf8')) ?? []
  const { title, cut, sessions } = JSON.parse(json) as SavedTrace
  expect({ title, cut }).toEqual({
    title: 'a.test.ts > a client > asks politely',
    cut: ['Images and videos are not included.'],
  })
  expect(sessions.map(({ name, entries }) => [name, entries.length])).toEqual([['asks-politely', 1]])
})

it('does not hide the failure if it cannot be written', async () => {
  requireBuild()
  const file = join(emptyDirectory(), 'file')
  writeFileSync(file, '')
  expect(await saveFailedTest(file, await failedTest())).toMatch(
    /^The requests of this test could not be saved: E\w+/,
  )
})

it.each([
  ['Error: $& fox', '$& fox'],
  ['Error', ''],
])('is named in the message and the stack of "%s"', (head, message) => {
  const error = { message, stack: `${head}\n    at a.test.ts:1:1` }
  addSentence(error, 'Saved.')
  expect(error).toEqual({
    message: `${message}\n\nSaved.`,
    stack: message === '' ? `${head}\n    at a.test.ts:1:1` : `${head}\n\nSaved.\n    at a.test.ts:1:1`,
  })
})
