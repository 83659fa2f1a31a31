/**
 * What a video begins with: as it is described, before it is drawn, and as it is seen. Nothing is fetched.
 */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { signsOf } from '../../../src/media/video/scene.ts'
import type { ImageSource, VideoMedia } from '../../../src/protocol/media.ts'
import { bodyOf, describeIntegrations, get, post, simulator } from '../../_setup.ts'
import { described } from '../_described.ts'
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
function filmOf(sim: Sim, id: string, session?: string): VideoMedia {
  const { status, body } = sim.handle({
    method: 'GET',
    path: `/v1/videos/${id}/content`,
    query: '',
    headers: { authorization },
    payload: { kind: 'none' },
    session,
  })
  expect([status, body.kind]).toEqual([200, 'media'])
  return (body as { media: VideoMedia }).media
}
const firstOf = (sim: Sim, id: string): ImageSource | undefined => filmOf(sim, id).images?.first
/** Without the bytes of clients. */
const says = (film: VideoMedia): string =>
  JSON.stringify(film, (name, value: unknown) => (name === 'content' ? undefined : value))

const uploaded = async (sim: Sim, bytes: Uint8Array<ArrayBuffer>, path = 'images/fox.png') => {
  const there = await target(inside(sim), path)
  await send(inside(sim), there, bytes)
  return there
}

/** The colour of a thumbnail where no words stand, in sixteen steps. */
async function colourOf(thumbnail: Promise<Response>): Promise<number[]> {
  const pixel = await sharp(new Uint8Array(await (await thumbnail).arrayBuffer()))
    .extract({ left: 0, top: 0, width: 720, height: 800 })
    .resize(1, 1)
    .removeAlpha()
    .raw()
    .toBuffer()
  return [...pixel].map((value) => Math.round(value / 16))
}

describeIntegrations('a video from an image', (integration) => {
  it('has it as its thumbnail', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    const id = await submit(sim, await inForm(await file('#c03050')), '/v1/videos', url, call)
    const thumbnail = call(`${url}/v1/videos/${id}/content?variant=thumbnail`, { headers: { authorization } })
    expect(await colourOf(thumbnail)).toEqual([12, 3, 5])
  })
})

