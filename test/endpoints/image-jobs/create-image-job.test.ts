import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { bodyOf, created, imageSize, polled, tooManyActive, unsuitable } from './_jobs.ts'

const path = '/v1/tob/diffusion'

describe('imageJobs.create rejects', () => {
  const noCallback = 'is not supported: remove it and poll GET /v1/tob/job/{jobId}'
  const noPrompt = 'is required: expected a string'

  it.each([
    ['no prompt', { model: 'v7' }, 'text', noPrompt],
    ['a callback of null', { model: 'v7', text: 'a cat', callback: null }, 'callback', noCallback],
  ])('%s (400, code 2004)', async (_, body, field, sentence) => {
    expect(await bodyOf(post(simulator(), path, body), 400)).toEqual(unsuitable(field, sentence))
  })

  it('one active job more than the key may have (429, code 2007), until one has ended', async () => {
    const sim = simulator({ settings: { limits: { activeImageJobs: 2 } } })
    await created(sim, 'a first cat')
    sim.clock.advance('30s')
    await created(sim, 'a second cat')

    const rejected = await post(sim, path, { model: 'v7', text: 'a third cat' })
    expect(rejected.headers.get('retry-after')).toBe('10')
    expect(rejected.headers.get('retry-after-ms')).toBe('10000')
    expect(await bodyOf(Promise.resolve(rejected), 429)).toEqual(
      tooManyActive(2, 'The next job finishes in 10s: submit again after that'),
    )
    expect((await created(sim, 'a third cat', 'sk-other')).status).toBe(1)
    sim.clock.advance(9_999)
    expect((await post(sim, path, { model: 'v7', text: 'a third cat' })).status).toBe(429)
    sim.clock.advance(1)
    expect((await created(sim, 'a third cat')).status).toBe(1)
  })

  it('one request more than the key may send in a minute (429, code 2007)', async () => {
    const sim = simulator({ settings: { limits: { requestsPerMinute: 1 } } })
    await created(sim)
    const rejected = await post(sim, path, { model: 'v7', text: 'a dog' })
    expect(rejected.headers.get('retry-after')).toBe('60')
    expect(await bodyOf(Promise.resolve(rejected), 429)).toMatchObject({
      error: { type: 'rate_limit_error', code: 2007 },
    })
  })
})

describe('imageJobs.create answers', () => {
  it('to ten active jobs of a key unless the settings say otherwise, and not to an eleventh', async () => {
    const sim = simulator()
    for (let n = 1; n <= 10; n++) expect(await created(sim, `cat ${n}`)).toMatchObject({ status: 1 })
    expect((await post(sim, path, { model: 'v7', text: 'cat 11' })).status).toBe(429)
  })

  it('to a prompt of 8192 characters and to fields it does not know', async () => {
    const text = 'a'.repeat(8192)
    expect((await bodyOf(post(simulator(), path, { model: 'v7', text, quality: 'best' }))).text).toBe(text)
  })

  it('with the headers of its family', async () => {
    const { headers } = await post(simulator(), path, { model: 'v7', text: 'a cat' })
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]+$/)
    expect(headers.get('content-type')).toBe('application/json')
  })

  it.each([
    ['a cat --seed 7 --v 7', 7],
    ['a cat --seed 0', 0],
    ['a cat --seed 1 --seed 4294967295', 4294967295],
  ])('with the seed that the prompt asks for: %s', async (text, seed) => {
    expect((await created(simulator(), text)).seed).toBe(seed)
  })

  it('with a seed of its own when the one in the prompt is out of range', async () => {
    const { seed } = await created(simulator(), 'a cat --seed 4294967296')
    expect(seed).toBeLessThan(4294967296)
  })
})

describe('imageJobs.create unfolds, as imageJobs.retrieve shows', () => {
  it('from running over a first estimate of its cost to success', async () => {
    const sim = simulator()
    const submitted = await created(sim)
    const { id } = submitted
    sim.clock.advance(9_999)
    expect(await polled(sim, id)).toEqual(submitted)
    sim.clock.advance(1)
    expect(await polled(sim, id)).toEqual({
      ...submitted,
      cost: { jobId: id, feeCost: null, fastCost: 1, relaxCost: 0, costAt: '2026-01-01T00:00:10.000Z' },
    })
    sim.clock.advance(29_999)
    expect((await polled(sim, id)).status).toBe(1)
    sim.clock.advance(1)
    const done = await polled(sim, id)
    expect(done).toEqual({
      ...submitted,
      status: 2,
      urls: [0, 1, 2, 3].map((n) => `http://gateway.test/media/image-jobs/${id}/${n}.png`),
      comment: 'JobStatusSuccess',
      cost: {
        jobId: id,
        feeCost: expect.any(Number),
        fastCost: expect.any(Number),
        relaxCost: 0,
        costAt: '2026-01-01T00:00:40.000Z',
      },
      audits: ['', '', '', ''],
    })
    sim.clock.advance('365d')
    expect(await polled(sim, id)).toEqual(done)
  })

  it('with one image that the audit blocked', async () => {
    const sim = simulator()
    const { id } = await created(sim, 'a cat [sim:blocked-2]')
    sim.clock.advance('40s')
    const job = await polled(sim, id)
    expect(job).toMatchObject({ status: 2, audits: ['', '', 'blocked by the image audit', ''] })
    expect(job.urls).toHaveLength(4)
  })

  it.each([
    ['a cat', [1024, 1024]],
    ['a cat --ar 16:9 --v 7', [1024, 576]],
    ['a cat --aspect 2:3', [683, 1024]],
    ['a cat --ar 1:9999', [1, 1024]],
    ['a cat --ar 0:9', [1024, 1024]],
    ['a cat --ar16:9', [1024, 1024]],
  ])('into images of the shape that the prompt asks for: %s', async (text, size) => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const { urls } = await created(sim, text)
    expect(imageSize(sim, urls?.[0] as string)).toEqual(size)
  })
})
