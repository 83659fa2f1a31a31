/**
 * Timelines of image jobs, as a client polls through them, and what the rest of the API makes of scripted
 * states.
 */
import { describe, expect, it } from 'vitest'
import { get, post } from '../../_setup.ts'
import { imageJobs, scripted, submitted, unfolding } from './_scripted.ts'

const running = { status: 1, comment: 'JobStatusRunning', urls: [], audits: [] }

describe('a timeline of an image job', () => {
  it('shows every field of the job at its time, and derives the rest from the status', async () => {
    const url = 'https://example.com/1.png'
    const timeline = [
      { at: '0s', status: 'waiting' },
      { at: '1s', status: 'running', cost: { fastCost: 1 } },
      {
        at: '2s',
        cost: { feeCost: 70, fastCost: 0.7, relaxCost: 0.1, costAt: '2026-01-01T00:00:02Z', jobId: 'other' },
        comment: 'half-way',
        text: 'a better cat',
        seed: 5,
      },
      { at: '3s', status: 'succeeded', urls: [url], audits: [''], reset: ['comment', 'text'] },
      { at: '4s', urls: null, cost: null },
    ]
    const { first, at } = await unfolding(imageJobs, { timeline })
    const { id, seed } = first
    expect(first).toEqual({
      id,
      text: 'a cat',
      status: 0,
      urls: [],
      comment: 'JobStatusQueued',
      cost: null,
      audits: [],
      seed,
    })
    expect(await at(1000)).toEqual({
      id,
      text: 'a cat',
      seed,
      ...running,
      cost: { jobId: id, feeCost: null, fastCost: 1, relaxCost: 0, costAt: '2026-01-01T00:00:01.000Z' },
    })
    expect(await at(2999)).toEqual({
      id,
      text: 'a better cat',
      seed: 5,
      ...running,
      comment: 'half-way',
      cost: { jobId: 'other', feeCost: 70, fastCost: 0.7, relaxCost: 0.1, costAt: '2026-01-01T00:00:02Z' },
    })
    expect(await at(3000)).toMatchObject({
      text: 'a cat',
      seed: 5,
      status: 2,
      comment: 'JobStatusSuccess',
      urls: [url],
      audits: [''],
      cost: { jobId: 'other' },
    })
    expect(await at(4000)).toMatchObject({ status: 2, urls: null, cost: null, audits: [''] })
  })

  it('can continue after a final state', async () => {
    const { at } = await unfolding(imageJobs, {
      timeline: [
        { at: 0, status: 'failed', comment: 'JobStatusFail' },
        { at: '5s', status: 'running', reset: ['comment'] },
        { at: '9s', status: 'succeeded' },
      ],
    })
    expect(
      [await at(0), await at(5000), await at(9000)].map(({ status, comment }) => [status, comment]),
    ).toEqual([
      [3, 'JobStatusFail'],
      [1, 'JobStatusRunning'],
      [2, 'JobStatusSuccess'],
    ])
  })

  it('removes the job, and can restore it', async () => {
    const { first, at } = await unfolding(imageJobs, {
      timeline: [
        { at: 0, status: 'running' },
        { at: '5s', notFound: true },
        { at: '9s', status: 'succeeded' },
      ],
    })
    expect(await at(5000)).toEqual({
      gone: 404,
      message:
        `The image job "${first.id}" no longer exists: a scenario or an override removed it from ` +
        `the session "default".`,
    })
    expect(await at(9000)).toMatchObject({ status: 2 })
  })

  it.each([
    ['a status by its number', [{ at: 0, status: 3 }], 3],
    ['a status by its name', [{ at: 0, status: 'failed' }], 3],
    ['no status, which is running', [{ at: 0, comment: 'x' }], 1],
    ['nothing yet', [{ at: '1h', status: 'succeeded' }], 1],
  ])('can contain %s', async (_, timeline, status) => {
    expect((await unfolding(imageJobs, { timeline })).first.status).toBe(status)
  })

  it('advances entry by entry in `auto`, the submission first', async () => {
    const timeline = [
      { at: 0, status: 'waiting' },
      { at: '1s', status: 'running' },
      { at: '2s', cost: { fastCost: 1 } },
      { at: '3s', status: 'waiting', cost: null },
      { at: '1d', status: 'failed', comment: 'JobStatusTimeout' },
      { at: '2d', notFound: true },
    ]
    const { first, poll } = await unfolding(imageJobs, { timeline }, { clock: 'auto' })
    const seen = [first]
    for (let n = 0; n < 7; n++) seen.push(await poll())
    expect(seen.map(({ status, cost, comment, gone }) => gone ?? [status, cost?.fastCost, comment])).toEqual([
      [0, undefined, 'JobStatusQueued'],
      [0, undefined, 'JobStatusQueued'],
      [1, undefined, 'JobStatusRunning'],
      [1, 1, 'JobStatusRunning'],
      [0, undefined, 'JobStatusQueued'],
      [3, undefined, 'JobStatusTimeout'],
      404,
      404,
    ])
  })

  it('follows the wall clock in `real`', async () => {
    let wall = 0
    const sim = scripted(
      'imageJobs.create',
      {
        timeline: [
          { at: 0, status: 'waiting' },
          { at: '10s', status: 'succeeded' },
        ],
      },
      { clock: 'real', speed: 10, wallClock: () => wall },
    )
    const { first, poll } = await submitted(sim, imageJobs)
    wall = 999
    expect([first.status, (await poll()).status]).toEqual([0, 0])
    wall = 1000
    expect((await poll()).status).toBe(2)
    await sim.close()
  })
})

