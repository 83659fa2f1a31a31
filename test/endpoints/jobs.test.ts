/**
 * imageJobs.retrieve, videos.retrieve and videoOperations.retrieve: what becomes of a job with time and with
 * polls, and when it is unknown. What else each of them shows is in the folders of the APIs.
 */
import { describe, expect, it } from 'vitest'
import type { Simulator, SimulatorOptions } from '../../src/index.ts'
import { bodyOf, get, post, simulator } from '../_setup.ts'

interface Kind {
  readonly name: string
  readonly setting: 'imageJobs' | 'videos' | 'videoOperations'
  readonly submit: readonly [path: string, body: (prompt: string) => object]
  /** Where a poll of what a submission answered goes. */
  poll(id: string): string
  /** A poll in a word. */
  shown(body: any): string
  /** The milliseconds that the default timeline takes. */
  readonly duration: number
  /** What is shown at some times; the last of them stays. */
  readonly course: readonly (readonly [ms: number, shown: string])[]
  readonly polls: readonly string[]
  readonly stuck: string
  /** What is shown just before and after a failure at 40%. */
  readonly failing: string
  readonly failed: object
  /** The words and the parameter of its rejections. */
  readonly noun: string
  readonly param: string
  /** Where its ids come from. */
  readonly origin: string
  readonly unknown: string
}

const publisher = 'projects/gateway-sim/locations/us-central1/publishers/google'

const imageJobs: Kind = {
  name: 'an image job',
  setting: 'imageJobs',
  submit: ['/v1/tob/diffusion', (text) => ({ model: 'v7', text })],
  poll: (id) => `/v1/tob/job/${id}`,
  shown: ({ status, cost }) => `${status}${cost === null ? '' : `, cost at ${cost.costAt.slice(14, 19)}`}`,
  duration: 40_000,
  course: [
    [0, '1'],
    [9_999, '1'],
    [10_000, '1, cost at 00:10'],
    [39_999, '1, cost at 00:10'],
    [40_000, '2, cost at 00:40'],
  ],
  polls: ['1', '1, cost at 00:10', '2, cost at 00:40'],
  stuck: '1, cost at 00:10',
  failing: '1, cost at 00:10',
  failed: {
    status: 3,
    urls: [],
    audits: [],
    comment: 'JobStatusFail',
    cost: { feeCost: 0, fastCost: 0, relaxCost: 0, costAt: '2026-01-01T00:00:16.000Z' },
  },
  noun: 'image job',
  param: 'jobId',
  origin: 'the `id` from a submission response',
  unknown: 'nothing',
}

const videos: Kind = {
  name: 'a video',
  setting: 'videos',
  submit: ['/v1/videos', (prompt) => ({ prompt })],
  poll: (id) => `/v1/videos/${id}`,
  shown: ({ status, progress }) => `${status} ${progress}`,
  duration: 60_000,
  course: [
    [0, 'pending 0'],
    [5_999, 'pending 0'],
    [6_000, 'in_progress 10'],
    [15_000, 'in_progress 25'],
    [30_000, 'in_progress 50'],
    [45_000, 'in_progress 75'],
    [59_999, 'in_progress 99'],
    [60_000, 'completed 100'],
  ],
  polls: ['pending 0', ...[10, 25, 50, 75].map((progress) => `in_progress ${progress}`), 'completed 100'],
  stuck: 'in_progress 50',
  failing: 'in_progress 39',
  failed: {
    status: 'failed',
    progress: 40,
    error: {
      code: 'video_generation_failed',
      message: 'The video could not be generated.',
      type: 'server_error',
    },
    completed_at: null,
    expires_at: null,
  },
  noun: 'video',
  param: 'video_id',
  origin: 'the `id` from a submission or remix response',
  unknown: 'video_nope',
}

const operations: Kind = {
  name: 'a video operation',
  setting: 'videoOperations',
  submit: ['/v1beta/models/veo-3.0:predictLongRunning', (prompt) => ({ instances: [{ prompt }] })],
  poll: (id) => `/v1beta/${publisher}/models/veo-3.0/operations/${id}`,
  shown: ({ done, metadata }) => `${done ? 'done, ' : ''}${metadata.state} ${metadata.progressPercent}`,
  duration: 60_000,
  course: [
    [0, 'PENDING 0'],
    [6_000, 'RUNNING 10'],
    [30_000, 'RUNNING 50'],
    [59_000, 'RUNNING 98'],
    [60_000, 'done, SUCCEEDED 100'],
  ],
  polls: ['PENDING 0', 'RUNNING 10', 'RUNNING 50', 'done, SUCCEEDED 100'],
  stuck: 'RUNNING 50',
  failing: 'RUNNING 39',
  failed: { done: true, error: { code: 13, message: 'The video could not be generated.', details: [] } },
  noun: 'operation',
  param: 'operation_id',
  origin: 'the last part of the `name` from a submission response',
  unknown: '54dba2a8-0000-4000-8000-000000000000',
}

