import { expect, it } from 'vitest'
import type { LiveCall } from '../../src/generated/control-types.ts'
import { matchesText } from '../../src/ui/calls/search.ts'

const plain: LiveCall = {
  seq: 137,
  at: '2026-01-01T00:00:00.000Z',
  session: 'default',
  operation: 'videos.retrieve',
  request: { method: 'GET', url: '/v1/videos/video_429a' },
  response: { status: 200 },
  ended: 'completed',
  firstByteAfter: 0,
  endedAfter: 0,
  cause: {
    requestId: 'req_54dba2a8b429110ea09a',
    unmatched: false,
    transitions: [],
    faults: [],
    violations: [],
  },
  about: 'A fox in the snow · sora-2',
}
const found = (text: string, change: Partial<LiveCall> = {}): boolean =>
  matchesText({ ...plain, ...change }, text)
const caused = (text: string, cause: Partial<LiveCall['cause']>, change: Partial<LiveCall> = {}): boolean =>
  found(text, { ...change, cause: { ...plain.cause, ...cause } })

it('finds a status by its first digits, not the digits of ids and paths', () => {
  expect([found('200'), found('2'), found('429'), found('00')]).toEqual([true, true, false, false])
  expect(found('429', { response: { status: 429 } })).toBe(true)
})

it('finds the number of a request, with or without #', () => {
  expect([found('137'), found('#137'), found('#13'), found('13')]).toEqual([true, true, false, false])
  expect(found('#1370', { seq: 1370 })).toBe(true)
})

it('finds what a row shows', () => {
  expect(found('disconnect')).toBe(false)
  expect(caused('disconnect', { faults: ['disconnect'] })).toBe(true)
  expect(found('aborted', { ended: 'aborted' })).toBe(true)
  expect(caused('stalled', { stalledAfter: 5 }, { ended: 'open' })).toBe(true)
  expect(found('completed')).toBe(false)
  expect(found('unknown path', { operation: undefined })).toBe(true)
  expect(caused('unmatched', { unmatched: true })).toBe(true)
  expect(caused('override-1', { rule: 'override-1' })).toBe(true)
  expect(caused('breakpoint', { decidedBy: { kind: 'breakpoint' } })).toBe(true)
  expect([found('in the snow'), found('sora'), found('a boat')]).toEqual([true, true, false])
  expect([found('get /v1/videos/'), found('videos.ret'), found('undefined')]).toEqual([true, true, false])
})

it('finds default responses, which rows leave out', () => {
  expect(found('default response')).toBe(true)
  expect(caused('default response', { rule: 'mine' })).toBe(false)
  const rejection = { type: 'invalid_request_error', code: 400 }
  expect(caused('default response', { rejection }, { response: { status: 400 } })).toBe(false)
})

it('finds a request id, whole or by six characters or more', () => {
  expect([found(plain.cause.requestId), found('54dba2'), found('54dba')]).toEqual([true, true, false])
})