describe('a timeline that breaks the contract', () => {
  it('is shown as written', async () => {
    const timeline = [
      { at: 0, status: 7, urls: ['not an address', 5], audits: 'none', seed: 'x', cost: [] },
      { at: '1s', status: 'exploded', comment: null, urls: {} },
    ]
    const { first, at } = await unfolding(imageJobs, { timeline, offContract: true })
    expect(first).toMatchObject({
      status: 7,
      comment: 'JobStatusUnknown',
      urls: ['not an address', 5],
      audits: 'none',
      seed: 'x',
      cost: [],
    })
    expect(await at(1000)).toMatchObject({ status: 'exploded', comment: null, urls: {} })
  })

  it('does not break follow-up requests or counts', async () => {
    const sim = scripted(
      'imageJobs.create',
      {
        timeline: [
          { at: 0, status: 2, urls: 5, audits: null },
          { at: '1s', status: 7 },
        ],
        offContract: true,
      },
      { settings: { limits: { activeImageJobs: 1 } } },
    )
    const { first, at } = await submitted(sim, imageJobs)
    expect(
      (await post(sim, '/v1/tob/variation', { jobId: first.id, imageNo: 0, type: 0 })).status,
    ).toBeLessThan(500)
    await at(1000)
    expect((await post(sim, '/v1/tob/variation', { jobId: first.id, imageNo: 0, type: 0 })).status).toBe(400)
    expect((await get(sim, `/media/image-jobs/${first.id}/0.png`)).status).toBe(404)
  })

  it.each([
    ['an unknown status', { status: 7 }, /status.*(?:0|waiting)/s],
    ['an unknown field', { progress: 3 }, /progress: is not a field of imageJobs/],
    ['a fractional price', { cost: { feeCost: 0.5 } }, /feeCost/],
    ['a ramp of a field that cannot ramp', { seed: { from: 1, to: 2, over: '1s' } }, /seed/],
  ])('without `offContract` is rejected at load: %s', (_, entry, expected) => {
    expect(() => scripted('imageJobs.create', { timeline: [{ at: 0, ...entry }] })).toThrow(expected)
  })
})

