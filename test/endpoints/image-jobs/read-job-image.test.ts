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

  it('a job that has not succeeded (404)', async () => {
    const sim = simulator()
    const running = await created(sim)
    expect(await bodyOf(sim.fetch(address(running.id, '0.png')), 404)).toEqual(
      missing(
        `The image job ${running.id} has no images: expected status 2 (succeeded), got 1 ` +
          `(JobStatusRunning).`,
      ),
    )
    const failed = await created(sim, 'a cat [sim:fail-at-0]')
    expect(await bodyOf(sim.fetch(address(failed.id, '0.png')), 404)).toEqual(
      missing(
        `The image job ${failed.id} has no images: expected status 2 (succeeded), got 3 ` +
          '(JobStatusFail).',
      ),
    )
  })

  it.each(['4.png', '0', '00.png', '-1.png', '0.jpg', '1e0.png'])(
    'image %s of a job that has 0.png to 3.png (404)',
    async (image) => {
      const sim = simulator()
      const { id } = await ended(sim)
      expect(await bodyOf(sim.fetch(address(id, image)), 404)).toEqual(
        missing(`The image job ${id} has no image "${image}": expected 0.png to 3.png.`, 'image'),
      )
    },
  )

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

  it('with the same bytes every time', async () => {
    const sim = simulator()
    const { urls } = await ended(sim)
    const [first, again] = [await sim.fetch(urls?.[0] as string), await sim.fetch(urls?.[0] as string)]
    expect(Buffer.from(await again.arrayBuffer()).equals(Buffer.from(await first.arrayBuffer()))).toBe(true)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  })
})

describe('imageJobs.readImage unfolds', () => {
  it('with its job: an image of a vanished job is gone', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const { id, urls } = await created(sim, 'a cat [sim:not-found-at-100]')
    expect((await sim.fetch(urls?.[0] as string)).status).toBe(200)
    sim.clock.advance('40s')
    expect(await bodyOf(sim.fetch(urls?.[0] as string), 404)).toEqual(
      missing(
        `The image job \`${id}\` no longer exists: a scenario or an override removed it from the session ` +
          `"default".`,
      ),
    )
  })
})
