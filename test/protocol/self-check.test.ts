/** The simulator's own responses are held against its own schemas, and a breach is loud. */

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { selfCheck } from '../../src/core/apply-plan.ts'
import { defineEndpoint } from '../../src/protocol/endpoint.ts'
import { events, json } from '../../src/protocol/response.ts'

const endpoint = defineEndpoint({
  operation: 'test.create',
  method: 'POST',
  path: '/test',
  summary: 'test',
  accepts: [],
  response: () => z.strictObject({ id: z.string() }),
  event: () => z.strictObject({ index: z.int() }),
  act: () => json({}),
})

describe('the self-check', () => {
  it('lets through what keeps the promise', () => {
    selfCheck(endpoint, json({ id: 'x' }))
    selfCheck(
      endpoint,
      events([
        { after: 0, data: '{"index":1}' },
        { after: 0, data: '[DONE]' },
      ]),
    )
    selfCheck(endpoint, events([{ after: 0, data: '{"error":{"message":"planned"}}' }]))
  })

  it('throws for a response or an event that breaks it, and for one that was never promised', () => {
    expect(() => selfCheck(endpoint, json({ id: 5 }))).toThrow(
      'the response of test.create violates its own schema: id: expected a string, got 5',
    )
    expect(() => selfCheck(endpoint, json({ id: 'x', more: 1 }))).toThrow(/more: is not a known field/)
    expect(() => selfCheck(endpoint, events([{ after: 0, data: '{"index":"1"}' }]))).toThrow(
      'the response of test.create violates its own schema: event 0: index: expected a number, got "1"',
    )
    expect(() =>
      selfCheck({ ...endpoint, operation: 'test.silent' }, events([{ after: 0, data: 'nonsense' }])),
    ).toThrow()
    const { response: _response, ...silent } = endpoint
    expect(() => selfCheck(silent, json({}))).toThrow(
      'test.create returns JSON but declares no response schema',
    )
  })
})
