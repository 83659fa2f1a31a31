/** How a drawing or a film names the image it is made from. Nothing is fetched, and nothing drawn. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ImageMedia, VideoMedia } from '../../src/protocol/media.ts'
import { bodyOf, post, simulator } from '../_setup.ts'
import { form } from './_openai-family.ts'
import { inside, send, target } from './files/_uploads.ts'
import { fileOf, png } from './images/_images.ts'

type Sim = ReturnType<typeof simulator>
type Drawn = Omit<ImageMedia, 'kind'> & Pick<VideoMedia, 'label'>

const authorization = 'Bearer sk-test'
const source = png(8, 4)
const model = 'v7'
const namedFile = `file ${createHash('sha256').update(source).digest('hex').slice(0, 12)}`

/** A simulator whose jobs end when they are submitted. */
const atOnce = (): Sim =>
  simulator({
    settings: {
      imageJobs: { submitted: 'finished' },
      videos: { duration: '0s' },
      videoOperations: { duration: '0s' },
    },
  })

/** The description of what stands at an address. */
function mediaAt(sim: Sim, address: string): Drawn {
  const { pathname: path, search } = new URL(address, 'http://gateway.test')
  const query = search.slice(1)
  const headers = { authorization }
  const call = { method: 'GET', path, query, headers, payload: { kind: 'none' } } as const
  const { status, body } = sim.handle({ ...call, session: undefined })
  expect([status, body.kind]).toEqual([200, 'media'])
  return (body as unknown as { media: Drawn }).media
}

const sent = (sim: Sim, path: string, body: FormData) =>
  bodyOf(sim.fetch(`http://gateway.test${path}`, { method: 'POST', headers: { authorization }, body }))

const job = (sim: Sim, name: string, body: object) => bodyOf(post(sim, `/v1/tob/${name}`, { model, ...body }))
const drawing = (sim: Sim, prompt = 'a cat') => job(sim, 'diffusion', { text: prompt })

async function retexture(sim: Sim, imgUrl: string, remixPrompt = 'in blue'): Promise<Drawn> {
  const { urls } = await job(sim, 'retexture', { imgUrl, remixPrompt })
  return mediaAt(sim, urls[0])
}

const film = (sim: Sim, id: string): string => mediaAt(sim, `/v1/videos/${id}/content`).label
const prefixes = ['retexture of ', 'sora-2, 720x1280, 4 s, from ']

/** What each operation says of an image that it is given by name. */
const makers: Readonly<Record<string, (sim: Sim, name: string) => Promise<string | undefined>>> = {
  'imageJobs.retexture': async (sim, name) => (await retexture(sim, name)).caption?.facts[1],
  'videos.create': async (sim, image_url) => {
    const body = { prompt: 'a fox', input_reference: { image_url } }
    return film(sim, (await bodyOf(post(sim, '/v1/videos', body))).id)
  },
}

async function uploaded(sim: Sim) {
  const there = await target(inside(sim))
  await send(inside(sim), there, source)
  return there
}

/** Each source: its name in a request, and in what is made of it. */
const sources: readonly (readonly [
  string,
  (sim: Sim) => Promise<readonly [name: string, shown: unknown]>,
])[] = [
  ['an uploaded file by its path', async (sim) => [(await uploaded(sim)).path, namedFile]],
  ['an uploaded file by its address', async (sim) => [(await uploaded(sim)).visit_url, namedFile]],
  [
    'an image of a generation',
    async (sim) => {
      const { data } = await bodyOf(post(sim, '/v1/images/generations', { prompt: 'a fox' }))
      return [data[0].url, expect.stringMatching(/img_[0-9a-f]+, image 0$/)]
    },
  ],
  [
    'an image of an image job',
    async (sim) => {
      const { id, urls } = await drawing(sim)
      return [urls[3], `job ${id}, image 3`]
    },
  ],
  [
    'an image that is elsewhere, without user and password',
    async () => ['https://ann:secret@pictures.example:8080/a/cat.png?x=1', 'pictures.example:8080/cat.png'],
  ],
]

describe.each(Object.entries(makers))('%s names', (_, made) => {
  it.each(sources)('%s', async (_, prepare) => {
    const sim = atOnce()
    const [name, shown] = await prepare(sim)
    const text = (await made(sim, name)) as string
    expect(prefixes.reduce((rest, prefix) => rest.replace(prefix, ''), text)).toEqual(shown)
  })
})

