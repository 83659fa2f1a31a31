import { describe, expect, it } from 'vitest'
import { start } from '../_openai-family.ts'
import { anotherKeys, missing, pendingVideo, unset, videosSession } from './_videos.ts'

/** What polls in `auto` show before the end. */
const course = ['pending 0', 'in_progress 10', 'in_progress 25', 'in_progress 50', 'in_progress 75']
const shown = ({ body }: { body: any }) => `${body.status} ${body.progress}`

describe('videos.retrieve answers', () => {
  it('the whole object, with null for what is not set yet', async () => {
    const { newId, retrieve } = videosSession()
    const id = await newId()
    expect((await retrieve(id)).body).toEqual({ ...pendingVideo({ id }), ...unset })
  })

  it('when it was completed and when it expires, in Unix seconds of virtual time', async () => {
    const { sim, newId, retrieve } = videosSession({
      settings: { videos: { duration: '90s' } },
    })
    const id = await newId()
    sim.clock.advance('2h')
    expect((await retrieve(id)).body).toEqual({
      ...pendingVideo({ id, status: 'completed', progress: 100 }),
      ...unset,
      completed_at: start + 90,
      expires_at: start + 90 + 24 * 3600,
    })
  })
})

describe('videos.retrieve unfolds', () => {
  it('in manual, exactly with the clock: pending, then proportional progress, then completed', async () => {
    const { sim, newId, retrieve } = videosSession()
    const id = await newId()
    const seen: string[] = []
    for (const step of ['0s', '5999ms', '1ms', '9s', '15s', '15s', '14999ms', '1ms', '30d']) {
      sim.clock.advance(step)
      seen.push(shown(await retrieve(id)))
    }
    expect(seen).toEqual([
      ...['pending 0', 'pending 0', 'in_progress 10', 'in_progress 25', 'in_progress 50', 'in_progress 75'],
      ...['in_progress 99', 'completed 100', 'completed 100'],
    ])
  })

  it('in auto, by polls alone: the first shows the submitted state, each later one the next', async () => {
    const { newId, retrieve } = videosSession({ clock: 'auto' })
    const id = await newId()
    const seen: string[] = []
    for (let i = 0; i < 8; i++) seen.push(shown(await retrieve(id)))
    expect(seen).toEqual([...course, 'completed 100', 'completed 100', 'completed 100'])
    expect((await retrieve(id)).body).toMatchObject({
      created_at: start,
      completed_at: start + 60,
      expires_at: start + 60 + 86_400,
    })
  })

  it('in auto, without touching another video or the clock', async () => {
    const { sim, newId, retrieve } = videosSession({ clock: 'auto' })
    const [one, other] = [await newId(), await newId()]
    for (let i = 0; i < 6; i++) await retrieve(one)
    expect(shown(await retrieve(one))).toBe('completed 100')
    expect(shown(await retrieve(other))).toBe('pending 0')
    expect(sim.clock.now()).toBe(start * 1000)
  })

  it('a failure at its share of the way, which then stays', async () => {
    const { sim, newId, retrieve } = videosSession()
    const id = await newId({ prompt: 'a [sim:fail-at-40]' })
    sim.clock.advance('23s')
    expect(shown(await retrieve(id))).toBe('in_progress 38')
    sim.clock.advance('1s')
    const failed = await retrieve(id)
    expect(failed.body).toMatchObject({
      status: 'failed',
      progress: 40,
      error: {
        code: 'video_generation_failed',
        message: 'The video could not be generated.',
        type: 'server_error',
      },
      completed_at: null,
      expires_at: null,
    })
    sim.clock.advance('1d')
    expect((await retrieve(id)).body).toEqual(failed.body)
  })

  it.each([
    ['at once', 0, ['failed 0']],
    ['before it begins', 5, ['pending 0', 'failed 5']],
    ['at the very end', 100, [...course, 'failed 100']],
  ])('a failure %s', async (_, share, steps) => {
    const { newId, retrieve } = videosSession({ clock: 'auto' })
    const id = await newId({ prompt: `a [sim:fail-at-${share}]` })
    for (const step of [...steps, steps.at(-1)]) expect(shown(await retrieve(id))).toBe(step)
  })

  it('a video that is stuck half-way, for ever', async () => {
    const { sim, newId, retrieve } = videosSession()
    const id = await newId({ prompt: 'a [sim:stuck]' })
    sim.clock.advance('20s')
    expect(shown(await retrieve(id))).toBe('in_progress 33')
    sim.clock.advance('10s')
    expect(shown(await retrieve(id))).toBe('in_progress 50')
    sim.clock.advance('365d')
    expect(shown(await retrieve(id))).toBe('in_progress 50')
  })

  it('in auto, a stuck video that no number of polls moves', async () => {
    const { newId, retrieve } = videosSession({ clock: 'auto' })
    const id = await newId({ prompt: 'a [sim:stuck]' })
    let last = ''
    for (let i = 0; i < 20; i++) last = shown(await retrieve(id))
    expect(last).toBe('in_progress 50')
  })

  it('a video that vanishes: known before, 404 with the time from then on', async () => {
    const { sim, newId, retrieve } = videosSession()
    const id = await newId({ prompt: 'a [sim:not-found-at-30]' })
    sim.clock.advance('17s')
    expect(shown(await retrieve(id))).toBe('in_progress 28')
    sim.clock.advance('1s')
    expect(await retrieve(id)).toEqual(
      missing(
        `The video \`${id}\` no longer exists: a scenario or an override removed it at ` +
          `2026-01-01T00:00:18.000Z.`,
      ),
    )
  })

  it('a video of no duration: completed from its birth', async () => {
    const { newId, retrieve } = videosSession({ settings: { videos: { duration: 0 } } })
    expect(shown(await retrieve(await newId()))).toBe('completed 100')
  })
})

describe('videos.retrieve rejects', () => {
  it('an id that nobody made, and says which session was searched', async () => {
    expect(await videosSession().retrieve('video_nope')).toEqual(
      missing(
        'Unknown video `video_nope` in the session "default": expected the `id` from a submission or ' +
          'remix response.',
      ),
    )
  })

  it("another key's video", async () => {
    const { newId, retrieve } = videosSession()
    const id = await newId(undefined, { key: 'sk-alice' })
    expect(await retrieve(id, { key: 'sk-bob' })).toEqual(anotherKeys(id))
    expect((await retrieve(id, { key: 'sk-alice' })).status).toBe(200)
  })

  it("another session's video, when the call names a session", async () => {
    const { newId, retrieve } = videosSession()
    const id = await newId(undefined, { headers: { 'x-sim-session': 'a' } })
    const { status, body } = await retrieve(id, { headers: { 'x-sim-session': 'b' } })
    expect(status).toBe(404)
    expect(body.error.message).toContain(`Unknown video \`${id}\` in the session "b"`)
    expect((await retrieve(id)).status, 'without a name, the id leads to its session').toBe(200)
  })

  it('a video that the session had to drop', async () => {
    const { newId, completedId, retrieve } = videosSession({ settings: { memory: { items: 4 } } })
    const id = await completedId({ prompt: 'one' })
    await newId({ prompt: 'two' })
    await newId({ prompt: 'three' })
    const { status, body } = await retrieve(id)
    expect([status, body.error.message]).toEqual([
      404,
      expect.stringMatching(/Unknown video .* may have been evicted: this session evicted \d+ items/),
    ])
  })
})
