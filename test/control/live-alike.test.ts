/** The feed writes the JSON of similar requests once: a field that it did not compare would show wrong values. */
import { expect, it } from 'vitest'
import { areAlike, liveCallSchema } from '../../src/control/live.ts'
import type { JournalEntry } from '../../src/engine/journal-entry.ts'
import type { LiveCall } from '../../src/generated/control-types.ts'

const plain: JournalEntry = {
  ...{ seq: 0, at: 0, realAt: 0, session: 'default', requestId: 'a', operation: 'chat.create' },
  ...{ method: 'POST', path: '/v1/chat/completions', key: undefined, caller: undefined, headers: {} },
  ...{ status: 200, request: undefined, response: undefined, rule: undefined, decidedBy: undefined },
  ...{ unmatched: false, transitions: [], faults: [], rejection: undefined, violations: [], ignored: [] },
  ...{ stream: [], namedBy: 'default', bug: undefined, ended: 'completed', eventCount: 0 },
  endOffset: undefined,
}

/** The fields that each request writes for itself. */
const ownFields = ['seq', 'at', 'realAt', 'requestId', 'about'] as const

/** A change of each other field. The compiler reports a field of the feed that is missing here. */
const changes: Record<Exclude<keyof LiveCall, (typeof ownFields)[number]>, Partial<JournalEntry>> = {
  session: { session: 'other' },
  operation: { operation: 'messages.create' },
  method: { method: 'GET' },
  path: { path: '/v1/messages' },
  rule: { rule: 'busy' },
  decidedBy: { decidedBy: 'setting' },
  unmatched: { unmatched: true },
  transitions: { transitions: [{ resource: 'video', id: 'v', from: null, to: 'queued' }] },
  status: { status: 503 },
  faults: { faults: ['disconnect'] },
  rejection: { rejection: { type: 'rate_limit_error', code: 429 } },
  violations: { violations: [{ field: 'model', message: 'is required' }] },
  ended: { ended: 'aborted' },
  eventCount: { eventCount: 1 },
  endOffset: { endOffset: 5 },
  streamed: { stream: [{ offset: 0, data: '{}' }] },
  traceId: { status: 404 },
}

it.each(Object.entries(changes))('a request with another %s is not alike', (_name, change) => {
  expect(areAlike(plain, { ...plain, seq: 1, at: 1, realAt: 1, requestId: 'b' })).toBe(true)
  expect(areAlike(plain, { ...plain, ...change })).toBe(false)
})

it('errors are never alike: each has its trace id', () => {
  expect(areAlike({ ...plain, status: 503 }, { ...plain, status: 503 })).toBe(false)
})

it('covers every field of the feed', () => {
  expect([...ownFields, ...Object.keys(changes)].sort()).toEqual(Object.keys(liveCallSchema().shape).sort())
})
