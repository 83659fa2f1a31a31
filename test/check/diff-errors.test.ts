/** `gateway-sim diff`: the type and code of errors, on which clients branch. */
import { describe, expect, it } from 'vitest'
import { type Exchange, textBody } from '../../src/exchange/exchange.ts'
import { diffRecordings } from '../../src/judges/sameness.ts'

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
      'values /error/type: auth → authentication_error',
      'values /error/code: 400 → 2004',
    ])
    expect((await changes(before, before)).shown).toEqual([])
  })

  it('that equal requests get in one recording only is a difference, whichever recording it is', async () => {
    const few = [rejected(400, { type: 'bad' })]
    const more = [...few, rejected(400, { type: 'content_policy_violation' })]
    expect((await changes(few, more)).shown).toEqual(['values /error/type: bad → content_policy_violation'])
    expect((await changes(more, few)).shown).toEqual(['values /error/type: content_policy_violation → bad'])
  })

  it('because of a rate limit, or of another request, is not that difference', async () => {
    const before = [rejected(400, { type: 'bad' })]
    const other = await changes(before, [...before, rejected(429, { type: 'rate_limit_error' })])
    expect(other.shown).toEqual([])
    const fields = await changes(before, [
      ...before,
      rejected(400, { type: 'tools' }, { model: 'm', tools: [] }),
    ])
    expect(fields.shown).toEqual([])
  })
})
