/** What timelines take away and give back, what polls bring about, and results in one dialect. */
import { describe, expect, it } from 'vitest'
import { ScenarioError } from '../../../src/index.ts'
import { simulator } from '../../_setup.ts'
import { under } from '../_gateway.ts'

const made = {
  'videos.create': ['/v1/videos', { model: 'sora-2', prompt: 'a fox' }, ({ id }: any) => `/v1/videos/${id}`],
  'imageJobs.create': [
    '/v1/tob/diffusion',
    { model: 'image-job-v7', text: 'a fox' },
    ({ id }: any) => `/v1/tob/job/${id}`,
  ],
  'videoOperations.submit': [
    '/v1beta/models/veo-3:predictLongRunning',
    { instances: [{ prompt: 'a fox' }] },
    ({ name }: any) => `/v1beta/${name}`,
  ],
} as const
type Submits = keyof typeof made

async function submitted(operation: Submits, timeline: readonly object[], more: object = {}) {
  const { clock = 'manual', ...then } = more as { clock?: string }
  const { sim, call } = under([{ when: { operation }, then: { timeline, ...then } }], {}, { clock } as object)
  const [path, body, address] = made[operation]
  const first = await call('POST', path, body)
  const poll = () => call('GET', address(first.body))
  return { sim, call, first, poll, id: (first.body.id ?? first.body.name.slice(-36)) as string }
}

describe('unset', () => {
  it.each(Object.keys(made) as Submits[])('of %s accepts names inherited from Object', async (operation) => {
    const unset = ['constructor', 'toString']
    const { poll } = await submitted(operation, [{ at: 0 }, { at: 0, unset }], { offContract: true })
    const { poll: plain } = await submitted(operation, [{ at: 0 }])
    expect(Object.keys((await poll()).body)).toEqual(Object.keys((await plain()).body))
  })

  it('removes a field from a given time, and `reset` restores it', async () => {
    const { sim, poll } = await submitted('videos.create', [
      { at: 0, status: 'in_progress', progress: 40 },
      { at: '1s', unset: ['progress', 'seconds'] },
      { at: '2s', reset: ['seconds'] },
      { at: '3s', progress: 60 },
    ])
    const fields = async () => {
      const { body } = await poll()
      return [body.progress, 'progress' in body, body.seconds]
    }
    expect(await fields()).toEqual([40, true, '4'])
    sim.clock.advance('1s')
    expect(await fields()).toEqual([undefined, false, undefined])
    sim.clock.advance('1s')
    expect(await fields()).toEqual([undefined, false, '4'])
    sim.clock.advance('1s')
    expect(await fields()).toEqual([60, true, '4'])
  })

  it('does not change the lifecycle: a hidden status still ends the job', async () => {
    const { poll, call, id, first } = await submitted(
      'videos.create',
      [{ at: 0, status: 'completed', unset: ['status'] }],
      { offContract: true },
    )
    expect(first.body).not.toHaveProperty('status')
    expect((await poll()).body).not.toHaveProperty('status')
    expect((await call('GET', `/v1/videos/${id}/content`)).status).toBe(200)
    expect((await call('GET', '/v1/videos')).body.data[0]).not.toHaveProperty('status')
  })

  it.each([
    ['imageJobs.create', ['cost', 'audits', 'seed'], (body: any) => body],
    ['videoOperations.submit', ['progressPercent'], (body: any) => body.metadata],
    ['videoOperations.submit', ['metadata', 'response'], (body: any) => body],
    ['videos.create', ['error', 'completed_at'], (body: any) => body],
  ] as const)('works in %s for %j', async (operation, unset, holder) => {
    const status =
      operation === 'imageJobs.create'
        ? 'succeeded'
        : operation === 'videos.create'
          ? 'completed'
          : 'SUCCEEDED'
    const { poll } = await submitted(operation, [{ at: 0, status, unset }])
    const { status: code, body } = await poll()
    expect(code).toBe(200)
    for (const name of unset) expect(holder(body)).not.toHaveProperty(name)
  })
})

