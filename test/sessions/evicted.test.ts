/** What has to go because a bound was reached is counted, warned of once, and said to whoever asks for it. */
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { bodyOf, get, post, simulator } from '../_setup.ts'

type Memory = Readonly<Record<string, number>>
const keeping = (memory: Memory, more: object = {}): ReturnType<typeof simulator> =>
  simulator({ settings: { memory, ...more } })

const countOf = async (sim: Simulator): Promise<unknown> => (await bodyOf(get(sim, '/__sim/health'))).evicted
const video = (sim: Simulator, prompt: string): Promise<Response> =>
  post(sim, '/v1/videos', { model: 'v', prompt })
const times = async (count: number, act: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < count; index++) await act(index)
}

describe('evictions', () => {
  it('are counted per session and in total, and the first causes a warning', async () => {
    const sim = keeping({ items: 6 })
    const other = sim.createSession({ name: 'other' })
    // Each keeps a request in the journal, its count, and a job.
    await times(3, (index) => video(sim, `${index}`))
    expect([sim.jobs.list().evicted, other.jobs.list().evicted, await countOf(sim)]).toEqual([3, 0, 3])
    expect(sim.jobs.list().jobs.length).toBe(2)
    expect(sim.warnings).toEqual([
      'the session "default" was evicted, or its oldest items (settings memory.sessions: 1000, memory.items: 6, memory.bytes: 268435456): raise the limits, or reset or dispose of sessions after use. Further evictions are not logged: GET /__sim/health counts them (`evicted`).',
    ])
  })

  it('start at zero after a reset; the total continues', async () => {
    const sim = keeping({ items: 4 })
    await times(2, (index) => video(sim, `${index}`))
    sim.resetAll()
    expect([sim.jobs.list().evicted, await countOf(sim)]).toEqual([0, 2])
  })

  it('do not happen within the bounds', async () => {
    const sim = keeping({ sessions: 3, items: 11 })
    await times(3, (index) => video(sim, `${index}`))
    expect([await countOf(sim), sim.warnings]).toEqual([0, []])
  })

  it.each<[string, Memory, number, (sim: Simulator, index: number) => unknown]>([
    ['requests by count', { items: 4 }, 5, (sim) => get(sim, '/v1/models')],
    ['requests by size', { bytes: 10_000 }, 5, (sim, at) => video(sim, `${at} ${'x'.repeat(5000)}`)],
    [
      'files',
      { items: 4 },
      5,
      (sim, at) => sim.core.sessions.get('default').sandbox.uploads.set(`${at}`, {}),
    ],
    ['API keys', { items: 5 }, 3, (sim, at) => get(sim, '/v1/models', { authorization: `Bearer sk-${at}` })],
  ])('are of %s', async (_, memory, often, act) => {
    const sim = keeping(memory, { limits: { requestsPerMinute: 50 } })
    await times(often, async (index) => act(sim, index))
    const { memory: kept } = sim.core.sessions.get('default').sandbox
    expect(kept.evicted).toBeGreaterThan(0)
    expect(kept.count).toBeLessThanOrEqual(kept.maxCount)
    expect(kept.size).toBeLessThanOrEqual(kept.maxSize)
  })

  it('of sessions are counted too', async () => {
    const sim = keeping({ sessions: 2 })
    await times(5, (at) => get(sim, `/s/s${at}/v1/models`))
    // The default session, for the control request, is the fourth to take the place of another.
    expect(await countOf(sim)).toBe(4)
    expect(sim.warnings).toEqual([
      expect.stringContaining(
        'the session "s0" was evicted, or its oldest items (settings memory.sessions: 2',
      ),
    ])
  })
})

describe('all sessions together', () => {
  it('keep four times as much as one: what was used longest ago drops its oldest', async () => {
    const sim = keeping({ bytes: 50_000 })
    for (let index = 0; index < 300; index++)
      await post(sim, `/s/s${index % 20}/v1/videos`, { prompt: `${index} ${'a'.repeat(1000)}` })
    const kept = sim.core.sessions.all().map(({ sandbox }) => sandbox.memory.size)
    const total = kept.reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(150_000)
    expect(total).toBeLessThan(210_000)
    expect(sim.core.sessions.find('s19')?.sandbox.store.size).toBeGreaterThan(0)
  })

  it('no longer count a session that was reset or disposed of', async () => {
    const sim = keeping({ bytes: 30_000 })
    const fill = (path: string): Promise<void> =>
      times(5, () => post(sim, `${path}/v1/videos`, { prompt: 'a' }))
    // Older than all the others, it would be the first to lose something.
    await fill('/s/first')
    const session = sim.createSession({ name: 'begins-anew' })
    for (let round = 0; round < 5; round++) {
      await fill('/s/begins-anew')
      session.reset()
      const other = sim.createSession()
      await fill(`/s/${other.name}`)
      other.dispose()
    }
    expect(sim.core.sessions.find('first')?.sandbox.memory.evicted).toBe(0)
  })
})

describe('a lookup of something evicted', () => {
  const said = async (sim: Simulator, id: string): Promise<string> =>
    await (await get(sim, `/v1/videos/${id}`)).text()
  const idOf = async (sim: Simulator): Promise<string> => (await bodyOf(video(sim, 'a fox'))).id

  it('says how much was evicted, in the service and in the control API', async () => {
    const sim = keeping({ items: 5 })
    const id = await idOf(sim)
    expect(await said(sim, 'never-made')).not.toContain('evicted')
    await times(2, (at) => video(sim, `${at}`))
    expect(await said(sim, id)).toContain('it may have been evicted: this session evicted 7 items')
    expect(await bodyOf(get(sim, `/__sim/jobs/${id}`))).toMatchObject({
      status: 404,
      detail: expect.stringMatching(/^There is no job .*: this session evicted \d+ items/) as string,
    })
  })

  it('says what became of a session', async () => {
    const sim = simulator()
    sim.createSession({ name: 'mine' }).dispose()
    expect(await bodyOf(get(sim, '/__sim/sessions/mine'))).toMatchObject({
      status: 404,
      detail: expect.stringContaining('The session "mine" no longer exists: it was disposed of') as string,
    })
    expect(await (await get(sim, '/s/__proto__/v1/models')).text()).toContain('is not allowed')
  })

  it('finds nothing from a removed default session: it starts again', async () => {
    const sim = simulator()
    const id = await idOf(sim)
    await sim.fetch('http://gateway.test/__sim/sessions/default', { method: 'DELETE' })
    expect(await said(sim, id)).not.toContain('disposed of')
  })

  it('says that an id is of another session', async () => {
    const sim = simulator()
    const id = await idOf(simulator({ seed: 'elsewhere' }))
    const tag = id.slice('video_'.length, 'video_'.length + 8)
    expect(await said(sim, id.replace(tag, 'ffffffff'))).toContain('the id was created in another session')
    expect(await said(sim, id)).not.toContain('another one')
  })
})
