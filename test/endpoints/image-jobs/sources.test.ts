/** What the images of image jobs say of their sources. Nothing is fetched. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { described } from '../_described.ts'
import { inside, send, target } from '../files/_uploads.ts'
import { png } from '../images/_images.ts'
import { bodyOf, created, type Job } from './_jobs.ts'

type Sim = ReturnType<typeof simulator>

const atOnce = (more: Parameters<typeof simulator>[0] = {}): Sim =>
  simulator({ ...more, settings: { imageJobs: { submitted: 'finished' }, ...more.settings } })
const url = (job: Job, index = 0): string => job.urls?.[index] as string
const retexture = async (sim: Sim, of: string, prefix = '', remixPrompt = 'in blue'): Promise<Job> =>
  bodyOf(post(sim, `${prefix}/v1/tob/retexture`, { model: 'v7', imgUrl: of, remixPrompt }))
/** What an image says of how it was made. */
const madeBy = (sim: Sim, job: Job, index = 0): string | undefined =>
  described(sim, url(job, index)).caption?.facts[1]
const recolouredFrom = async (sim: Sim, of: string): Promise<string | undefined> =>
  madeBy(sim, await retexture(sim, of))
const fileName = (bytes: Uint8Array): string =>
  `file ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`
const uploaded = async (sim: Sim, bytes = png(8, 4), path = 'images/cat.png') => {
  const there = await target(inside(sim), path)
  await send(inside(sim), there, bytes, { 'content-type': 'image/png' })
  return there
}

describe('an image of an image job says', () => {
  it.each([
    ['pan', { direction: 1, scale: 1.5 }],
    ['variation', { type: 0 }],
  ])('the operation and the source job too, when it comes of %s', async (name, rest) => {
    const sim = atOnce()
    const { id } = await created(sim)
    const ask = (more: object): Promise<Job> =>
      bodyOf(post(sim, `/v1/tob/${name}`, { jobId: id, imageNo: 2, ...rest, ...more }))
    expect(described(sim, url(await ask({}))).caption).toMatchObject({
      prompt: 'a cat',
      facts: ['v7', `${name} of job ${id}, image 2`, expect.any(String), 'image 0'],
    })
    expect(described(sim, url(await ask({ remixPrompt: 'a hat' }))).caption?.prompt).toBe('a hat')
  })
})

describe('an image job is made', () => {
  it('by remove-background as one image with a clear ground, as large as its source', async () => {
    const sim = atOnce()
    const source = await created(sim, 'a cat --ar 16:9')
    const job = await bodyOf(post(sim, '/v1/tob/remove-background', { model: 'v7', imgUrl: url(source) }))
    expect(described(sim, url(job))).toMatchObject({ width: 1024, height: 576, transparent: true })
    expect(madeBy(sim, job)).toBe(`remove-background of job ${source.id}, image 0`)
    expect(job.urls).toHaveLength(1)
  })

  it('by retexture as large as its source, unless the prompt says a size', async () => {
    const sim = atOnce()
    const source = url(await created(sim, 'a cat --ar 16:9'))
    expect(described(sim, url(await retexture(sim, source)))).toMatchObject({ width: 1024, height: 576 })
    const upright = await retexture(sim, source, '', 'in blue --ar 1:2')
    expect(described(sim, url(upright))).toMatchObject({ width: 512, height: 1024 })
  })
})

describe('a source is', () => {
  it('an image of an earlier job, by its address on any host, behind any prefix', async () => {
    const sim = atOnce()
    const source = await created(sim)
    const { pathname } = new URL(url(source, 3))
    const expected = `retexture of job ${source.id}, image 3`
    for (const address of [
      url(source, 3),
      `https://gateway.example/base${pathname}`,
      `http://10.0.0.1:4010/s/default${pathname}?x=1#y`,
    ])
      expect(await recolouredFrom(sim, address), address).toBe(expected)
  })

  it.each(['path', 'visit_url', 'upload_url'] as const)(
    'a file that was uploaded, by its %s',
    async (name) => {
      const sim = atOnce()
      const there = await uploaded(sim)
      const job = await retexture(sim, there[name])
      expect(described(sim, url(job))).toMatchObject({ width: 8, height: 4 })
      expect(madeBy(sim, job)).toBe(`retexture of ${fileName(png(8, 4))}`)
    },
  )

  it.each([
    ['https://pictures.example/a/b/cat.png?size=5', 'pictures.example/cat.png'],
    ['https://ann:secret@pictures.example:8080/cat.png', 'pictures.example:8080/cat.png'],
    ['https://ann:sec@ret@pictures.example/cat.png', 'pictures.example/cat.png'],
    ['https://pictures.example', 'pictures.example'],
    ['https://pictures.example/', 'pictures.example'],
    ['https://pictures.example/%F0%9F%90%88.png', 'pictures.example/🐈.png'],
    ['https://pictures.example/%ff.png', 'pictures.example/%ff.png'],
    ['https://pictures.example/media/image-jobs/nothing/0.png', 'pictures.example/0.png'],
    [`https://pictures.example/${'a'.repeat(900)}`, `pictures.example/${'a'.repeat(82)}…`],
  ])('absent at %s, which is never fetched', async (address, name) => {
    expect(await recolouredFrom(atOnce(), address)).toBe(`retexture of ${name}`)
  })
})