describe('poll', () => {
  it('an entry applies from its poll, however much time has passed', async () => {
    const { sim, poll, first } = await submitted('videos.create', [
      { at: 0, status: 'pending' },
      { poll: 2, status: 'in_progress', progress: 10 },
      { poll: 4, status: 'completed' },
    ])
    expect(first.body.status).toBe('pending')
    sim.clock.advance('1h')
    const seen: string[] = []
    for (let n = 0; n < 5; n++) seen.push((await poll()).body.status)
    expect(seen).toEqual(['pending', 'in_progress', 'in_progress', 'completed', 'completed'])
  })

  it('polls start ramps, remove fields, and make the job disappear and return', async () => {
    const { sim, poll } = await submitted('videos.create', [
      { at: 0, status: 'in_progress' },
      { poll: 1, progress: { from: 0, to: 90, over: '10s' } },
      { poll: 3, unset: ['progress'] },
      { poll: 4, notFound: true },
      { poll: 6, notFound: false, reset: ['progress'] },
    ])
    const seen: unknown[] = []
    for (let n = 0; n < 6; n++) {
      const { status, body } = await poll()
      seen.push(status === 200 ? (body.progress ?? 'none') : status)
      sim.clock.advance('5s')
    }
    expect(seen).toEqual([0, 45, 'none', 404, 404, 0])
  })

  it('counts each job separately', async () => {
    const { poll } = await submitted('videoOperations.submit', [
      { at: 0, status: 'RUNNING' },
      { poll: 2, error: { code: 'CANCELLED' } },
    ])
    expect((await poll()).body.done).toBe(false)
    expect((await poll()).body.error.code).toBe(1)
  })

  it('in `auto` time advances as usual: a poll that would see no change advances the job', async () => {
    const { poll } = await submitted(
      'imageJobs.create',
      [
        { at: 0, status: 'waiting' },
        { at: '9s', status: 'running' },
        { poll: 3, status: 'failed' },
      ],
      { clock: 'auto' },
    )
    const seen: number[] = []
    for (let n = 0; n < 3; n++) seen.push((await poll()).body.status)
    expect(seen).toEqual([0, 1, 3])
  })

  it('later entries count: the job has not ended, and `finish` applies them', async () => {
    const { sim, poll, id } = await submitted('videos.create', [
      { at: 0, status: 'pending' },
      { poll: 9, status: 'completed' },
    ])
    expect(sim.jobs.get(id)).toMatchObject({ finished: false, next: null })
    sim.jobs.change(id, { finished: true })
    expect((await poll()).body.status).toBe('completed')
    expect(sim.jobs.get(id).finished).toBe(true)
  })

  it('rejects an entry with a number below 1', () => {
    const timeline = [{ poll: 0 }]
    const rules = [{ when: { operation: 'videos.create' }, then: { timeline } }]
    expect(() => simulator({ scenarios: [{ title: 'x', rules } as never] })).toThrow(ScenarioError)
  })
})

describe('the result of an operation', () => {
  const succeeded = (fields: object) =>
    submitted('videoOperations.submit', [{ at: 0, status: 'SUCCEEDED', ...fields }])

  it('can be empty, without videos, or missing', async () => {
    expect((await (await succeeded({ response: {} })).poll()).body.response).toEqual({})
    expect(
      (await (await succeeded({ response: { generatedVideos: [] } })).poll()).body.response.generatedVideos,
    ).toEqual([])
    const { done, ...rest } = (await (await succeeded({ unset: ['response'] })).poll()).body
    expect([done, 'response' in rest]).toEqual([true, false])
  })
})

describe('an external state change', () => {
  it('removes a job and restores it', async () => {
    const { sim, poll, id } = await submitted('videos.create', [
      { at: 0, status: 'in_progress', progress: 40 },
    ])
    sim.jobs.change(id, { notFound: true })
    expect((await poll()).status).toBe(404)
    expect(sim.jobs.change(id, { notFound: false }).notFound).toBe(false)
    expect((await poll()).status).toBe(200)
  })
})
