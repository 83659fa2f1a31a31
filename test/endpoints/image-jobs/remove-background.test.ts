import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { rejectsModelsWithout, rejectsWhatIsWrongWithItsImage } from './_image-url.ts'
import { bodyOf, imgUrl, polled, runningJob } from './_jobs.ts'

const path = '/v1/tob/remove-background'
const body = { model: 'v7', imgUrl }

describe('imageJobs.removeBackground rejects', () => {
  rejectsWhatIsWrongWithItsImage(path, body)
  rejectsModelsWithout('removeBackground', 'remove-background', path, body)
})

describe('imageJobs.removeBackground answers', () => {
  it('with a running job that has no text', async () => {
    expect(await bodyOf(post(simulator(), path, body))).toEqual(runningJob())
  })
})

describe('imageJobs.removeBackground unfolds', () => {
  it('into one image with transparency', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, path, body))
    sim.clock.advance('40s')
    const job = await polled(sim, id)
    expect(job).toMatchObject({
      status: 2,
      urls: [`http://gateway.test/media/image-jobs/${id}/0.png`],
      audits: [''],
    })
    const bytes = new Uint8Array(await (await sim.fetch(job.urls?.[0] as string)).arrayBuffer())
    const colourType = bytes[25]
    expect(colourType).toBe(6)
  })

  it('into a rejected job when the audit blocks its only image', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, path, { ...body, model: 'sim-blocked-0' }))
    sim.clock.advance('40s')
    expect(await polled(sim, id)).toMatchObject({
      status: 3,
      comment: 'JobStatusReject',
      urls: [],
      audits: [],
      cost: { feeCost: 0 },
    })
  })
})
