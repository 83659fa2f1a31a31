import { describe, expect, it } from 'vitest'
import { get, post, simulator } from '../../_setup.ts'
import { about, bodyOf, created, ended, polled } from './_jobs.ts'

const path = (id: string): string => `/v1/tob/job/${id}`
const missing = (message: string): unknown => about('not_found_error', 404, 'jobId', message)

describe('imageJobs.retrieve rejects', () => {
  it('an id that nobody has handed out (404), and says where it was looked for', async () => {
    expect(await bodyOf(get(simulator(), path('nothing')), 404)).toEqual(
      missing(
        `Unknown image job \`nothing\` in the session "default": ` +
          'expected the `id` from a submission response.',
      ),
    )
  })

  it('an id of another session than the one named (404)', async () => {
    const sim = simulator()
    const { id } = await created(sim)
    const { error } = await bodyOf<{ error: { message: string } }>(get(sim, `/s/blue${path(id)}`), 404)
    expect(error.message).toBe(
      `Unknown image job \`${id}\` in the session "blue": ` +
        'expected the `id` from a submission response. This request belongs to the session "blue", but ' +
        'the id was created in another session.',
    )
  })

  it('an id of another key (404)', async () => {
    const sim = simulator()
    const { id } = await created(sim, 'a cat', 'sk-alice')
    expect(await bodyOf(get(sim, path(id)), 404)).toEqual(
      missing(
        `This API key has no image job \`${id}\` in the session "default": use the API key that ` +
          `submitted it.`,
      ),
    )
    expect((await polled(sim, id, 'sk-alice')).id).toBe(id)
  })

  it('a job that has vanished (404), from that time on', async () => {
    const sim = simulator()
    const { id } = await created(sim, 'a cat [sim:not-found-at-50]')
    sim.clock.advance(19_999)
    expect((await polled(sim, id)).status).toBe(1)
    sim.clock.advance(1)
    expect(await bodyOf(get(sim, path(id)), 404)).toEqual(
      missing(
        `The image job "${id}" no longer exists: a scenario or an override removed it from the session ` +
          `"default".`,
      ),
    )
  })

  it('a job that the session evicted for want of room (404)', async () => {
    const sim = simulator({ settings: { memory: { items: 4 } } })
    const { id } = await ended(sim)
    await created(sim, 'a dog')
    await created(sim, 'a fox')
    const { message } = (await bodyOf(get(sim, path(id)), 404)) as { message: string }
    expect(JSON.stringify(message ?? (await bodyOf(get(sim, path(id)), 404)))).toContain(
      'it may have been evicted: ',
    )
  })

  it('another method (405)', async () => {
    const response = await post(simulator(), path('x'), {})
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('imageJobs.retrieve answers', () => {
  it('what the submission answered, as long as nothing has happened', async () => {
    const sim = simulator()
    const job = await created(sim)
    expect(await polled(sim, job.id)).toEqual(job)
    expect(await polled(sim, job.id)).toEqual(job)
  })

  it('in the session of the job although only its id names it', async () => {
    const sim = simulator()
    const job = await bodyOf(post(sim, '/s/blue/v1/tob/diffusion', { model: 'v7', text: 'a cat' }))
    expect(await polled(sim, job.id)).toEqual(job)
  })
})

describe('imageJobs.retrieve unfolds', () => {
  it('a jump over the whole life of a job exactly', async () => {
    const sim = simulator()
    const { id } = await created(sim)
    expect(
      sim.clock.advance('1d').fired.map(({ at, resource, from, to }) => [at, resource, from, to]),
    ).toEqual([
      ['2026-01-01T00:00:10.000Z', 'imageJob', 1, 1],
      ['2026-01-01T00:00:40.000Z', 'imageJob', 1, 2],
    ])
    expect(await polled(sim, id)).toMatchObject({ status: 2, cost: { costAt: '2026-01-01T00:00:40.000Z' } })
  })

  it('in `auto` to the end of a job that vanishes', async () => {
    const sim = simulator({ clock: 'auto' })
    const { id } = await created(sim, 'a cat [sim:not-found-at-50]')
    await polled(sim, id)
    await polled(sim, id)
    expect((await get(sim, path(id))).status).toBe(404)
  })
})
