/**
 * What rules do to time and to the wire, as a replay sees it: delays, hangs, resets, bodies that come in
 * chunks or break off.
 */
import { describe, expect, it } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { replayInProcess } from '../../src/run/replay.ts'
import type { StoryReport } from '../../src/run/replay-report.ts'
import { scenarioOfObject } from '../../src/scenario/load/scenario.ts'
import { errors } from './_replay.ts'

async function story(
  then: object,
  steps: readonly [object, ...object[]],
  more: object = {},
): Promise<StoryReport> {
  const warnings: string[] = []
  const { report } = await replayInProcess(
    scenarioOfObject(
      {
        title: 'A story',
        rules: [
          {
            when: {
              operation:
                'call' in steps[0] && steps[0].call === 'chat.create' ? 'chat.create' : 'videos.list',
            },
            then,
          },
        ],
        ...more,
        steps,
      },
      'story.yaml',
      gatewayApi().reader,
    ),
    { onWarning: (message) => void warnings.push(message) },
  )
  expect(warnings.filter((message) => message.includes('bug'))).toEqual([])
  return report
}

const list = { call: 'videos.list' }
const chat = {
  call: 'chat.create',
  with: { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Say hello.' }] },
}

describe('a delayed response', () => {
  it('advances the clock to its time and no further', async () => {
    const report = await story({ delay: '90s' }, [
      { ...list, expect: { took: 90_000 } },
      { ...list, expect: { took: 90_000 } },
    ])
    expect(errors(report)).toEqual([])
    expect(report.end - report.start).toBe(180_000)
  })
})

describe('a fault', () => {
  it.each([
    { fault: 'hang', expected: { broken: 'hang' } },
    { fault: 'reset', expected: { broken: 'reset' } },
    { fault: { kind: 'truncate', afterBytes: 10 }, expected: { broken: 'truncated', bytes: 10 } },
    { fault: { kind: 'stall-body', afterBytes: 10 }, expected: { broken: 'hang', bytes: 10 } },
    { fault: 'malformed-json', expected: { status: 200, offContract: true } },
    { fault: 'wrong-content-type', expected: { status: 200, offContract: true } },
    {
      fault: { kind: 'dribble', bytes: 10, interval: 100 },
      expected: { status: 200, body: { object: 'list' } },
    },
  ])('in a plain body is reported as the client sees it: $fault', async ({ fault, expected }) => {
    const report = await story({ fault }, [
      { ...list, expect: expected },
      { ...list, expect: expected },
    ])
    expect(errors(report)).toEqual([])
  })

  it.each([
    {
      fault: { kind: 'disconnect', afterEvents: 3 },
      expected: { stream: { eventCount: 3, ended: 'disconnected' } },
    },
    {
      fault: { kind: 'disconnect', afterEvents: 3, how: 'end' },
      expected: { stream: { eventCount: 3, ended: 'no-end-marker' } },
    },
    { fault: { kind: 'stall', afterEvents: 2 }, expected: { stream: { eventCount: 2, ended: 'stalled' } } },
    { fault: 'missing-end', expected: { stream: { ended: 'no-end-marker' } } },
    {
      fault: { kind: 'error-event', afterEvents: 2 },
      expected: { stream: { error: { type: 'api_error' } } },
    },
    { fault: 'malformed-event', expected: { offContract: true } },
    { fault: 'split', expected: { stream: { ended: 'completed' } } },
    { fault: 'keep-alive', expected: { stream: { ended: 'completed' } } },
    { fault: { kind: 'line-ends', ends: 'cr' }, expected: { stream: { ended: 'completed' } } },
    { fault: 'hang', expected: { broken: 'hang' } },
  ])('in a stream is reported as the client sees it: $fault', async ({ fault, expected }) => {
    for (const clock of ['manual', 'auto']) {
      const report = await story(
        { fault, stream: { firstEventAfter: '200ms', eventInterval: '30ms' } },
        [
          { ...chat, expect: expected },
          { ...chat, expect: expected },
        ],
        { clock: { mode: clock } },
      )
      expect(errors(report)).toEqual([])
    }
  })

  it('fails the step if the step does not expect it', async () => {
    expect(errors(await story({ fault: 'hang' }, [list]))).toEqual([
      '1 broken: expected a complete response, got hang (no response arrived, and none is scheduled)',
    ])
    expect(errors(await story({ fault: 'malformed-json' }, [list]))).toEqual([
      expect.stringMatching(/^1 contract body: expected JSON, got /),
    ])
  })
})
