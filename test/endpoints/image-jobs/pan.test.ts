import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { bodyOf, created, ended, imageSize, type Job, polled } from './_jobs.ts'
import { inheritsFromItsSource, rejectsUnsuitableSources } from './_source-job.ts'

const path = '/v1/tob/pan'

describe('imageJobs.pan rejects', () => {
  rejectsUnsuitableSources('pan', { direction: 0, scale: 1.5 })
})

describe('imageJobs.pan answers', () => {
  inheritsFromItsSource('pan', { direction: 3, scale: 3 })
})

describe('imageJobs.pan unfolds', () => {
  it('into success after the duration of the settings', async () => {
    const sim = simulator()
    const source = await ended(sim)
    const { id } = await bodyOf(post(sim, path, { jobId: source.id, imageNo: 0, direction: 0, scale: 1.5 }))
    sim.clock.advance(39_999)
    expect((await polled(sim, id)).status).toBe(1)
    sim.clock.advance(1)
    expect(await polled(sim, id)).toMatchObject({
      status: 2,
      audits: ['', '', '', ''],
      cost: { jobId: id, costAt: '2026-01-01T00:01:20.000Z' },
    })
  })

  it.each([
    ['down', 0, 1.5, [1024, 864]],
    ['right', 1, 1.5, [1536, 576]],
    ['up', 2, 1.5, [1024, 864]],
    ['left', 3, 1.5, [1536, 576]],
    ['left, as far as it may', 3, 3, [3072, 576]],
  ])('into images that reach further %s', async (_, direction, scale, size) => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const source = await created(sim, 'a cat --ar 16:9')
    const { urls } = await bodyOf(post(sim, path, { jobId: source.id, imageNo: 0, direction, scale }))
    expect(imageSize(sim, urls?.[0] as string)).toEqual(size)
  })

  it('up to 4096 pixels a side, and no further', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const widened = ({ id: jobId }: Job): Promise<Job> =>
      bodyOf(post(sim, path, { jobId, imageNo: 0, direction: 1, scale: 3 }))
    const { urls } = await widened(await widened(await created(sim, 'a cat --ar 16:1')))
    expect(imageSize(sim, urls?.[0] as string)).toEqual([4096, 64])
  })
})
