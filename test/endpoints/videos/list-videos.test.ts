import { describe, expect, it } from 'vitest'
import { answered, invalid, start } from '../_openai-family.ts'
import { pendingVideo, unset, videosSession } from './_videos.ts'

const ids = ({ body }: { body: any }): string[] => body.data.map((video: { id: string }) => video.id)

describe('videos.list answers', () => {
  it('whole objects, the youngest first, and only those of the key', async () => {
    const { sim, newId, list } = videosSession()
    const one = await newId()
    sim.clock.advance('60s')
    const two = await newId({ model: 'video-2', prompt: 'a wolf' })
    await newId({ prompt: 'an owl' }, { key: 'sk-other' })
    const first = pendingVideo({ id: one, status: 'completed', progress: 100 })
    const second = pendingVideo({ id: two, model: 'video-2', created_at: start + 60 })
    expect((await list()).body).toEqual({
      object: 'list',
      data: [
        { ...second, ...unset },
        { ...first, ...unset, completed_at: start + 60, expires_at: start + 86_460 },
      ],
      first_id: two,
      last_id: one,
      has_more: false,
    })
  })

  it('page by page in both orders, also for videos of the same time', async () => {
    const { newId, list } = videosSession()
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.push(await newId({ prompt: `fox ${i}` }))
    const walk = async (order: string) => {
      const pages: string[][] = []
      for (let after = '', more = true; more; ) {
        const page = await list(`?limit=2&order=${order}${after}`)
        pages.push(ids(page))
        more = page.body.has_more
        after = `&after=${page.body.last_id}`
      }
      return pages
    }
    const [a, b, c, d, e] = made as [string, string, string, string, string]
    expect(await walk('asc')).toEqual([[a, b], [c, d], [e]])
    expect(await walk('desc')).toEqual([[e, d], [c, b], [a]])
  })

  it('twenty to a page unless told otherwise', async () => {
    const { newId, list } = videosSession()
    for (let i = 0; i < 21; i++) await newId({ prompt: `fox ${i}` })
    expect((await list()).body).toMatchObject({ data: { length: 20 }, has_more: true })
    expect((await list('?limit=100')).body).toMatchObject({ data: { length: 21 }, has_more: false })
  })
})

describe('videos.list unfolds', () => {
  it('in auto, for a client that only lists: each page polls what it shows', async () => {
    const { newId, list } = videosSession({ clock: 'auto' })
    await newId()
    const seen: string[] = []
    for (let i = 0; i < 6; i++) seen.push((await list()).body.data[0].status)
    expect(seen).toEqual(['pending', 'in_progress', 'in_progress', 'in_progress', 'in_progress', 'completed'])
  })
})

describe('videos.list rejects', () => {
  it.each([
    ['limit=0', invalid('limit', 'expected at least 1, got "0"')],
    ['limit=101', invalid('limit', 'expected at most 100, got "101"')],
    ['limit=many', invalid('limit', 'expected a number, got "many"')],
    ['limit=1.5', invalid('limit', 'expected a whole number, got "1.5"')],
    ['order=up', invalid('order', 'expected one of "asc", "desc", got "up"')],
  ])('%s', async (query, expected) => {
    expect(await videosSession().list(`?${query}`)).toEqual(answered(400, expected))
  })
})
