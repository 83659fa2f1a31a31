import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { rejectsModelsWithout, rejectsWhatIsWrongWithItsImage } from './_image-url.ts'
import { bodyOf, imageSize, imgUrl, polled, runningJob } from './_jobs.ts'

const path = '/v1/tob/retexture'
const body = { model: 'v7', imgUrl, remixPrompt: 'in blue --ar 2:1' }

describe('imageJobs.retexture rejects', () => {
  rejectsWhatIsWrongWithItsImage(path, body)
  rejectsModelsWithout('retexture', 'retexture', path, body)
})

describe('imageJobs.retexture answers', () => {
  it('with a running job, whatever else is sent', async () => {
    expect(await bodyOf(post(simulator(), path, { ...body, strength: 1 }))).toEqual(
      runningJob('in blue --ar 2:1'),
    )
  })
})

describe('imageJobs.retexture unfolds', () => {
  it('into four images of the shape that the prompt asks for', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, path, body))
    sim.clock.advance('40s')
    const { status, urls } = await polled(sim, id)
    expect([status, urls?.length]).toEqual([2, 4])
    expect(imageSize(sim, urls?.[0] as string)).toEqual([1024, 512])
  })
})
