/** The error envelope: whatever is rejected, by whichever operation, through whichever integration. */
import { describe, expect, it } from 'vitest'
import { bodyOf, describeIntegrations, simulator } from '../_setup.ts'
import { operationsOf, sendTo } from './_operations.ts'

interface Body {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly details: readonly { readonly code: number; readonly message: string; readonly field?: string }[]
    readonly trace_id: string
  }
}

const texts = expect.stringMatching(/./s) as string

describeIntegrations('an error body', (integration) => {
  it('of every operation holds an object `error` with code, message, details and trace_id', async () => {
    const sim = simulator()
    const { fetch, url } = await integration.open(sim)
    for (const operation of operationsOf(sim)) {
      const response = await sendTo(operation, { fetch, url }, {})
      // Files that are read without a key are unknown instead.
      const status = operation.endpoint.open === true ? 404 : 401
      const body = (await response.json()) as Body
      expect([operation.endpoint.operation, response.status, body.error]).toMatchObject([
        operation.endpoint.operation,
        status,
        { code: status, message: texts, trace_id: expect.stringMatching(/^trc_[0-9a-f]{32}$/) },
      ])
      // A path parameter that leads to nothing is named; a key that is missing is no field of the request.
      const named = operation.endpoint.operation === 'imageJobs.readImage' ? ['jobId'] : []
      expect(body.error.details).toEqual(named.map((field) => ({ code: status, message: texts, field })))
    }
  })

  it('of every operation with a body lists what is wrong as objects', async () => {
    const sim = simulator()
    const { fetch, url } = await integration.open(sim)
    const headers = {
      authorization: 'Bearer sk-test',
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    }
    const seen: string[] = []
    for (const operation of operationsOf(sim)) {
      if (!operation.endpoint.accepts.includes('json')) continue
      const response = await sendTo(operation, { fetch, url }, headers, '[]')
      const { error } = (await response.json()) as Body
      expect([operation.endpoint.operation, response.status]).toEqual([operation.endpoint.operation, 400])
      expect(Number.isInteger(error.code)).toBe(true)
      expect(error.details).toEqual([{ code: error.code, message: texts, field: '' }])
      seen.push(operation.endpoint.operation)
    }
    expect(seen.length).toBeGreaterThan(8)
  })
})

describe('an error body', () => {
  it('of an unknown path and of another method is the same envelope', async () => {
    const sim = simulator()
    for (const [method, path, status] of [
      ['GET', '/v1/nothing', 404],
      ['DELETE', '/v1/systemone', 405],
    ] as const) {
      const response = await sim.fetch(`http://gateway.test${path}`, { method })
      expect([response.status, await response.json()]).toMatchObject([
        status,
        { error: { code: status, message: texts, details: [], trace_id: expect.stringMatching(/^trc_/) } },
      ])
    }
  })

  it('has a trace id of its own each time, the same in every run', async () => {
    const traces = async (): Promise<string[]> => {
      const sim = simulator()
      const one = async (): Promise<string> =>
        (await bodyOf(sim.fetch('http://gateway.test/v1/nothing'))).error.trace_id
      return [await one(), await one()]
    }
    const [first, second] = await traces()
    expect(first).not.toBe(second)
    expect(await traces()).toEqual([first, second])
  })
})
