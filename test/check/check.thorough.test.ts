/** The whole suite against our own simulator, and against the gateway of the tests. */
import { expect, it, onTestFinished } from 'vitest'
import { check } from '../../src/check/check.ts'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import { virtualTime } from './_time.ts'
import { createGateway } from './gateway/gateway.ts'

it('a check of everything finds nothing in our own simulator', async () => {
  const sim = simulator({ clock: 'auto' })
  const report = await check({
    baseUrl: 'http://gateway.test',
    apiKey: 'sk-check',
    fetch: (url, init) => sim.fetch(url, init),
    time: virtualTime(),
    spend: 'all',
  })
  expect(report.deviations).toEqual([])
  // The newest models answer with the picture itself.
  expect(report.skipped.map(({ probe, reason }) => `${probe}: ${reason}`)).toEqual([
    'the address of an image: the reply to an image has no /data/0/url',
  ])
})

it('a check of everything finds nothing over HTTP and below a path, in one session', async () => {
  const { url, close } = await listen(simulator({ clock: 'auto' }))
  onTestFinished(close)
  const report = await check({
    baseUrl: `${url}/s/checked`,
    apiKey: 'sk-check',
    time: virtualTime(),
    spend: 'all',
  })
  expect(report.deviations).toEqual([])
  expect(report.summary.skipped).toBe(1)
})

it('a check of everything finds nothing in a gateway that was written from the contract alone', async () => {
  const { baseUrl, apiKey, fetch } = createGateway()
  const report = await check({ baseUrl, apiKey, fetch, time: virtualTime(), spend: 'all' })
  expect(report.deviations).toEqual([])
  expect(report.additions).toEqual([])
  expect(report.skipped.map(({ probe }) => probe)).toEqual(['the address of an image'])
})
