import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { some } from '../_counts.ts'
import { get, jsonCall, post } from '../_setup.ts'
import { prepare } from './_examples.ts'
import { times } from './_inputs.ts'
import { judged, stillAnswers, target } from './_judge.ts'

const advance = (sim: Simulator, body: string): Promise<Response> =>
  sim.fetch('http://gateway.test/__sim/clock/advance', { ...jsonCall({}), body })

describe.each(['manual', 'auto', 'real'] as const)('moving a %s clock', (clock) => {
  it.each(['by', 'to'])('by odd values of `%s` is done or rejected', async (field) => {
    for (const value of some(times)) {
      const sim = target({ clock })
      await prepare(sim)
      await judged(await advance(sim, `{"${field}":${value}}`), `${field}: ${value.slice(0, 60)}`)
      await judged(await get(sim, '/__sim/clock'), `the clock after ${field}: ${value.slice(0, 60)}`)
      await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
    }
  })

  it('to the end of time leaves a simulator that works', async () => {
    const sim = target({ clock })
    const { jobId: job, video_id: video } = await prepare(sim)
    const { text } = await judged(await advance(sim, '{"to":"9999-12-31T00:00:00Z"}'), 'beyond the end')
    const end = /beyond (\S+),/.exec(text)?.[1]
    expect((await judged(await advance(sim, JSON.stringify({ to: end })), 'the end')).status).toBe(200)
    expect((await judged(await advance(sim, '{"by":"1d"}'), 'after the end')).status).toBe(400)
    const ofThings = [
      `/v1/tob/job/${job}`,
      `/v1/videos/${video}`,
      '/v1/videos',
      `/media/image-jobs/${job}/0.png`,
    ]
    for (const path of ['/__sim/clock', '/__sim/journal', '/__sim/health', ...ofThings])
      await judged(await get(sim, path), path)
    for (const [path, body] of [
      ['/v1/videos', { prompt: 'a' }],
      ['/v1/tob/diffusion', { model: 'sim-finished', text: 'a' }],
      ['/v1/tob/diffusion', { model: 'm', text: 'a' }],
    ] as const)
      await judged(await post(sim, path, body), path)
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })
})
