/** The file with the session of a failed test, and the sentence about it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { collectTrace } from '../../src/trace/collect-trace.ts'
import type { SavedTrace } from '../../src/trace/trace.ts'
import { addSentence, findingsText, saveFailedTest } from '../../src/vitest/failed-test.ts'
import { requireBuild } from '../_built.ts'
import { simulator } from '../_setup.ts'
import { emptyDirectory } from '../cli/_io.ts'

const failedTest = async () => {
  const sim = simulator()
  const session = sim.createSession({ name: 'asks-politely' })
  await session.fetch('/v1/models', { headers: session.headers })
  const trace = async () =>
    collectTrace([{ sessions: [sim.core.sessions.get(session.name)], parts: sim.core }], { savedAt: 0 })
  const path = ['a.test.ts', 'a client', 'asks politely']
  return { name: session.name, path, failure: 'Test timed out.', trace }
}

it('contains the requests, and the sentence contains its path', async () => {
  requireBuild()
  const folder = join(emptyDirectory(), 'not/made/yet')
  const file = join(folder, 'asks-politely.html')
  expect(await saveFailedTest(folder, await failedTest())).toBe(`Requests of this test: ${file}`)
  const [, json = ''] = /id="trace">([^<]*)</.exec(readFileSync(file, 'utf8')) ?? []
  const { title, failure, cut, sessions } = JSON.parse(json) as SavedTrace
  expect({ title, failure, cut }).toEqual({
    title: 'a.test.ts > a client > asks politely',
    failure: 'Test timed out.',
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

it('names the findings that the message lacks, and counts identical requests', async () => {
  const sim = simulator({ clock: 'auto' })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sora-2', prompt: 'a sunset' })
  const created = await sim.fetch('/v1/videos', { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: string }
  sim.jobs.change(id, { finished: true })
  for (let poll = 0; poll < 30; poll++) await sim.fetch(`/v1/videos/${id}`, { headers })
  const report = sim.clientReport()
  const text = findingsText(report, sim.journal(), 'Test timed out.')
  expect(text).toMatch(
    /^Client report:\n {2}(error|warning): polled-after-end \(.*\)\n {4}.*\n {4}.*\nRequests: /,
  )
  expect(text.split('Requests: ')[1]).toBe('videos.create 200, 30 × videos.retrieve 200')
  expect(findingsText(report, sim.journal(), text)).toBe('')
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