describe.each([imageJobs, videos, operations])('$name', (kind) => {
  const { duration, shown, noun, origin } = kind
  const end = kind.polls.at(-1)?.replace(/, cost.*/, '') as string
  const [path, bodyFor] = kind.submit
  const as = (key: string) => ({ authorization: `Bearer ${key}` })
  const submit = async (sim: Simulator, prompt = 'a fox', { key = 'sk-test', prefix = '' } = {}) => {
    const { id, name } = await bodyOf(post(sim, prefix + path, bodyFor(prompt), as(key)))
    return (id ?? name.slice(-36)) as string
  }
  const polled = (sim: Simulator, id: string, { key = 'sk-test', prefix = '' } = {}) =>
    get(sim, prefix + kind.poll(id), as(key))
  const show = async (sim: Simulator, id: string) => shown(await bodyOf(polled(sim, id)))
  const lasting = (duration: string): SimulatorOptions => ({ settings: { [kind.setting]: { duration } } })
  /** Why a poll is 404. */
  const missed = async (response: Promise<Response>): Promise<string> => {
    expect((await response).status).toBe(404)
    const { error } = await bodyOf(response)
    expect(error).toMatchObject({ type: 'not_found_error', code: 404, param: kind.param })
    return error.message
  }

  it('unfolds exactly with the clock, and then stays', async () => {
    const sim = simulator()
    const id = await submit(sim)
    const seen: [number, string][] = []
    let now = 0
    for (const [ms] of kind.course) {
      sim.clock.advance(ms - now)
      now = ms
      seen.push([ms, await show(sim, id)])
    }
    expect(seen).toEqual(kind.course)
    const ended = await bodyOf(polled(sim, id))
    sim.clock.advance('1d')
    expect(await bodyOf(polled(sim, id))).toEqual(ended)
  })

  it('unfolds in `auto` by one change per poll, without touching another job or the clock', async () => {
    const sim = simulator({ clock: 'auto' })
    const [id, other] = [await submit(sim), await submit(sim, 'a wolf')]
    const seen: string[] = []
    for (let poll = 0; poll <= kind.polls.length; poll++) seen.push(await show(sim, id))
    expect(seen).toEqual([...kind.polls, kind.polls.at(-1)])
    expect(await show(sim, other)).toBe(kind.polls[0])
    expect(sim.clock.now()).toBe(Date.UTC(2026, 0, 1))
  })

  it('takes as long as the settings say, also no time at all', async () => {
    const sim = simulator(lasting('2s'))
    const id = await submit(sim)
    sim.clock.advance(1_999)
    expect(await show(sim, id)).not.toContain(end)
    sim.clock.advance(1)
    expect(await show(sim, id)).toContain(end)
    const [atOnce, asked] = [simulator(lasting('0s')), simulator()]
    expect(await show(atOnce, await submit(atOnce))).toContain(end)
    expect(await show(asked, await submit(asked, 'a fox [sim:finished]'))).toContain(end)
  })

  it('fails at its share of the way, which then stays', async () => {
    const sim = simulator()
    const id = await submit(sim, 'a fox [sim:fail-at-40]')
    sim.clock.advance(duration * 0.4 - 1)
    expect(await show(sim, id)).toBe(kind.failing)
    sim.clock.advance(1)
    const failed = await bodyOf(polled(sim, id))
    expect(failed).toMatchObject(kind.failed)
    sim.clock.advance('1d')
    expect(await bodyOf(polled(sim, id))).toEqual(failed)
  })

  it('is stuck for ever, whatever time passes and however often it is polled', async () => {
    const sim = simulator()
    const id = await submit(sim, 'a fox [sim:stuck]')
    sim.clock.advance('1000d')
    expect(await show(sim, id)).toBe(kind.stuck)
    const auto = simulator({ clock: 'auto' })
    const polledOften = await submit(auto, 'a fox [sim:stuck]')
    for (let poll = 0; poll < 20; poll++) await polled(auto, polledOften)
    expect(await show(auto, polledOften)).toBe(kind.stuck)
  })

  it('vanishes: known before, 404 from then on, by the clock or by polls', async () => {
    const sim = simulator()
    const id = await submit(sim, 'a fox [sim:not-found-at-50]')
    sim.clock.advance(duration / 2 - 1)
    expect((await polled(sim, id)).status).toBe(200)
    sim.clock.advance(1)
    expect(await missed(polled(sim, id))).toBe(
      `The ${noun} \`${id}\` no longer exists: a scenario or an override removed it from the session "default".`,
    )
    const auto = simulator({ clock: 'auto' })
    const vanishing = await submit(auto, 'a fox [sim:not-found-at-50]')
    const statuses: number[] = []
    for (let poll = 0; poll < 6; poll++) statuses.push((await polled(auto, vanishing)).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 404])
  })

  it('is unknown under an id that nobody has handed out, and says where it was looked for', async () => {
    expect(await missed(polled(simulator(), kind.unknown))).toBe(
      `Unknown ${noun} \`${kind.unknown}\` in the session "default": expected ${origin}.`,
    )
  })

  it('is unknown to another key', async () => {
    const sim = simulator()
    const id = await submit(sim, 'a fox', { key: 'sk-alice' })
    expect(await missed(polled(sim, id))).toBe(
      `This API key has no ${noun} \`${id}\` in the session "default": use the API key that submitted it.`,
    )
    expect((await polled(sim, id, { key: 'sk-alice' })).status).toBe(200)
  })

  it('is unknown in another session that is named; its id alone leads to its own', async () => {
    const sim = simulator()
    const id = await submit(sim, 'a fox', { prefix: '/s/a' })
    expect(await missed(polled(sim, id, { prefix: '/s/b' }))).toBe(
      `Unknown ${noun} \`${id}\` in the session "b": expected ${origin}. This request belongs to the session ` +
        '"b", but the id was created in another session.',
    )
    expect((await polled(sim, id)).status).toBe(200)
  })

  it('outlives older requests for as long as it is polled', async () => {
    const sim = simulator({ settings: { memory: { items: 6 } } })
    const id = await submit(sim)
    for (let poll = 0; poll < 20; poll++) expect((await polled(sim, id)).status).toBe(200)
  })

  it('may have been evicted, which its 404 says', async () => {
    const sim = simulator({ settings: { memory: { items: 4 } } })
    const id = await submit(sim)
    sim.clock.advance('1h')
    for (const prompt of ['a wolf', 'an owl']) await submit(sim, prompt)
    expect(await missed(polled(sim, id))).toMatch(/may have been evicted: this session evicted \d+ items/)
  })
})
