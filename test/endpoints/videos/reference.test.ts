/** What a video says of its first image. Nothing is fetched. */
import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { VideoMedia } from '../../../src/protocol/media.ts'
import { bodyOf, describeIntegrations, post, simulator } from '../../_setup.ts'
import { form } from '../_openai-family.ts'
import { inside, send, target } from '../files/_uploads.ts'

type Sim = ReturnType<typeof simulator>

const authorization = 'Bearer sk-test'
/** An image in one colour. */
const file = async (colour: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(
    await sharp({ create: { width: 40, height: 30, channels: 3, background: colour } })
      .png()
      .toBuffer(),
  )
const inForm = async (bytes: Uint8Array<ArrayBuffer>, prompt = 'a fox'): Promise<FormData> =>
  form(['prompt', prompt], ['input_reference', new File([bytes], 'fox.png', { type: 'image/png' })])

async function submit(
  sim: Sim,
  body: FormData | object,
  path = '/v1/videos',
  url = 'http://gateway.test',
  call: typeof fetch = sim.fetch as typeof fetch,
): Promise<string> {
  const isForm = body instanceof FormData
  const response = await call(`${url}${path}`, {
    method: 'POST',
    headers: { authorization, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  const { id } = (await response.json()) as { id: string }
  sim.clock.advance('60s')
  return id
}

/** How its film is described. */
function filmOf(sim: Sim, id: string, session?: string, query = ''): VideoMedia {
  const { status, body } = sim.handle({
    method: 'GET',
    path: `/v1/videos/${id}/content`,
    query,
    headers: { authorization },
    payload: { kind: 'none' },
    session,
  })
  expect([status, body.kind]).toEqual([200, 'media'])
  return (body as { media: VideoMedia }).media
}
const labelOf = (sim: Sim, id: string): string => filmOf(sim, id).label
/** How a video names a file. */
const nameOf = async (colour: string): Promise<string> =>
  `file ${createHash('sha256')
    .update(await file(colour))
    .digest('hex')
    .slice(0, 12)}`

const uploaded = async (sim: Sim, bytes: Uint8Array<ArrayBuffer>, path = 'images/fox.png') => {
  const there = await target(inside(sim), path)
  await send(inside(sim), there, bytes)
  return there
}

describeIntegrations('a video from an image', (integration) => {
  it('names it', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    const id = await submit(sim, await inForm(await file('#c03050')), '/v1/videos', url, call)
    expect(labelOf(sim, id)).toBe(`sora-2, 720x1280, 4 s, from ${await nameOf('#c03050')}`)
  })
})

describe('a video names', () => {
  it('no image when none was named', async () => {
    const sim = simulator()
    expect(labelOf(sim, await submit(sim, { prompt: 'a fox' }))).toBe('sora-2, 720x1280, 4 s')
  })

  it.each([
    ['text', (name: string) => ({ input_reference: name })],
    ['image_url', (name: string) => ({ input_reference: { image_url: name } })],
  ])('an upload by path or address, as %s: the same film', async (_, how) => {
    const films = await Promise.all(
      (['path', 'visit_url'] as const).map(async (by) => {
        const sim = simulator()
        const there = await uploaded(sim, await file('red'))
        return filmOf(sim, await submit(sim, { prompt: 'a fox', ...how(there[by]) }))
      }),
    )
    expect(films[0]?.label).toContain(`from ${await nameOf('red')}`)
    expect(films[1]).toEqual(films[0])
  })

  it('an upload by its path as file_id', async () => {
    const sim = simulator()
    const { path } = await uploaded(sim, await file('red'))
    const id = await submit(sim, { prompt: 'a fox', input_reference: { file_id: path } })
    expect(labelOf(sim, id)).toContain(`from ${await nameOf('red')}`)
  })

  it('the upload as it was at the submission', async () => {
    const sim = simulator()
    const { path } = await uploaded(sim, await file('red'))
    const id = await submit(sim, { prompt: 'a fox', input_reference: path })
    const before = filmOf(sim, id)
    await uploaded(sim, await file('blue'))
    expect(filmOf(sim, id)).toEqual(before)
    expect(filmOf(sim, await submit(sim, { prompt: 'a fox', input_reference: path }))).not.toEqual(before)
  })

  it('an earlier image of the session, of a response or of a job that has succeeded', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const drawing = { model: 'dall-e-2', prompt: 'a fox', size: '256x256' }
    const { data } = await bodyOf(post(sim, '/v1/images/generations', drawing))
    const { urls, id } = await bodyOf(post(sim, '/v1/tob/diffusion', { model: 'v7', text: 'a fox' }))
    const label = async (image_url: string) =>
      labelOf(sim, await submit(sim, { prompt: 'a fox', input_reference: { image_url } }))
    expect(await label(data[0].url)).toMatch(/, from img_[0-9a-f]+, image 0$/)
    expect(await label(urls[3])).toMatch(`, from job ${id}, image 3`)
    expect(await label(urls[3].replace('3.png', '4.png'))).toMatch(/, from 4\.png$/)
  })

  it.each([
    ['https://user:word@pictures.example/a/fox.png?x=1', 'pictures.example/fox.png'],
    ['file-abc', 'file-abc'],
    ['data:image/png;base64,AAAA', 'an image in the request'],
  ])('what is not here: %s', async (name, shown) => {
    const sim = simulator()
    const input_reference = name.startsWith('file') ? { file_id: name } : { image_url: name }
    const id = await submit(sim, { prompt: 'a fox', input_reference })
    expect(labelOf(sim, id)).toBe(`sora-2, 720x1280, 4 s, from ${shown}`)
  })

  it('what it was told whichever session asks, and differs by it', async () => {
    const sim = simulator()
    const film = async (within: Sim, colour: string, session?: string): Promise<VideoMedia> => {
      const body = await inForm(await file(colour), '[sim:finished] a fox')
      const path = session === undefined ? '/v1/videos' : `/s/${session}/v1/videos`
      return filmOf(within, await submit(within, body, path), session)
    }
    const films = [await film(sim, 'red'), await film(sim, 'blue')]
    expect(films[0]).not.toEqual(films[1])
    // What is drawn is another film, too.
    expect(new Set(films.map(({ seed }) => seed)).size).toBe(2)
    expect(await film(simulator(), 'red', 'other')).toEqual(films[0])
  })
})

it("a remix names its source's image", async () => {
  const sim = simulator()
  const source = await submit(sim, await inForm(await file('red')))
  const remix = await submit(sim, { prompt: 'at night' }, `/v1/videos/${source}/remix`)
  expect(labelOf(sim, remix)).toBe(labelOf(sim, source))
})
