/** What has to go because a bound was reached is counted, warned of once, and said to whoever asks for it. */
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { bounds } from '../../src/sessions/bounds.ts'
import { bodyOf, get, post, simulator } from '../_setup.ts'

type Memory = Readonly<Record<string, number>>
const keeping = (memory: Memory, more: object = {}): ReturnType<typeof simulator> =>
  simulator({ settings: { memory, ...more } })

const countsOf = async (sim: Simulator): Promise<unknown> => (await bodyOf(get(sim, '/__sim/health'))).evicted
const video = (sim: Simulator, prompt: string): Promise<Response> =>
  post(sim, '/v1/videos', { model: 'v', prompt })
const times = async (count: number, act: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < count; index++) await act(index)
}

describe('evictions', () => {
  it('are counted by kind, per session and in total, and the first of each kind causes a warning', async () => {
    const sim = keeping({ resources: 2 })
    await times(3, (index) => video(sim, `running ${index}`))
    sim.clock.advance('1h')
    await times(2, (index) => video(sim, `later ${index}`))
    expect(sim.jobs.list().evicted).toEqual({ runningJobs: 1, finishedJobs: 2 })
    expect(await countsOf(sim)).toEqual({ runningJobs: 1, finishedJobs: 2 })
    expect(sim.warnings).toEqual([
      'evicted a running job in the session "default" (setting ' +
        'memory.resources: 2): raise the limit, or reset or dispose of sessions after use. Further evictions ' +
        'are not logged: GET /__sim/health counts them in `evicted.runningJobs`.',
      expect.stringContaining('evicted a finished job'),
    ])
  })

  it('are counted separately for each session; a reset starts at zero, the total continues', async () => {
    const sim = keeping({ resources: 1 })
    const other = sim.createSession({ name: 'other' })
    await times(3, (index) => video(sim, `${index}`))
    expect(other.jobs.list().evicted).toEqual({})
    sim.resetAll()
    expect(sim.jobs.list().evicted).toEqual({})
    expect(await countsOf(sim)).toEqual({ runningJobs: 2 })
  })

  it('are not counted or reported within all limits', async () => {
    const sim = keeping({ sessions: 3, resources: 2, journalEntries: 4 })
    await times(2, (index) => video(sim, `${index}`))
    expect([await countsOf(sim), sim.warnings]).toEqual([{}, []])
  })

  it.each<[string, number, Memory, number, (sim: Simulator, index: number) => unknown]>([
    [
      'files',
      1,
      { files: 1 },
      2,
      (sim, at) => sim.core.sessions.get('default').sandbox.uploads.set(`${at}`, {}, 1),
    ],
    ['journalEntries', 3, { journalEntries: 2 }, 5, (sim) => get(sim, '/v1/models')],
    ['requests', 2, { requests: 4 }, 5, (sim, at) => get(sim, `/v1/models/m${at}`)],
    [
      'rateLimits',
      2,
      { requests: 1 },
      3,
      (sim, at) => get(sim, '/v1/models', { authorization: `Bearer sk-${at}` }),
    ],
    ['sessions', 3, { sessions: 2 }, 5, (sim, at) => get(sim, `/s/s${at}/v1/models`)],
  ])('counts %s: %i', async (kind, count, memory, often, act) => {
    const sim = keeping(memory, kind === 'rateLimits' ? { limits: { requestsPerMinute: 5 } } : {})
    await times(often, async (index) => act(sim, index))
    expect(sim.core.evictions.counts).toMatchObject({ [kind]: count })
    const { one } = bounds[kind as keyof typeof bounds]
    expect(sim.warnings.filter((warning) => warning.startsWith(`evicted ${one}`))).toHaveLength(1)
  })

  it('of expired sessions are counted without a warning', async () => {
    let now = 0
    const sim = simulator({ wallClock: () => now })
    sim.createSession({ name: 'short', ttl: '1s' })
    now = 5000
    expect((await get(sim, '/s/short/v1/models')).status).toBe(400)
    expect([await countsOf(sim), sim.warnings]).toEqual([{ expiredSessions: 1 }, []])
  })
})

describe('a lookup of an evicted resource', () => {
  const said = async (sim: Simulator, id: string): Promise<string> =>
    await (await get(sim, `/v1/videos/${id}`)).text()
  const idOf = async (sim: Simulator): Promise<string> => (await bodyOf(video(sim, 'a fox'))).id

  it('says so, even if more were evicted than are remembered individually', async () => {
    const sim = keeping({ resources: 1 })
    const id = await idOf(sim)
    const { store } = sim.core.sessions.get('default').sandbox
    for (let index = 0; index < 20_002; index++)
      store.add({ kind: 'video', id: `${index}`, owner: 'key', bornAt: 0, facts: {}, timeline: [] })
    expect(await said(sim, id)).toContain('the id may belong to one of 10000 evicted resources')
    expect(await said(sim, 'never-made')).not.toContain('evicted')
  })

  it('says so through the control API too, for jobs and for sessions', async () => {
    const sim = keeping({ resources: 1 })
    const id = await idOf(sim)
    await video(sim, 'an owl')
    expect(await bodyOf(get(sim, `/__sim/jobs/${id}`))).toMatchObject({
      status: 404,
      detail: expect.stringContaining(`"${id}" was evicted: the session "default" keeps at most 1`) as string,
    })
    sim.createSession({ name: 'mine' }).dispose()
    expect(await bodyOf(get(sim, '/__sim/sessions/mine'))).toMatchObject({
      status: 404,
      detail: expect.stringContaining('The session "mine" no longer exists: it was disposed of') as string,
    })
    expect(await (await get(sim, '/s/__proto__/v1/models')).text()).toContain('choose another')
  })

  it('finds nothing from a removed default session: it starts again', async () => {
    const sim = simulator()
    const id = await idOf(sim)
    await sim.fetch('http://gateway.test/__sim/sessions/default', { method: 'DELETE' })
    expect(await said(sim, id)).not.toContain('disposed of')
  })

  it('says that an id is of another session, however long ago that was evicted', async () => {
    const sim = simulator()
    const id = await idOf(simulator({ seed: 'elsewhere' }))
    const tag = id.slice('video_'.length, 'video_'.length + 8)
    expect(await said(sim, id.replace(tag, 'ffffffff'))).toContain('the id was created in another session')
    expect(await said(sim, id)).not.toContain('another one')
  })
})
