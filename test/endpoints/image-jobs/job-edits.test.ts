/** imageJobs.pan and imageJobs.variation: edits of an image of an earlier job. */
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { described, seenFrom } from '../_described.ts'
import {
  asKey,
  bodyOf,
  created,
  ended,
  imageSize,
  imgUrl,
  type Job,
  polled,
  runningJob,
  unsuitable,
} from './_jobs.ts'

type Rest = Readonly<Record<string, unknown>>
type Sim = ReturnType<typeof simulator>

const edits: readonly (readonly ['pan' | 'variation', Rest])[] = [
  ['pan', { direction: 3, scale: 3 }],
  ['variation', { type: 1 }],
]

describe.each(edits)('imageJobs.%s rejects', (name, rest) => {
  const path = `/v1/tob/${name}`
  const body = (jobId: unknown, imageNo: unknown = 0): Rest => ({ jobId, imageNo, ...rest })
  const rejectedFor = (sim: Sim, sent: Rest, at = path) => bodyOf(post(sim, at, sent), 400)
  const accepts = async (sim: Sim, sent: Rest): Promise<void> =>
    expect(await bodyOf(post(sim, path, sent))).toMatchObject({ status: 1 })

  it('a source job that this session does not have (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await ended(sim)
    for (const [at, session, job] of [
      ['', 'default', 'nothing'],
      ['/s/blue', 'blue', id],
    ] as const)
      expect(await rejectedFor(sim, body(job), at + path)).toEqual(
        unsuitable(
          'jobId',
          `Unknown image job \`${job}\` in the session "${session}": ` +
            'expected the `id` from a submission response',
        ),
      )
  })

  it('a source job of another API key (400, code 2004), whoever the key may be', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat', 'sk-alice')
    const sentence =
      `This API key has no image job \`${id}\` in the session "default": ` +
      'use the API key that submitted it'
    expect(await rejectedFor(sim, body(id))).toEqual(unsuitable('jobId', sentence))
    expect(await bodyOf(post(sim, path, body(id), asKey('sk-alice')))).toMatchObject({ status: 1 })
  })

  it('a source job until it has succeeded (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await created(sim)
    sim.clock.advance(39_999)
    const sentence = `The image job ${id} has no images: expected status 2 (succeeded), got 1 (JobStatusRunning)`
    expect(await rejectedFor(sim, body(id))).toEqual(unsuitable('jobId', sentence))
    sim.clock.advance(1)
    await accepts(sim, body(id))
  })

  it.each([
    ['has failed', 'a cat [sim:fail-at-50]', 'expected status 2 (succeeded), got 3 (JobStatusFail)'],
    ['is gone', 'a cat [sim:not-found-at-100]', 'no longer exists'],
  ])('a source job that %s (400, code 2004)', async (_, text, words) => {
    const sim = simulator()
    const { id } = await created(sim, text)
    sim.clock.advance('40s')
    expect(await rejectedFor(sim, body(id))).toMatchObject({
      error: { code: 2004, param: 'jobId', message: expect.stringContaining(words) as string },
    })
  })

  it('an image that the source job does not have (400, code 2004)', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const { id } = await bodyOf(post(sim, '/v1/tob/remove-background', { model: 'v7', imgUrl }))
    expect(await rejectedFor(sim, body(id, 1))).toEqual(
      unsuitable('imageNo', `Expected a number below 1 (the images of the image job ${id}), got 1`),
    )
    expect(await bodyOf(post(sim, path, body(id, 0)))).toMatchObject({ status: 2 })
  })

  it('an image that the audit has blocked (400, code 2004)', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat [sim:blocked-3]')
    const sentence = `Image 3 of the image job ${id} did not pass moderation (blocked by the image audit)`
    expect(await rejectedFor(sim, body(id, 3))).toEqual(unsuitable('imageNo', sentence))
    await accepts(sim, body(id, 2))
  })

  it('a source job whose model does not support it (400, code 2004)', async () => {
    const operations = { 'v8.1': ['retexture' as const, 'uploadPaint' as const, 'removeBackground' as const] }
    const sim = simulator({ settings: { imageJobs: { edits: operations } } })
    const { id } = await ended(sim, 'a cat', 'sk-test', 'v8.1')
    const sentence =
      `the model v8.1 does not support ${name}: it supports retexture, upload-paint, remove-background ` +
      '(setting imageJobs.edits)'
    expect(await rejectedFor(sim, body(id))).toEqual(unsuitable('jobId', sentence))
  })
})

describe.each(edits)('imageJobs.%s answers', (name, rest) => {
  const edited = (sim: Sim, jobId: string, more: Rest = {}): Promise<Job> =>
    bodyOf(post(sim, `/v1/tob/${name}`, { jobId, imageNo: 0, ...rest, ...more }))

  it('with a running job of the same text, and a new id', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat')
    const job = await edited(sim, id, { imageNo: 3 })
    expect(job).toEqual({ ...runningJob('a cat'), id: expect.not.stringContaining(id) })
  })

  it('with the new text when there is one, tolerating a model and other fields', async () => {
    const sim = simulator()
    const { id } = await ended(sim, 'a cat')
    expect(await edited(sim, id, { remixPrompt: 'a hat', model: 'v1', foo: 1 })).toMatchObject({
      text: 'a hat',
      status: 1,
    })
  })

  it('from an edited job as from a first one, with the model of the first', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished', edits: { v7: [name] } } } })
    const { id } = await created(sim)
    const first = await edited(sim, id)
    expect(await edited(sim, first.id)).toMatchObject({ status: 2, text: 'a cat' })
  })
})

describe('imageJobs.pan unfolds', () => {
  const path = '/v1/tob/pan'

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
})

describe('imageJobs.variation unfolds', () => {
  const path = '/v1/tob/variation'

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
