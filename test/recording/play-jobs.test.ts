/** Recorded jobs: what polls showed becomes a course over virtual time. */
import { describe, expect, it } from 'vitest'
import { createSimulator, type Simulator, type SimulatorOptions } from '../../src/index.ts'
import { asClient, exchange, posting, recordingsOf } from './_record.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const gateway = 'https://gateway.example/v1'
const prompt = { model: 'video-1', prompt: 'a cat' }
const id = 'video_real'

/** A poll at a time after the submission. */
const polled = (at: number, status: number, body: object) =>
  exchange({ url: `${gateway}/videos/${id}` }, { status, body: JSON.stringify(body) }, { at: start + at })
const state = (status: string, progress: number) => ({ id, status, progress, theirs: 'kept' })

const recording = [
  exchange({ url: `${gateway}/videos`, body: prompt }, { body: JSON.stringify(state('queued', 0)) }),
  polled(1000, 200, state('queued', 0)),
  polled(5000, 200, state('in_progress', 40)),
  polled(6000, 429, { error: 'slow down' }),
  polled(7000, 200, state('in_progress', 40)),
  polled(20_000, 200, state('completed', 100)),
  exchange(
    { url: `${gateway}/videos/${id}/content` },
    { type: 'video/mp4', body: new Uint8Array([0, 1, 255]) },
    { at: start + 21_000 },
  ),
]

async function playing(options: SimulatorOptions = {}, exchanges = recording) {
  const sim = createSimulator({ onWarning: () => {}, ...options, recordings: await recordingsOf(exchanges) })
  return { sim, ...calls(sim) }
}

function calls({ fetch }: Pick<Simulator, 'fetch'>) {
  return {
    submit: async (): Promise<{ id: string }> =>
      (await fetch('http://sim/v1/videos', posting(prompt))).json() as Promise<{ id: string }>,
    poll: async (key = 'k') => {
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`http://sim/v1/videos/${id}`, { headers })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
}

describe('on a manual clock', () => {
  it('a job shows the same states at the same times, however often and by whomever it is polled', async () => {
    const { sim, submit, poll } = await playing({ clock: 'manual' })
    expect(await submit()).toEqual(state('queued', 0))
    for (let n = 0; n < 3; n++) expect((await poll(`key ${n}`)).body).toEqual(state('queued', 0))
    await sim.clock.advance(4999)
    expect((await poll()).body).toEqual(state('queued', 0))
    await sim.clock.advance(1)
    expect((await poll()).body).toEqual(state('in_progress', 40))
    await sim.clock.advance(15_000)
    // A refusal in between is no state: one poll gets it.
    expect(await poll()).toEqual({ status: 429, body: { error: 'slow down' } })
    expect((await poll()).body).toEqual(state('completed', 100))
    expect((await poll()).body).toEqual(state('completed', 100))
  })

  it('a change of state is told by the clock, and files are those of the recording', async () => {
    const { sim, submit } = await playing({ clock: 'manual' })
    await submit()
    const { fired } = await sim.clock.advance('1m')
    expect(fired.map(({ id: one, to }) => [one, to])).toContainEqual([id, 'completed'])
    const content = await sim.fetch(`http://sim/v1/videos/${id}/content`)
    expect([...new Uint8Array(await content.arrayBuffer())]).toEqual([0, 1, 255])
  })
})

describe('in auto', () => {
  it('a poll that would see nothing new moves the job to its next state', async () => {
    const { submit, poll } = await playing({ clock: 'auto' })
    await submit()
    const seen: unknown[] = []
    for (let n = 0; n < 5; n++) {
      const { status, body } = await poll()
      seen.push(status === 200 ? body['status'] : status)
    }
    expect(seen).toEqual(['queued', 'in_progress', 429, 'completed', 'completed'])
  })
})

describe('a job', () => {
  it('that was over when it was first polled is not over before', async () => {
    const [submission] = recording
    const { sim, submit, poll } = await playing({ clock: 'manual' }, [
      submission as (typeof recording)[0],
      polled(9000, 200, state('completed', 100)),
    ])
    await submit()
    expect((await poll()).body).toMatchObject({ status: 'queued' })
    await sim.clock.advance(9000)
    expect((await poll()).body).toMatchObject({ status: 'completed' })
  })

  it('is there for who has not submitted it, as the first recorded poll found it', async () => {
    const { poll } = await playing({ onMiss: 'reject' }, recording.slice(1))
    expect((await poll()).body).toEqual(state('queued', 0))
  })

  it('begins anew when it is submitted again, and lives in each session by itself', async () => {
    const { sim, submit, poll } = await playing({ clock: 'manual' })
    await submit()
    await sim.clock.advance('1m')
    await poll()
    expect((await poll()).body).toMatchObject({ status: 'completed' })
    await submit()
    expect((await poll()).body).toMatchObject({ status: 'queued' })
    const other = calls(sim.createSession({ name: 'other', clock: 'manual' }) as unknown as Simulator)
    expect((await other.poll()).body).toMatchObject({ status: 'queued' })
  })

  it('that a rule changes is simulated instead', async () => {
    const { sim, submit } = await playing({ clock: 'manual', onMiss: 'reject' })
    sim.overrides.add({ when: { operation: 'videos.create' }, then: { job: 'stuck' } })
    const made = await submit()
    expect(made.id).not.toBe(id)
    const polling = await sim.fetch(`http://sim/v1/videos/${made.id}`, { headers: asClient })
    expect(polling.status).toBe(200)
  })

  it('obeys a test that changes its state', async () => {
    const { sim, submit, poll } = await playing({ clock: 'manual', onMiss: 'reject' })
    await submit()
    sim.jobs.change(id, { finished: true })
    await poll()
    expect((await poll()).body).toMatchObject({ status: 'completed' })
    sim.jobs.change(id, { notFound: true })
    expect((await poll()).status).toBe(404)
  })
})
