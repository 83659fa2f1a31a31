/** The file with the session of a failed test, and the sentence about it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { collectTrace } from '../../src/trace/collect-trace.ts'
import type { SavedTrace } from '../../src/trace/trace.ts'
import {
  addSentence,
  describeFailedTest,
  findingsText,
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

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const timedOut = 'Test timed out in 2000ms.'

/** What a test says that timed out after these requests; the response to the `open` one never comes. */
async function saidOf(
  options: SimulatorOptions,
  { ended = [], open }: { readonly ended?: readonly string[]; readonly open?: string },
): Promise<string> {
  const session = testSession(simulator(options).createSession({ name: 'mine' }), (one: unknown) => one)
  const headers = { ...session.headers, 'content-type': 'application/json' }
  const post = { method: 'POST', headers, body: JSON.stringify(chat) }
  const send = (path: string) => session.fetch(path, path === '/v1/models' ? { headers } : post)
  for (const path of ended) await (await send(path)).text()
  if (open !== undefined) void send(open)
  // Waits until the open request has reached the simulator.
  await session.safeVerify('models.list')
  const error = { message: timedOut }
  await describeFailedTest(
    { name: 'mine', path: [], trace: async () => ({}) as never, session, folder: undefined },
    [error],
    [],
  )
  return error.message.slice(`${timedOut}\n\n`.length)
}

const rules = (then: object) =>
  [{ title: 'A story', rules: [{ when: { operation: 'chat.create' }, then }] }] as never

describe('a test that timed out', () => {
  it('names the open requests that wait for the clock, and how to advance it', async () => {
    const options = { clock: 'manual', scenarios: rules({ delay: '30s' }) } as const
    expect(await saidOf(options, { ended: ['/v1/models'], open: '/v1/chat/completions' })).toBe(
      'Requests: models.list 200, chat.create 200\n' +
        'Open when the test timed out:\n' +
        '  #1 chat.create: waits for the clock (its response ends 30s after the request)\n' +
        "The clock is `manual`: call `sim.clock.advance('30s')`, or use `session: { clock: 'auto' }`.",
    )
  })

  it('names the fault of an open request', async () => {
    const options = { clock: 'auto', scenarios: rules({ fault: 'hang' }) } as const
    expect(await saidOf(options, { open: '/v1/chat/completions' })).toBe(
      'Requests: chat.create no response\nOpen when the test timed out:\n  #0 chat.create: fault hang',
    )
  })

  it('says that the client was waiting if no request was open', async () => {
    const options = {
      clock: 'auto',
      scenarios: rules({ error: { status: 429, retryAfter: '2s' } }),
    } as const
    expect(await saidOf(options, { ended: ['/v1/chat/completions'] })).toBe(
      'Requests: chat.create 429\nNo request was open when the test timed out: the client did not wait for a ' +
        'response. The last response asked for a wait of 2s (retry-after). If it sleeps, use fake timers or a ' +
        'shorter wait (node_modules/gateway-sim/docs/test/time.md#fake-timers).',
    )
    expect(await saidOf({}, {})).toBe(
      'Requests: none\nNo request reached this session: check the base URL of the client.',
    )
  })
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
