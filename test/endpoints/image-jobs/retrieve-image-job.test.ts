/** imageJobs.retrieve; jobs.test.ts beside this folder has what polls show of every kind of job. */
import { expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { created, polled } from './_jobs.ts'

it('imageJobs.retrieve unfolds a jump over the whole life of a job exactly', async () => {
  const sim = simulator()
  const { id } = await created(sim)
  expect(sim.clock.advance('1d').fired.map(({ at, resource, from, to }) => [at, resource, from, to])).toEqual(
    [
      ['2026-01-01T00:00:10.000Z', 'imageJob', 1, 1],
      ['2026-01-01T00:00:40.000Z', 'imageJob', 1, 2],
    ],
  )
  expect(await polled(sim, id)).toMatchObject({ status: 2, cost: { costAt: '2026-01-01T00:00:40.000Z' } })
})

it('imageJobs.retrieve rejects another method (405)', async () => {
  const response = await post(simulator(), '/v1/tob/job/x', {})
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
})
