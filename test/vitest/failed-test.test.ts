/** The file with the session of a failed test, and the sentence about it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { collectTrace } from '../../src/trace/collect-trace.ts'
import type { SavedTrace } from '../../src/trace/trace.ts'
import {
  addSentence,
  describeFailedTest,
  findingsText,
  openText,
  saveFailedTest,
} from '../../src/vitest/failed-test.ts'
import { testSession } from '../../src/vitest/test-session.ts'
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
  const { title, report, cut, sessions } = JSON.parse(json) as SavedTrace
  expect({ title, report, cut }).toEqual({
    title: 'a.test.ts > a client > asks politely',
    report: 'Test timed out.',
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

it('names the findings, and counts identical requests', async () => {
  const sim = simulator({ clock: 'auto' })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sora-2', prompt: 'a sunset' })
  const created = await sim.fetch('/v1/videos', { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: string }
  sim.jobs.change(id, { finished: true })
  for (let poll = 0; poll < 30; poll++) await sim.fetch(`/v1/videos/${id}`, { headers })
  expect(findingsText(sim.clientReport(), sim.journal())).toMatch(
    new RegExp(
      '^Client report:\\n {2}(error|warning): polled-after-end \\(.*\\)\\n {4}.*\\n {4}.*\\n' +
        'Requests: videos.create 200, 30 × videos.retrieve 200$',
    ),
  )
})

const request = { seq: 0, operation: 'chat.create', ended: 'completed', cause: { faults: [] } }
const open = { ...request, seq: 1, ended: 'open' }

it.each([
  [[request], 'manual', ''],
  [[request, open], 'auto', 'Without a complete response:\n  #1 chat.create'],
  [
    [{ ...open, cause: { faults: ['stall'] } }],
    'manual',
    'Without a complete response:\n  #1 chat.create stall\n' +
      "The clock is `manual`: call `sim.clock.advance('1s')`, or use `session: { clock: 'auto' }`.",
  ],
] as const)('lists open requests: %#', (requests, mode, text) => {
  expect(openText(requests, mode)).toBe(text)
})

it.each([false, true])('adds the findings to the error unless it has them: %s', async (isReportShown) => {
  const { name, path, trace } = await failedTest()
  const sim = simulator()
  const session = testSession(sim.createSession({ name }), (one: unknown) => one)
  const init = { method: 'POST', headers: { ...session.headers, 'content-type': 'application/json' } }
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], temperature: 0.5, top_p: 0.5 }
  await (await session.fetch('/v1/chat/completions', { ...init, body: JSON.stringify(body) })).text()
  const error = { message: 'It failed.' }
  await describeFailedTest({ name, path, trace, session, folder: undefined, isReportShown }, [error], [])
  expect(error.message.includes('temperature-and-top-p')).toBe(!isReportShown)
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
