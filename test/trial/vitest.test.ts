/** Trials in a test suite: `tryFailures`, and the matchers for its results. */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { trialText } from '../../src/trial/report.ts'
import type { TrialResult } from '../../src/trial/trial.ts'
import { type ClientTrial, tryFailures } from '../../src/trial/try-failures.ts'
import { trialMatchers } from '../../src/vitest/trial-matchers.ts'

it('a client that repeats a rejected request after the failure does not give up promptly', async () => {
  const results = await tryFailures(
    async ({ sim }) => {
      const send = (path: string) => sim.fetch(path, { headers: sim.headers })
      if ((await send('/v1/models')).ok) return
      for (let turn = 0; turn < 50; turn++) await send('/v1/models/none')
      throw new Error('no models')
    },
    { only: ['models.list:server-error'] },
  )
  expect(results.map(({ verdict, nth }) => [verdict, nth])).toEqual([
    ['hammered', 1],
    ['hammered', undefined],
  ])
  expect(results.some(({ acceptable }) => acceptable)).toBe(false)
})

const result = (verdict: TrialResult['verdict'], acceptable = true): TrialResult => ({
  title: 'chat.create: stall, request 1',
  ...{ operation: 'chat.create', failure: 'stall', nature: 'damaged', what: 'The stream stops.', nth: 1 },
  ...{ verdict, reason: 'Still running.', evidence: [0], acceptable, seconds: 4 },
})

describe('the matchers for results', () => {
  const { toBeAcceptable, toHaveGivenUp, toHaveRecovered } = trialMatchers

  it('take one result or several, and need all to fit', () => {
    expect(toHaveRecovered(result('recovered')).pass).toBe(true)
    expect(toHaveRecovered([result('recovered'), result('fell back')]).pass).toBe(false)
    expect(toHaveGivenUp(result('gave up')).pass).toBe(true)
    expect(toHaveGivenUp(result('hung', false)).pass).toBe(false)
    expect(toBeAcceptable([result('recovered'), result('gave up')]).pass).toBe(true)
    expect(toBeAcceptable([result('recovered'), result('hung', false)]).pass).toBe(false)
  })

  it('print the runs that do not fit, with their reasons', () => {
    const results = [result('recovered'), result('hung', false)]
    expect(toBeAcceptable(results).message()).toBe(trialText(results))
    expect(trialText(results)).toBe(`tryFailures: 2 runs

  operation    failure  once  after  always  after
  chat.create  stall    HUNG  4s

  ✗ chat.create: stall, request 1: hung
      The stream stops.
      Still running. See request 0.

2 runs: 1 recovered, 1 hung; 1 not acceptable`)
    expect(toHaveGivenUp(result('recovered')).message()).toContain('1 run: 1 recovered; 1 not given up')
    expect(toHaveGivenUp(result('gave up')).message()).toBe(
      'Expected at least one run that is not given up, but every run is.',
    )
  })

  it('reject what is no result', () => {
    expect(() => toBeAcceptable(Promise.resolve([]))).toThrow('got a promise: await it')
    expect(() => toBeAcceptable([])).toThrow('expected a result or an array of results, got none')
    expect(() => toBeAcceptable('recovered')).toThrow('got string')
  })
})

describe('tryFailures', () => {
  it('makes 16 runs at the same time, each with a session for SDKs', async () => {
    let [runs, running, most] = [0, 0, 0]
    const results = await tryFailures(
      async ({ sim }) => {
        runs++
        most = Math.max(most, ++running)
        try {
          const client = new OpenAI({ ...sim.sdk.openai(), maxRetries: 0 })
          const { data } = await client.models.list()
          return data.length
        } finally {
          running--
        }
      },
      { except: ['hang', 'stall-body'] },
    )
    expect(results.length).toBeGreaterThan(16)
    expect(runs).toBe(results.length + 1)
    expect(most).toBe(16)
  })

  it('takes names of failures, operations and pairs, and rejects others', async () => {
    const list = ({ sim }: ClientTrial) => new OpenAI({ ...sim.sdk.openai(), maxRetries: 0 }).models.list()
    const results = await tryFailures(list, { only: ['models.list:overloaded'] })
    expect(results.map(({ failure, nth, verdict }) => [failure, nth, verdict])).toEqual([
      ['overloaded', 1, 'gave up'],
      ['overloaded', undefined, 'gave up'],
    ])
    await expect(tryFailures(list, { except: ['chat.creat'] })).rejects.toThrow('did you mean chat.create?')
  })

  it('counts an error that the client throws at once as a failure of the client', async () => {
    const broken = (): never => {
      throw new Error('no base URL')
    }
    await expect(tryFailures(broken)).rejects.toThrow(
      'the client failed without an injected failure: Error: no base URL',
    )
  })
})
