/** `gateway-sim diff`: the type and code of errors, on which clients branch. */
import { describe, expect, it } from 'vitest'
import { diffRecordings } from '../../src/check/diff/diff-recordings.ts'
import { type Exchange, textBody } from '../../src/exchange/exchange.ts'

const rejected = (status: number, error: object, request: object = { model: 'm' }): Exchange => ({
  seq: 0,
  source: 'a.har',
  at: 0,
  firstByteAfter: 10,
  endedAfter: 20,
  redacted: [],
  ended: 'completed',
  request: {
    method: 'POST',
    url: 'http://gateway.test/v1/chat/completions',
    headers: [['content-type', 'application/json']],
    body: textBody(JSON.stringify(request)),
  },
  response: {
    status,
    headers: [['content-type', 'application/json']],
    body: textBody(JSON.stringify({ error: { message: 'no', ...error } })),
    chunks: [],
  },
})

const changes = async (before: readonly Exchange[], after: readonly Exchange[]) => {
  const { differences, notes } = await diffRecordings(before, after)
  const shown = differences.map(
    ({ what, place, before: was, after: is }) => `${what} ${place}: ${was} → ${is}`,
  )
  return { shown, notes }
}

describe('an error', () => {
  it('with another type or code is a difference, with its status', async () => {
    const before = [rejected(401, { type: 'auth', code: 401 }), rejected(400, { type: 'bad', code: 400 })]
    const after = [
      rejected(401, { type: 'authentication_error', code: 401 }),
      rejected(400, { type: 'bad', code: 2004 }),
    ]
    expect((await changes(before, after)).shown).toEqual([
      'values rejection 401 /error/type: auth → authentication_error',
      'values rejection 400 /error/code: 400 → 2004',
    ])
    expect((await changes(before, before)).shown).toEqual([])
  })

  it('with another status, of another request, or with further types is not that difference', async () => {
    const before = [rejected(400, { type: 'bad' })]
    const other = await changes(before, [...before, rejected(429, { type: 'rate_limit_error' })])
    expect(other.shown).toEqual([])
    const fields = await changes(before, [
      ...before,
      rejected(400, { type: 'tools' }, { model: 'm', tools: [] }),
    ])
    expect(fields.shown).toEqual([])
    const more = await changes(before, [...before, rejected(400, { type: 'content_policy_violation' })])
    expect(more).toEqual({
      shown: [],
      notes: ['chat.create: rejection 400 /error/type was bad, now also content_policy_violation'],
    })
  })
})
