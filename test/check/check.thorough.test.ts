/** The whole suite against our own simulator. */
import { expect, it } from 'vitest'
import { check } from '../../src/check/check.ts'
import { simulator } from '../_setup.ts'
import { virtualTime } from './_time.ts'

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
