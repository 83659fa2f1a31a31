import { describe, expect, it } from 'vitest'
import { simulator } from '../../_setup.ts'
import { about, bodyOf, created, ended } from './_jobs.ts'

const address = (id: string, image: string): string => `http://gateway.test/media/image-jobs/${id}/${image}`

/** The rejection to show an image. */
const missing = (message: string, param = 'jobId'): unknown => about('not_found_error', 404, param, message)

describe('imageJobs.readImage rejects', () => {
  it('a job that does not exist (404)', async () => {
    expect(await bodyOf(simulator().fetch(address('nothing', '0.png')), 404)).toEqual(
      missing(
        `Unknown image job \`nothing\` in the session "default": ` +
          'expected the `id` from a submission response.',
      ),
    )
  })

  it('an image that the audit has blocked (404)', async () => {
    const sim = simulator()
    const { id, urls } = await ended(sim, 'a cat [sim:blocked-1]')
    expect(await bodyOf(sim.fetch(urls?.[1] as string), 404)).toEqual(
      missing(
        `Image 1 of the image job ${id} did not pass moderation (blocked by the image audit).`,
        'image',
      ),
    )
    expect((await sim.fetch(urls?.[0] as string)).status).toBe(200)
  })
})

describe('imageJobs.readImage answers', () => {
  it('with a PNG and without a key', async () => {
    const sim = simulator()
    const { urls } = await ended(sim)
    const response = await sim.fetch(urls?.[3] as string)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
    const bytes = new DataView(await response.arrayBuffer())
    expect([bytes.getUint32(0), bytes.getUint32(16), bytes.getUint32(20)]).toEqual([0x89504e47, 1024, 1024])
  })
})

it('imageJobs.readImage ends with its job: an image of a vanished job is gone', async () => {
  const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
  const { urls } = await created(sim, 'a cat [sim:not-found-at-100]')
  expect((await sim.fetch(urls?.[0] as string)).status).toBe(200)
  sim.clock.advance('40s')
  expect((await sim.fetch(urls?.[0] as string)).status).toBe(404)
})
