import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { renderers } from '../../src/report/renderers.ts'
import { replayReport, type StoryReport, traceOf } from '../../src/run/replay-report.ts'
import type { StepInput } from '../../src/scenario/format/steps.ts'
import { paced, replay, streamed } from './_replay.ts'

const steps: readonly StepInput[] = [
  {
    call: 'videos.create',
    name: 'A video is submitted',
    with: { model: 'video-1', prompt: 'a sunset' },
    save: { video: 'body.id' },
  },
  { advance: '8s' },
  { call: 'videos.retrieve', with: { video_id: '${video}' }, expect: { body: { status: 'completed' } } },
  { call: 'videos.retrieve', with: { video_id: '${nothing}' } },
  { ...streamed('sim-disconnect-after-3'), name: 'Cut & "gone" <\u0007>' },
]

const textOf = (...stories: readonly StoryReport[]): string => renderers.text(replayReport(stories))

describe('the transcript', () => {
  it('has a line for each step: virtual time, operation, status, changes and failures', async () => {
    const text = textOf(await replay(steps, paced))
    expect(text.replaceAll(/video_\w+/g, 'video_1')).toBe(`gateway-sim replay: story.yaml

A story (story.yaml, in-process, seed fox-7, from 2026-01-01T00:00:00.000Z):
  ✓ +0s videos.create → 200
      A video is submitted
      id video_1, status pending, progress 0, model video-1, object
      video
      saved video
  ✓ +0s advance 8s
      video video_1: pending → in_progress
  ✗ +8s videos.retrieve → 200
      status pending → in_progress, progress 0 → 13
      body.status: expected "completed", got "in_progress"
  - +8s videos.retrieve
      skipped: the step needs \${nothing}, which no earlier step has saved
  ✗ +8s chat.create → 200, 380ms
      Cut & "gone" <\\u{7}>
      3 events, text hello, finish stop, ended disconnected
      stream.ended: expected completed, got disconnected (terminated: a fault disconnected the
      client)
  2 of 5 steps passed, 2 failed, 1 skipped, 8s380ms of virtual time

1 scenario: 0 passed, 1 failed; 2 of 5 steps passed, 2 failed, 1 skipped
`)
  })

  it('summarises several scenarios and names the failed ones', async () => {
    const held = await replay([{ advance: '1s' }])
    const failed = { ...(await replay(steps)), file: 'b.yaml' }
    expect(replayReport([held, failed]).summary).toBe(
      '2 scenarios: 1 passed, 1 failed; 3 of 6 steps passed, 2 failed, 1 skipped',
    )
  })
})

describe('the JSON report', () => {
  it('has the outcome, the counts, and the trace of all requests', async () => {
    const story = await replay(steps)
    expect(replayReport([story]).data).toEqual({
      outcome: 'failed',
      counts: { failed: 1, empty: 0, steps: { passed: 2, failed: 2, skipped: 1 } },
      ...traceOf([story]),
      scenarios: [{ outcome: 'failed', ...traceOf([story]).scenarios[0] }],
    })
  })
})

describe('the JUnit report', () => {
  it('is valid XML, with a suite for each scenario and a case for each step', async () => {
    const text = renderers.junit(replayReport([await replay(steps)]))
    expect(XMLValidator.validate(text)).toBe(true)
    const { testsuites } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(
      text,
    ) as { testsuites: Record<string, unknown> & { testsuite: { testcase: Record<string, unknown>[] } } }
    expect(testsuites).toMatchObject({ tests: '5', failures: '2', skipped: '1', errors: '0' })
    expect(testsuites.testsuite.testcase.map(({ name }) => name)).toEqual([
      '1 A video is submitted',
      '2 advance 8s',
      '3 videos.retrieve',
      '4 videos.retrieve',
      '5 Cut & "gone" <\\u{7}>',
    ])
    expect(testsuites.testsuite.testcase[2]).toMatchObject({
      classname: 'gateway-sim replay.story.yaml',
      failure: { type: 'expectation', message: 'body.status: expected "completed", got "in_progress"' },
    })
    expect(testsuites.testsuite.testcase[3]).toMatchObject({
      skipped: { message: 'the step needs ${nothing}, which no earlier step has saved' },
    })
  })
})

describe('the trace', () => {
  const media: readonly StepInput[] = [
    ...steps,
    {
      call: 'images.generate',
      with: { model: 'gpt-image-1', prompt: 'a cat', stream: true },
      expect: { status: 200 },
    },
    {
      call: 'images.edit',
      with: { model: 'gpt-image-1', prompt: 'a hat', image: { image: { width: 8, height: 8 } } },
    },
    { advance: '1m' },
    { call: 'videos.content', with: { video_id: '${video}' } },
  ]

  it('has the same bytes in two runs', async () => {
    const [first, second] = await Promise.all([replay(media, paced), replay(media, paced)])
    expect(traceOf([first])).toEqual(traceOf([second]))
  })

  it('contains requests and responses with virtual times, and the size and digest of bytes, but no base URL or real time', async () => {
    const text = JSON.stringify(traceOf([await replay(media, paced)]))
    const trace = JSON.parse(text) as {
      scenarios: { steps: { requests: { request: unknown; response: Record<string, unknown> }[] }[] }[]
    }
    const calls = trace.scenarios[0]?.steps.flatMap((step) => step.requests ?? []) ?? []
    expect(calls[0]?.request).toEqual({
      method: 'POST',
      url: '/v1/videos',
      key: 'sk-scenario',
      headers: { 'content-type': 'application/json' },
      body: { json: { model: 'video-1', prompt: 'a sunset' } },
    })
    expect(calls[2]?.response['events']).toMatchObject([{ elapsed: 300 }, { elapsed: 340 }, { elapsed: 380 }])
    expect((calls[3]?.response['events'] as { data: string }[] | undefined)?.[0]?.data).toMatch(
      /"b64_json":"<base64 of \d+ bytes, sha256 [0-9a-f]{64}>"/,
    )
    expect(JSON.stringify(calls[4]?.response['json'])).toMatch(
      /"b64_json":"<base64 of \d+ bytes, sha256 [0-9a-f]{64}>"/,
    )
    expect(calls[5]?.response['bytes']).toEqual({
      size: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(text).not.toMatch(/gateway\.test|boundary|Bearer/)
    expect(text.length).toBeLessThan(40_000)
  })
})
