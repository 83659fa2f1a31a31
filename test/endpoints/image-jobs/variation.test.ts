import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { described, seenFrom } from '../_described.ts'
import { bodyOf, created, ended, imageSize, polled } from './_jobs.ts'
import { inheritsFromItsSource, rejectsUnsuitableSources } from './_source-job.ts'

const path = '/v1/tob/variation'

describe('imageJobs.variation rejects', () => {
  rejectsUnsuitableSources('variation', { type: 0 })
})

describe('imageJobs.variation answers', () => {
  inheritsFromItsSource('variation', { type: 1 })
})

describe('imageJobs.variation unfolds', () => {
  it.each([
    ['as large as the source', undefined, [1024, 576]],
    ['as large as the new prompt asks for', 'a hat --ar 1:2', [512, 1024]],
  ])('into images %s', async (_, remixPrompt, size) => {
    const sim = simulator()
    const source = await ended(sim, 'a cat --ar 16:9')
    const { id } = await bodyOf(post(sim, path, { jobId: source.id, imageNo: 0, type: 0, remixPrompt }))
    sim.clock.advance('40s')
    const { status, urls } = await polled(sim, id)
    expect([status, urls?.length]).toEqual([2, 4])
    expect(imageSize(sim, urls?.[0] as string)).toEqual(size)
  })

  it('into other images for the strong kind than for the subtle one', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const source = await created(sim)
    const image = async (type: number): Promise<string> => {
      const { urls } = await bodyOf(post(sim, path, { jobId: source.id, imageNo: 0, type }))
      return seenFrom(described(sim, urls?.[0] as string))
    }
    expect(await image(0)).not.toBe(await image(1))
  })
})
