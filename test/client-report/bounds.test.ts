/** What the client report remembers of a session is bounded, however long the session is. */
import { expect, it } from 'vitest'
import { createJobs, ObservedCall } from '../../src/client-report/observed-call.ts'
import { createReporter } from '../../src/client-report/reporter.ts'
import { createServiceVocabulary } from '../../src/endpoints/registry.ts'
import type { JournalEntry } from '../../src/exchange/exchange.ts'
import type { ScriptedKind } from '../../src/protocol/scripted.ts'

const service = createServiceVocabulary()
const video = service.endpoint('videos.create')?.submits as ScriptedKind

const entry = (seq: number, more: Partial<JournalEntry>): JournalEntry =>
  ({
    seq,
    at: seq,
    operation: 'videos.create',
    caller: '1',
    request: { method: 'POST', url: '/v1/videos', headers: [], body: { text: `{"prompt":"${seq}"}` } },
    response: { status: 200, headers: [], body: { text: '{"status":"completed"}' } },
    ended: 'completed',
    cause: {
      requestId: `req_${seq}`,
      faults: [],
      transitions: [{ resource: 'video', id: `video_${seq}`, from: null, to: 'completed' }],
      ignored: [],
    },
    ...more,
  }) as unknown as JournalEntry

it('of 10,100 jobs 10,000 are remembered', () => {
  const jobs = createJobs()
  for (let seq = 0; seq < 10_100; seq++)
    jobs.called(new ObservedCall(entry(seq, {}), service.operation('videos.create'), () => '1'))
  expect([...jobs.all()].length).toBe(10_000)
  expect(jobs.find(video, 'video_99')).toBeUndefined()
  expect(jobs.find(video, 'video_100')).toMatchObject({ caller: '1' })
})

it('after thousands of rejections and jobs a session reports a thousand findings, and counts the rest', () => {
  const reporter = createReporter({ mode: 'manual', operation: service.operation })
  for (let seq = 0; seq < 3000; seq++) {
    const call = entry(seq, {})
    reporter.called(call)
    reporter.ended(call)
  }
  const report = reporter.report(5000)
  expect(report).toMatchObject({ requests: 3000, warnings: 1000, more: 2000 })
  expect(report.findings[0]).toMatchObject({
    id: 'never-fetched-result',
    evidence: [{ seq: 0, requestId: 'req_0' }],
  })
})