describe('a source is named', () => {
  it('as it was at the submission, whatever is uploaded to its place', async () => {
    const sim = atOnce()
    const { path } = await uploaded(sim)
    const { urls } = await job(sim, 'retexture', { imgUrl: path, remixPrompt: 'in blue' })
    const before = mediaAt(sim, urls[0])
    await send(inside(sim), await target(inside(sim)), png(16))
    expect(mediaAt(sim, urls[0])).toEqual(before)
  })

  it('by the bytes that come with an edit, and by those of a form for a video', async () => {
    const sim = atOnce()
    const edit = form(['image', fileOf(png(4))], ['prompt', 'a hat'])
    const { data } = await sent(sim, '/v1/images/edits', edit)
    expect(mediaAt(sim, data[0].url).caption?.facts[1]).toMatch(/^edit of file [0-9a-f]{12}$/)
    const video = form(['prompt', 'a fox'], ['input_reference', fileOf(source)])
    expect(film(sim, (await sent(sim, '/v1/videos', video)).id)).toContain(`, from ${namedFile}`)
  })

  it('its image on its thumbnail', async () => {
    const sim = atOnce()
    const video = form(['prompt', 'a fox'], ['input_reference', fileOf(source)])
    const { id } = await sent(sim, '/v1/videos', video)
    const { caption } = mediaAt(sim, `/v1/videos/${id}/content?variant=thumbnail`)
    expect(caption?.facts).toContain(`from ${namedFile}`)
  })

  it.each([
    ['pan', { direction: 1, scale: 1.5 }],
    ['variation', { type: 0 }],
  ])('with the operation and the source job, when it comes of %s', async (name, rest) => {
    const sim = atOnce()
    const { id } = await drawing(sim)
    const body = { jobId: id, imageNo: 2, ...rest, model: undefined }
    const { urls } = await job(sim, name, body)
    expect(mediaAt(sim, urls[0]).caption).toMatchObject({
      prompt: 'a cat',
      facts: ['v7', `${name} of job ${id}, image 2`, expect.any(String), 'image 0'],
    })
  })
})

describe('an image job is made', () => {
  it('by remove-background as one image with a clear ground, as large as its source', async () => {
    const sim = atOnce()
    const { urls } = await drawing(sim, 'a cat --ar 16:9')
    const made = await job(sim, 'remove-background', { imgUrl: urls[0] })
    expect(mediaAt(sim, made.urls[0])).toMatchObject({ width: 1024, height: 576, transparent: true })
    expect(made.urls).toHaveLength(1)
  })

  it('by retexture as large as its source, unless the prompt says a size', async () => {
    const sim = atOnce()
    const [url] = (await drawing(sim, 'a cat --ar 16:9')).urls
    expect(await retexture(sim, url)).toMatchObject({ width: 1024, height: 576 })
    expect(await retexture(sim, url, 'in blue --ar 1:2')).toMatchObject({ width: 512, height: 1024 })
  })
})

it('an edit is another image for another first image, second image or mask', async () => {
  const sim = atOnce()
  const seeds = new Set<string>()
  const parts: readonly (readonly [string, File])[][] = [
    [['image', fileOf(png(6))]],
    [['image', fileOf(png(7))]],
    [
      ['image', fileOf(png(6))],
      ['mask', fileOf(png(6))],
    ],
  ]
  for (const files of parts) {
    const { data } = await sent(sim, '/v1/images/edits', form(...files, ['prompt', 'a hat']))
    seeds.add(mediaAt(sim, data[0].url).seed)
  }
  expect(seeds.size).toBe(3)
})

it('a video from another image is another film, and a remix names the image of its source', async () => {
  const sim = atOnce()
  const seeds = new Set<string>()
  for (const side of [6, 7]) {
    const body = form(['prompt', 'a fox'], ['input_reference', fileOf(png(side))])
    const { id } = await sent(sim, '/v1/videos', body)
    const { seed, label } = mediaAt(sim, `/v1/videos/${id}/content`)
    seeds.add(seed)
    const remix = await bodyOf(post(sim, `/v1/videos/${id}/remix`, { prompt: 'at night' }))
    expect(film(sim, remix.id)).toBe(label)
  }
  expect(seeds.size).toBe(2)
})
