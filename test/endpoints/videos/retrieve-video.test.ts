import { describe, expect, it } from 'vitest'
import { start } from '../_openai-family.ts'
import { pendingVideo, unset, videosSession } from './_videos.ts'

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
  it.each([
    ['at once', 0, ['failed 0']],
    ['before it begins', 5, ['pending 0', 'failed 5']],
    ['at the very end', 100, [...course, 'failed 100']],
  ])('a failure %s', async (_, share, steps) => {
    const { newId, retrieve } = videosSession({ clock: 'auto' })
    const id = await newId({ prompt: `a [sim:fail-at-${share}]` })
    for (const step of [...steps, steps.at(-1)]) expect(shown(await retrieve(id))).toBe(step)
  })
})
