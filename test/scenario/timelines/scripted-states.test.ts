/** What follows from scripted states of jobs and cannot be seen in their transcripts. */
import { describe, expect, it } from 'vitest'
import { post } from '../../_setup.ts'
import { imageJobs, scripted, submitted, unfolding, videos } from './_scripted.ts'

describe('an image job', () => {
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
})

describe('a video', () => {
  it('has its stated size and length, also in its remixes', async () => {
    const timeline = [{ at: 0, status: 'completed', size: '1792x1024', seconds: '12' }]
    const sim = scripted('videos.create', { timeline })
    const { id } = (await submitted(sim, videos)).first
    expect((await (await post(sim, `/v1/videos/${id}/remix`, { prompt: 'x' })).json()) as any).toMatchObject({
      size: '1792x1024',
      seconds: '12',
    })
  })
})
