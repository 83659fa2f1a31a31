import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { rejectsModelsWithout, rejectsWhatIsWrongWithItsImage } from './_image-url.ts'
import { bodyOf, empty, imageSize, imgUrl, polled, runningJob, tooLong, unsuitable } from './_jobs.ts'

const path = '/v1/tob/retexture'
const body = { model: 'v7', imgUrl, remixPrompt: 'in blue --ar 2:1' }

describe('imageJobs.retexture rejects', () => {
  rejectsWhatIsWrongWithItsImage(path, body)
  rejectsModelsWithout('retexture', 'retexture', path, body)

  it.each([
    ['no prompt', undefined, 'is required: expected a string'],
    ['an empty prompt', '', empty],
    ['a prompt of 8193 characters', 'a'.repeat(8193), tooLong],
  ])('%s (400, code 2004)', async (_, remixPrompt, sentence) => {
    expect(await bodyOf(post(simulator(), path, { ...body, remixPrompt }), 400)).toEqual(
      unsuitable('remixPrompt', sentence),
    )
  })
})

describe('imageJobs.retexture answers', () => {
  it('with a running job, whatever else is sent', async () => {
    expect(await bodyOf(post(simulator(), path, { ...body, strength: 1 }))).toEqual(
      runningJob('in blue --ar 2:1'),
    )
  })

  it.each([
    ['a prompt of one character', { remixPrompt: 'a' }],
    ['a prompt of 8192 characters', { remixPrompt: 'a'.repeat(8192) }],
    ['a model of one character', { model: 'v' }],
    ['an address of 1024 characters', { imgUrl: `https://example.com/${'a'.repeat(1004)}` }],
  ])('to %s', async (_, change) => {
    expect(await bodyOf(post(simulator(), path, { ...body, ...change }))).toMatchObject({ status: 1 })
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