describe('a video begins', () => {
  it('with no image when none was named', async () => {
    const sim = simulator()
    expect(filmOf(sim, await submit(sim, { prompt: 'a fox' }))).not.toHaveProperty('images')
  })

  it('with the file of the form, as much of it as fills the film', async () => {
    const sim = simulator()
    expect(filmOf(sim, await submit(sim, await inForm(await file('red')))).images).toEqual({
      first: { kind: 'sent', content: await file('red'), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      fit: 'cover',
    })
  })

  it.each([
    ['text', (name: string) => ({ input_reference: name })],
    ['image_url', (name: string) => ({ input_reference: { image_url: name } })],
  ])('with an upload by path or address, as %s: the same film', async (_, how) => {
    const films = await Promise.all(
      (['path', 'visit_url'] as const).map(async (by) => {
        const sim = simulator()
        const there = await uploaded(sim, await file('red'))
        return says(filmOf(sim, await submit(sim, { prompt: 'a fox', ...how(there[by]) })))
      }),
    )
    expect(films[0]).toContain('"kind":"sent"')
    expect(films[1]).toBe(films[0])
  })

  it('with an upload by its path as file_id', async () => {
    const sim = simulator()
    const { path } = await uploaded(sim, await file('red'))
    expect(
      firstOf(sim, await submit(sim, { prompt: 'a fox', input_reference: { file_id: path } })),
    ).toMatchObject({ kind: 'sent' })
  })

  it('with the upload as it was at the submission', async () => {
    const sim = simulator()
    const { path } = await uploaded(sim, await file('red'))
    const id = await submit(sim, { prompt: 'a fox', input_reference: path })
    const before = says(filmOf(sim, id))
    await uploaded(sim, await file('blue'))
    expect(says(filmOf(sim, id))).toBe(before)
    expect(says(filmOf(sim, await submit(sim, { prompt: 'a fox', input_reference: path })))).not.toBe(before)
  })

  it('with the image that stands in the address', async () => {
    const sim = simulator()
    const data = (await file('#20a040')) as Uint8Array
    const id = await submit(sim, {
      prompt: 'a fox',
      input_reference: `data:image/png;base64,${Buffer.from(data).toString('base64')}`,
    })
    expect(await colourOf(get(sim, `/v1/videos/${id}/content?variant=thumbnail`))).toEqual([2, 10, 4])
  })

  it('with an earlier image of the session, of a response or of a job that has succeeded', async () => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const drawing = { model: 'dall-e-2', prompt: 'a fox', size: '256x256' }
    const { data } = await bodyOf(post(sim, '/v1/images/generations', drawing))
    const { urls } = await bodyOf(post(sim, '/v1/tob/diffusion', { model: 'v7', text: 'a fox' }))
    const first = async (image_url: string) =>
      firstOf(sim, await submit(sim, { prompt: 'a fox', input_reference: { image_url } }))
    for (const address of [data[0].url, urls[3]])
      expect(await first(address)).toEqual({ kind: 'drawn', image: described(sim, address) })
    expect(await first(urls[3].replace('3.png', '4.png'))).toMatchObject({ kind: 'absent' })
  })

  it.each([
    ['https://user:word@pictures.example/a/fox.png?x=1', 'pictures.example/fox.png'],
    ['file-abc', 'file-abc'],
  ])('with a stand-in for what is not here: %s', async (name, shown) => {
    const sim = simulator()
    const input_reference = name.startsWith('http') ? { image_url: name } : { file_id: name }
    const id = await submit(sim, { prompt: 'a fox', input_reference })
    expect(firstOf(sim, id)).toEqual({ kind: 'absent', name: shown })
  })

  it('with what it was told whichever session asks, and differs by it', async () => {
    const sim = simulator()
    const film = async (within: Sim, colour: string, session?: string): Promise<string> => {
      const body = await inForm(await file(colour), '[sim:finished] a fox')
      const path = session === undefined ? '/v1/videos' : `/s/${session}/v1/videos`
      return says(filmOf(within, await submit(within, body, path), session))
    }
    const films = [await film(sim, 'red'), await film(sim, 'blue')]
    expect(films[0]).not.toBe(films[1])
    // What follows the image is another film, too.
    expect(new Set(films.map((one) => (JSON.parse(one) as VideoMedia).seed)).size).toBe(2)
    expect(await film(simulator(), 'red', 'other')).toBe(films[0])
  })

  it('with a stand-in, once the file had to make room', async () => {
    const sim = simulator()
    const id = await submit(sim, await inForm(await file('red')))
    sim.core.sessions.get('default').sandbox.sources.clear()
    expect(firstOf(sim, id)).toEqual({ kind: 'absent', name: 'fox.png' })
  })
})

describe('a remix begins', () => {
  const code = (sim: Sim, id: string): string => signsOf(filmOf(sim, id))

  it('as its source, and goes on otherwise; a remix of it, too', async () => {
    const sim = simulator()
    const source = await submit(sim, { prompt: 'a fox', seconds: '12' })
    const remix = await submit(sim, { prompt: 'at night' }, `/v1/videos/${source}/remix`)
    const again = await submit(sim, { prompt: 'in snow' }, `/v1/videos/${remix}/remix`)
    const [a, b, c] = [source, remix, again].map((id) => code(sim, id)) as [string, string, string]
    for (const made of [b, c]) {
      expect(made).toMatch(/^[A-Z]{12}$/)
      expect(made).not.toMatch(/(.)\1/)
      expect(made.slice(0, 6)).toBe(a.slice(0, 6))
      expect(made.slice(6)).not.toBe(a.slice(6))
    }
    expect(c.slice(6)).not.toBe(b.slice(6))
  })

  it("with its source's image", async () => {
    const sim = simulator()
    const source = await submit(sim, await inForm(await file('red')))
    const remix = await submit(sim, { prompt: 'at night' }, `/v1/videos/${source}/remix`)
    expect(filmOf(sim, remix).images).toEqual(filmOf(sim, source).images)
    expect(code(sim, remix).slice(0, 2)).toBe(code(sim, source).slice(0, 2))
  })
})
