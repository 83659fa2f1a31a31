import { expect, it } from 'vitest'
import type { LiveCall } from '../../src/generated/control-types.ts'
import { matchesText } from '../../src/ui/calls/search.ts'

const plain: LiveCall = {
  ...{ seq: 137, at: '2026-01-01T00:00:00.000Z', realAt: null, session: 'default' },
  ...{ requestId: 'req_54dba2a8b429110ea09a', operation: 'videos.retrieve', method: 'GET', status: 200 },
  ...{ path: '/v1/videos/video_429a', rule: null, decidedBy: null, unmatched: false, transitions: [] },
  ...{ faults: [], rejection: null, violations: [], ended: 'completed', eventCount: 0, endOffset: null },
  ...{ streamed: false, about: 'A fox in the snow · sora-2', traceId: null },
}
const found = (text: string, change: Partial<LiveCall> = {}): boolean =>
  matchesText({ ...plain, ...change }, text)

it('finds a status by its first digits, not the digits of ids and paths', () => {
  expect([found('200'), found('2'), found('429'), found('00')]).toEqual([true, true, false, false])
  expect(found('429', { status: 429 })).toBe(true)
})

it('finds the number of a request, with or without #', () => {
  expect([found('137'), found('#137'), found('#13'), found('13')]).toEqual([true, true, false, false])
  expect(found('#1370', { seq: 1370 })).toBe(true)
})

it('finds what a row shows', () => {
  expect(found('disconnect')).toBe(false)
  expect(found('disconnect', { faults: ['disconnect'] })).toBe(true)
  expect(found('aborted', { ended: 'aborted' })).toBe(true)
  expect(found('stalled', { ended: 'open', endOffset: 5 })).toBe(true)
  expect(found('completed')).toBe(false)
  expect(found('unknown path', { operation: null, decidedBy: null })).toBe(true)
  expect(found('unmatched', { unmatched: true })).toBe(true)
  expect(found('override-1', { rule: 'override-1' })).toBe(true)
  expect(found('breakpoint', { decidedBy: 'breakpoint' })).toBe(true)
  expect([found('in the snow'), found('sora'), found('a boat')]).toEqual([true, true, false])
  expect([found('get /v1/videos/'), found('videos.ret'), found('null')]).toEqual([true, true, false])
})

it('finds default responses, which rows leave out', () => {
  expect(found('default response')).toBe(true)
  expect(found('default response', { rule: 'mine' })).toBe(false)
  const rejection = { type: 'invalid_request_error', code: 400 }
  expect(found('default response', { status: 400, rejection })).toBe(false)
})

it('finds a request id or trace id, whole or by six characters or more', () => {
  const traceId = 'trc_54dba2a8477b2816681d1180a6d7c201'
  expect([found(traceId), found(traceId, { traceId })]).toEqual([false, true])
  expect([found(plain.requestId), found('54dba2'), found('54dba')]).toEqual([true, true, false])
})