describe('a job with a scripted state', () => {
  const varied = async (timeline: object[], at = 0): Promise<[number, string]> => {
    const sim = scripted('imageJobs.create', { timeline })
    const job = await submitted(sim, imageJobs)
    await job.at(at)
    const response = await post(sim, '/v1/tob/variation', { jobId: job.first.id, imageNo: 1, type: 0 })
    return [response.status, ((await response.json()) as any).error?.message ?? '']
  }

  it.each([
    [
      'has failed',
      [{ at: 0, status: 'failed', comment: 'JobStatusReject' }],
      'failed (status 3, JobStatusReject)',
    ],
    [
      'is running again',
      [
        { at: 0, status: 'succeeded' },
        { at: 0, status: 'running' },
      ],
      'has not finished yet (status 1)',
    ],
    ['is gone', [{ at: 0, notFound: true }], 'no longer exists'],
    [
      'has one image',
      [{ at: 0, status: 'succeeded', urls: ['https://example.com/1.png'] }],
      'expected 0 (the source job has 1 image), got 1',
    ],
    ['has no images', [{ at: 0, status: 'succeeded', urls: null }], 'this source job has none'],
    [
      'has that image blocked',
      [{ at: 0, status: 'succeeded', audits: ['', 'nudity', '', ''] }],
      'got image 1 of the source job (nudity)',
    ],
  ])('cannot be varied while it %s', async (_, timeline, expected) => {
    expect(await varied(timeline)).toEqual([400, expect.stringContaining(expected)])
  })

  it('can be varied once it has succeeded', async () => {
    expect(
      (
        await varied(
          [
            { at: 0, status: 'failed' },
            { at: '1s', status: 'succeeded' },
          ],
          1000,
        )
      )[0],
    ).toBe(200)
  })

  it('makes a blocked image unreadable', async () => {
    const { sim, first } = await unfolding(imageJobs, {
      timeline: [{ at: 0, status: 'succeeded', audits: ['', 'nudity'] }],
    })
    expect(
      await Promise.all(first.urls.slice(0, 2).map(async (url: string) => (await sim.fetch(url)).status)),
    ).toEqual([200, 404])
  })

  it('counts as active until it ends, and again when it continues', async () => {
    const timeline = [
      { at: 0, status: 'running' },
      { at: '5s', status: 'failed' },
      { at: '9s', status: 'running' },
    ]
    const sim = scripted('imageJobs.create', { timeline }, { settings: { limits: { activeImageJobs: 1 } } })
    const statusOf = async (): Promise<[number, string | null]> => {
      const response = await post(sim, '/v1/tob/retexture', {
        model: 'v7',
        imgUrl: 'https://example.com/a.png',
        remixPrompt: 'x',
      })
      if (response.status === 200) sim.clock.advance('40s')
      return [response.status, response.headers.get('retry-after')]
    }
    await submitted(sim, imageJobs)
    expect(await statusOf()).toEqual([429, '5'])
    sim.clock.advance('9s')
    expect(await statusOf()).toEqual([429, null])
  })

  it('stops counting when it disappears', async () => {
    const sim = scripted(
      'imageJobs.create',
      {
        timeline: [
          { at: 0, status: 'running' },
          { at: '5s', notFound: true },
        ],
      },
      { settings: { limits: { activeImageJobs: 1 } } },
    )
    await submitted(sim, imageJobs)
    sim.clock.advance('5s')
    expect((await imageJobs.submit(sim)).status).toBe(200)
  })

  it('counts forever when it is stuck', async () => {
    const sim = scripted(
      'imageJobs.create',
      { job: 'stuck' },
      { settings: { limits: { activeImageJobs: 1 } } },
    )
    await submitted(sim, imageJobs)
    sim.clock.advance('30d')
    const rejected = await imageJobs.submit(sim)
    expect([
      rejected.status,
      rejected.headers.get('retry-after'),
      ((await rejected.json()) as any).error.message,
    ]).toEqual([429, null, expect.stringContaining('No timeline finishes these jobs')])
  })
})
