/**
 * What the images of image jobs are made from: as it is described, before it is drawn. Nothing is fetched.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ImageMedia, Transform } from '../../../src/protocol/media.ts'
import { describeIntegrations, jsonCall, post, simulator } from '../../_setup.ts'
import { described, seenFrom } from '../_described.ts'
import { inside, send, target } from '../files/_uploads.ts'
import { png } from '../images/_images.ts'
import { bodyOf, created, ended, imgUrl, type Job } from './_jobs.ts'

type Sim = ReturnType<typeof simulator>

const atOnce = (more: Parameters<typeof simulator>[0] = {}): Sim =>
  simulator({ ...more, settings: { imageJobs: { submitted: 'finished' }, ...more.settings } })
const url = (job: Job, index = 0): string => job.urls?.[index] as string
const retexture = async (sim: Sim, of: string, prefix = '', remixPrompt = 'in blue'): Promise<Job> =>
  bodyOf(post(sim, `${prefix}/v1/tob/retexture`, { model: 'v7', imgUrl: of, remixPrompt }))
const fromOf = async (sim: Sim, of: string): Promise<Transform> =>
  described(sim, url(await retexture(sim, of))).from as Transform
/** An image of ours as the source of another one. */
const drawnFrom = (sim: Sim, of: string) => ({ kind: 'drawn', image: described(sim, of) })
const variation = (sim: Sim, jobId: string, imageNo: number, type = 1): Promise<Job> =>
  bodyOf(post(sim, '/v1/tob/variation', { jobId, imageNo, type }))
const sourcesOf = (sim: Sim) => sim.core.sessions.get('default').sandbox.sources
const uploaded = async (sim: Sim, bytes = png(8, 4), path = 'images/cat.png') => {
  const there = await target(inside(sim), path)
  await send(inside(sim), there, bytes, { 'content-type': 'image/png' })
  return there
}
const absent = (name: string): unknown => ({ kind: 'recolour', source: { kind: 'absent', name } })

const givenFile = { path: 'a.png', content: { image: { width: 30, height: 20 } } }

const paint = {
  model: 'v7',
  imgUrl,
  canvas: { width: 800, height: 600 },
  imgPos: { width: 400, height: 300, x: -10, y: 20 },
  remixPrompt: 'a hat',
}
const area = { width: 100, height: 100, points: [0, 0, 10, 0, 10, 50] }
const painted = async (sim: Sim, change: object): Promise<ImageMedia> =>
  described(sim, url(await bodyOf(post(sim, '/v1/tob/upload-paint', { ...paint, ...change }))))

describe('an image of an image job says', () => {
  it('the prompt, the model, its size and its number, when it is drawn from a prompt alone', async () => {
    const sim = atOnce()
    expect(described(sim, url(await created(sim, 'a cat --ar 16:9'), 2))).toEqual({
      kind: 'image',
      width: 1024,
      height: 576,
      format: 'png',
      transparent: false,
      seed: expect.stringMatching(/^[0-9a-f]{32}\/2$/),
      caption: { prompt: 'a cat --ar 16:9', facts: ['v7', '1024 x 576', 'picture 3'] },
    })
  })

  it.each([
    ['pan', { direction: 1, scale: 1.5 }],
    ['variation', { type: 0 }],
  ])('the operation too, when it comes of %s', async (name, rest) => {
    const sim = atOnce()
    const { id } = await created(sim)
    const ask = (more: object): Promise<Job> =>
      bodyOf(post(sim, `/v1/tob/${name}`, { jobId: id, imageNo: 0, ...rest, ...more }))
    expect(described(sim, url(await ask({}))).caption).toMatchObject({
      prompt: 'a cat',
      facts: ['v7', name, expect.any(String), 'picture 1'],
    })
    expect(described(sim, url(await ask({ remixPrompt: 'a hat' }))).caption?.prompt).toBe('a hat')
  })

  it('no prompt, when there is none', async () => {
    const sim = atOnce()
    const job = await bodyOf(post(sim, '/v1/tob/remove-background', { model: 'v7', imgUrl }))
    expect(described(sim, url(job)).caption).toEqual({
      prompt: '',
      facts: ['v7', 'remove-background', '1024 x 1024', 'picture 1'],
    })
  })

  it('the beginning of a long prompt', async () => {
    const sim = atOnce()
    const { caption } = described(sim, url(await created(sim, 'word '.repeat(1600))))
    expect(caption?.prompt.length).toBeLessThanOrEqual(1000)
  })
})

describe('an image job is made', () => {
  it.each([
    ['variation', { type: 0 }, { kind: 'vary', strength: 'strong' }],
    ['variation', { type: 1 }, { kind: 'vary', strength: 'subtle' }],
    ['pan', { direction: 0, scale: 1.5 }, { kind: 'extend', direction: 0 }],
    ['pan', { direction: 3, scale: 1.5 }, { kind: 'extend', direction: 3 }],
  ])('by %s %j from the image of its source job', async (name, rest, work) => {
    const sim = atOnce()
    const source = await created(sim, 'a cat --ar 16:9')
    const job = await bodyOf(post(sim, `/v1/tob/${name}`, { jobId: source.id, imageNo: 2, ...rest }))
    expect(described(sim, url(job, 1)).from).toEqual({ ...work, source: drawnFrom(sim, url(source, 2)) })
  })

  it('by remove-background as one image with a clear ground, as large as its source', async () => {
    const sim = atOnce()
    const source = await created(sim, 'a cat --ar 16:9')
    const job = await bodyOf(post(sim, '/v1/tob/remove-background', { model: 'v7', imgUrl: url(source) }))
    expect(described(sim, url(job))).toMatchObject({
      width: 1024,
      height: 576,
      transparent: true,
      from: { kind: 'cut-out', source: drawnFrom(sim, url(source)) },
    })
    expect(job.urls).toHaveLength(1)
  })

  it('by retexture as large as its source, unless the prompt says a size', async () => {
    const sim = atOnce()
    const source = url(await created(sim, 'a cat --ar 16:9'))
    expect(described(sim, url(await retexture(sim, source)))).toMatchObject({
      width: 1024,
      height: 576,
      from: { kind: 'recolour', source: drawnFrom(sim, source) },
    })
    const upright = await retexture(sim, source, '', 'in blue --ar 1:2')
    expect(described(sim, url(upright))).toMatchObject({ width: 512, height: 1024 })
  })

  it('by upload-paint from a canvas with the source in its place, and areas in its pixels', async () => {
    const mask = { areas: [area, { ...area, width: 800, height: 600 }] }
    expect((await painted(atOnce(), { mask })).from).toEqual({
      kind: 'paint',
      source: { kind: 'absent', name: 'example.com/cat.png' },
      at: { width: 400, height: 300, x: -10, y: 20 },
      canvas: { width: 800, height: 600 },
      areas: [
        [0, 0, 80, 0, 80, 300],
        [0, 0, 10, 0, 10, 50],
      ],
    })
  })

  it('by upload-paint from a mask, too', async () => {
    const sim = atOnce()
    const mask = await uploaded(sim)
    const { from } = await painted(sim, { mask: { url: mask.path } })
    expect(from).toMatchObject({ kind: 'paint', areas: [], mask: { kind: 'sent' } })
    const own = url(await created(sim))
    expect((await painted(sim, { mask: { areas: [area], url: own } })).from).toMatchObject({
      areas: [[0, 0, 80, 0, 80, 300]],
      mask: drawnFrom(sim, own),
    })
  })

  it('by upload-paint with a canvas beyond a image: all of it smaller in the same measure', async () => {
    const { width, height, from } = await painted(atOnce(), {
      canvas: { width: 8000, height: 4000 },
      imgPos: { width: 4000, height: 4000, x: 4000, y: 0 },
      mask: { areas: [{ width: 8000, height: 4000, points: [0, 0, 8000, 0, 8000, 4000] }] },
    })
    expect([width, height, from]).toEqual([
      4096,
      2048,
      expect.objectContaining({
        canvas: { width: 4096, height: 2048 },
        at: { width: 2048, height: 2048, x: 2048, y: 0 },
        areas: [[0, 0, 4096, 0, 4096, 2048]],
      }),
    ])
  })
})

describe('what is painted on a canvas', () => {
  it('leaves out points of large areas, and none of small ones beside them', async () => {
    const ring = (corners: number): number[] =>
      Array.from({ length: corners }, (_, corner) => [corner, corner % 7]).flat()
    const areas = [
      { width: 100, height: 100, points: ring(3000) },
      { width: 100, height: 100, points: [1, 2, 30, 4, 5, 60] },
      { width: 100, height: 100, points: ring(5) },
    ]
    const { areas: kept } = (
      await painted(atOnce(), { canvas: { width: 100, height: 100 }, mask: { areas } })
    ).from as Extract<Transform, { kind: 'paint' }>
    expect(kept[1]).toEqual([1, 2, 30, 4, 5, 60])
    // Every one that is left stands where it stood.
    expect((kept[0] as number[]).length).toBeLessThan(2 * 600)
    expect((kept[0] as number[]).slice(0, 6)).toEqual([0, 0, 6, 6, 12, 5])
    expect((kept[2] as number[]).length).toBeGreaterThanOrEqual(6)
  })
})

describe('a source is', () => {
  it('an image of an earlier job, by its address on any host, behind any prefix', async () => {
    const sim = atOnce()
    const source = await created(sim)
    const { pathname } = new URL(url(source, 3))
    const expected = { kind: 'recolour', source: drawnFrom(sim, url(source, 3)) }
    for (const address of [
      url(source, 3),
      `https://gateway.example/base${pathname}`,
      `http://10.0.0.1:4010/s/default${pathname}?x=1#y`,
    ])
      expect(await fromOf(sim, address), address).toEqual(expected)
  })

  it('an image of a generation, by its address', async () => {
    const sim = atOnce()
    const { data } = await bodyOf<{ data: { url: string }[] }>(
      post(sim, '/v1/images/generations', { prompt: 'a fox', n: 2, size: '256x256' }),
    )
    const address = data[1]?.url as string
    expect(await fromOf(sim, address)).toEqual({ kind: 'recolour', source: drawnFrom(sim, address) })
    sim.clock.advance('1h')
    expect(await fromOf(sim, address)).toEqual(absent('1.png'))
  })

  it.each(['path', 'visit_url', 'upload_url'] as const)(
    'a file that was uploaded, by its %s',
    async (name) => {
      const sim = atOnce()
      const there = await uploaded(sim)
      const job = described(sim, url(await retexture(sim, there[name])))
      expect([job.width, job.height]).toEqual([8, 4])
      expect(job.from).toMatchObject({
        kind: 'recolour',
        source: { kind: 'sent', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      })
      const { content } = (job.from as { source: { content: Uint8Array } }).source
      expect(Buffer.from(content).equals(png(8, 4))).toBe(true)
    },
  )

  it('a file that a scenario gives', async () => {
    const sim = atOnce({ scenarios: [{ title: 'given', given: { files: [givenFile] } }] })
    expect(described(sim, url(await retexture(sim, 'cos://a.png')))).toMatchObject({
      width: 30,
      height: 20,
      from: { source: { kind: 'sent' } },
    })
  })

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
    expect(await fromOf(atOnce(), address)).toEqual(absent(name))
  })

  it('absent for images of ours that are unfinished, blocked, missing or of another session', async () => {
    const sim = simulator()
    const blocked = await ended(sim, 'a cat [sim:blocked-1]')
    const running = await created(sim)
    const other = (await bodyOf(
      post(sim, '/s/other/v1/tob/diffusion', { model: 'v7', text: 'a cat [sim:finished]' }),
    )) as Job
    const sources: Transform[] = []
    for (const address of [
      `http://gateway.test/media/image-jobs/${running.id}/0.png`,
      url(blocked, 1),
      url(blocked).replace('0.png', '4.png'),
      url(other),
    ]) {
      const { id } = await retexture(sim, address, '/s/default')
      sim.clock.advance('40s')
      sources.push(described(sim, `/media/image-jobs/${id}/0.png`).from as Transform)
    }
    expect(sources).toEqual([absent('0.png'), absent('1.png'), absent('4.png'), absent('gateway.test/0.png')])
  })

  it('the address that a script has put in the place of an image', async () => {
    const given = {
      files: [givenFile],
      imageJobs: [
        { id: 'job-1', urls: ['https://cdn.example/x/cat.png', 'cos://a.png'] },
        { id: 'job-2', images: 2 },
      ],
    }
    const sim = atOnce({ scenarios: [{ title: 'given', given }] })
    const vary = async (jobId: string, imageNo: number): Promise<ImageMedia> =>
      described(sim, url(await variation(sim, jobId, imageNo)))
    expect((await vary('job-1', 0)).from).toEqual({
      kind: 'vary',
      strength: 'subtle',
      source: { kind: 'absent', name: 'cdn.example/cat.png' },
    })
    expect((await vary('job-1', 1)).from).toMatchObject({ source: { kind: 'sent' } })
    const own = await vary('job-2', 1)
    expect(own.from).toMatchObject({
      source: { kind: 'drawn', image: { caption: { facts: ['image-job-v7', '1024 x 1024', 'picture 2'] } } },
    })
  })
})

describe('whatever stands in an address', () => {
  const id = fc.constantFrom(
    ...['nothing', '__proto__', 'constructor', '%', '%ff', '%00', '..', 'a%2Fb', '54dba2a8-x'],
    ...['\ud83d', '漢', 'x'.repeat(200)],
  )
  const image = fc.constantFrom(
    ...['0.png', '-1.png', '9'.repeat(30), '0.png?x=/media/images/a/0.png', '%30.png', '__proto__', '#', ''],
  )
  const address = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('http://a', 'https://ann:secret@b:1', 'HTTP://C/s/d', 'https://[::1]'),
        fc.constantFrom('/media/images/', '/media/image-jobs/', '/storage/cos-54dba2a8-local/', '/x/'),
        id,
        image,
      )
      .map(([host, path, name, last]) => `${host}${path}${name}/${last}`),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `https://a/${text}`),
  )

  it('is rejected, or drawn from: never an error of ours, never user and password', async () => {
    const sim = atOnce({ settings: { limits: { activeImageJobs: 1_000_000 } } })
    let taken = 0
    await fc.assert(
      fc.asyncProperty(address, async (imgUrl) => {
        const response = await post(sim, '/v1/tob/retexture', { model: 'v7', imgUrl, remixPrompt: 'in blue' })
        expect([200, 400]).toContain(response.status)
        if (response.status === 400) return
        taken++
        const { from } = described(sim, url((await response.json()) as Job))
        const { name } = (from as { source: { name: string } }).source
        expect(name).not.toContain('secret')
        expect(name.length).toBeLessThanOrEqual(101)
      }),
      { numRuns: 120, seed: 1 },
    )
    expect(taken).toBeGreaterThan(20)
  })
})

describe('a source stays', () => {
  it('as it was when the job was submitted, whatever is uploaded to its place', async () => {
    const sim = atOnce()
    const there = await uploaded(sim)
    const job = url(await retexture(sim, there.path))
    const before = described(sim, job)
    await uploaded(sim, png(16, 16))
    expect(described(sim, job)).toEqual(before)
  })

  it('until it is evicted; then a stand-in is drawn', async () => {
    const sim = atOnce()
    const job = url(await retexture(sim, (await uploaded(sim, png(8), '8.png')).path))
    expect(described(sim, job).from?.source.kind).toBe('sent')
    sourcesOf(sim).clear()
    expect(described(sim, job).from).toEqual(absent('8.png'))
  })

  it('once, however many jobs are made from it', async () => {
    const sim = atOnce()
    const there = await uploaded(sim)
    for (let index = 0; index < 5; index++)
      await retexture(sim, index % 2 === 0 ? there.path : there.visit_url)
    const { sources, uploads } = sim.core.sessions.get('default').sandbox
    expect([sources.count, sources.size]).toEqual([1, png(8, 4).length])
    // The very bytes of the upload, not a copy of them.
    const { bytes } = uploads.get('cos images/cat.png') as { bytes: { content: unknown; sha256: string } }
    expect(bytes.content).toBe(sources.get(bytes.sha256))
  })

  it('until a reset', async () => {
    const sim = atOnce()
    await retexture(sim, (await uploaded(sim)).path)
    sim.resetAll()
    expect(sourcesOf(sim).count).toBe(0)
  })

  it('when its job is dropped, as far as others were made from it', async () => {
    const sim = atOnce()
    const first = await created(sim)
    const before = described(sim, url(first, 1))
    const job = await retexture(sim, url(first, 1))
    sim.core.sessions.get('default').sandbox.store.remove('imageJob', first.id)
    expect((await sim.fetch(url(first, 1))).status).toBe(404)
    expect(described(sim, url(job)).from).toEqual({
      kind: 'recolour',
      source: { kind: 'drawn', image: before },
    })
  })

  it('through a chain of edits, each from the one before; at the limit from a placeholder', async () => {
    const sim = atOnce()
    let job = await created(sim)
    const begun: number[] = []
    for (let step = 1; step <= 140; step++) {
      const before = described(sim, url(job))
      job = await variation(sim, job.id, 0, step % 2)
      const { from } = described(sim, url(job))
      if (from?.source.kind === 'absent') begun.push(step)
      else expect(from?.source).toEqual({ kind: 'drawn', image: before })
    }
    expect(begun).toEqual([65, 130])
    expect(described(sim, url(job)).seed).toMatch(/^[0-9a-f]{32}\/0$/)
  })
})

describe('a mask that is made of others', () => {
  it('is followed; images that mask each other do not grow: beyond the limit masks are dropped', async () => {
    const sim = atOnce()
    let [one, other] = [await created(sim, 'a cat'), await created(sim, 'a dog')]
    const count = ({ from }: ImageMedia): number => {
      const sources = from === undefined ? [] : [from.source, 'mask' in from ? from.mask : undefined]
      return sources.reduce((sum, one) => sum + (one?.kind === 'drawn' ? count(one.image) : 0), 1)
    }
    const counts: number[] = []
    for (let step = 0; step < 8; step++) {
      const ask = (image: Job, mask: Job): Promise<Job> => {
        const body = { ...paint, imgUrl: url(image), mask: { url: url(mask) } }
        return bodyOf(post(sim, '/v1/tob/upload-paint', body))
      }
      ;[one, other] = [await ask(one, other), await ask(other, one)]
      counts.push(count(described(sim, url(one))))
    }
    expect(counts).toEqual([3, 7, 15, 31, 63, 64, 65, 1])
    expect(described(sim, url(one)).from).toMatchObject({
      source: { kind: 'absent', name: 'an image with 64 steps' },
      mask: { kind: 'absent' },
    })
  })
})

describe('the same request', () => {
  const sessions = ['', '/s/mine', '/s/another-name']

  it('is the same image in every session, whatever ids and prefixes stand in it', async () => {
    const seen = new Set<string>()
    for (const prefix of sessions) {
      const sim = atOnce()
      const ask = async (path: string, body: object): Promise<Job> =>
        bodyOf(post(sim, `${prefix}${path}`, body))
      const source = await ask('/v1/tob/diffusion', { model: 'v7', text: 'a cat' })
      const panned = await ask('/v1/tob/pan', { jobId: source.id, imageNo: 1, direction: 2, scale: 2 })
      const coloured = await retexture(sim, url(panned, 1), prefix, `like ${panned.id}`)
      const gone = await ask('/v1/tob/upload-paint', {
        ...paint,
        imgUrl: url(coloured).replace('0.png', '7.png'),
        mask: { areas: [area], url: url(source) },
      })
      seen.add([coloured, gone].map((job) => seenFrom(described(sim, url(job)))).join())
    }
    expect([...seen]).toHaveLength(1)
  })

  it('is the same image by path and by address, on this host or that', async () => {
    const sim = atOnce()
    const { path, visit_url } = await uploaded(sim)
    const seen = new Set<string>()
    for (const name of [path, visit_url, visit_url.replace('gateway.test', '127.0.0.1:4010')])
      seen.add(seenFrom(described(sim, url(await retexture(sim, name)))))
    expect([...seen]).toHaveLength(1)
  })

  it('is another image of another source, though all else is the same', async () => {
    const sim = atOnce()
    const source = await created(sim)
    const names = [
      url(source),
      url(source, 1),
      (await uploaded(sim)).path,
      (await uploaded(sim, png(5), 'b.png')).path,
      'https://a.example/cat.png',
      'https://a.example/other/cat.png',
    ]
    const seeds = new Set<string>()
    for (const name of names) seeds.add(described(sim, url(await retexture(sim, name))).seed)
    for (const mask of [
      { areas: [area] },
      { areas: [{ ...area, width: 50 }] },
      { url: 'https://a.example/mask.png' },
      { url: 'https://b.example/mask.png' },
    ])
      seeds.add((await painted(sim, { mask })).seed)
    expect(seeds.size).toBe(10)
  })
})

describeIntegrations('an uploaded image', (integration) => {
  it('is what its edit is made from', async () => {
    const sim = atOnce()
    const way = await integration.open(sim)
    const there = await target(way)
    expect((await send(way, there, png(8, 4), { 'content-type': 'image/png' })).status).toBe(200)
    const ask = (of: string): Promise<Job> =>
      bodyOf(way.fetch(`${way.url}/v1/tob/remove-background`, jsonCall({ model: 'v7', imgUrl: of })))
    const job = await ask(there.visit_url)
    const path = new URL(url(job)).pathname.replace(/^\/gateway/, '')
    expect(described(sim, path)).toMatchObject({
      width: 8,
      height: 4,
      from: { kind: 'cut-out', source: { kind: 'sent' } },
    })
    const again = await ask(url(job))
    expect(described(sim, new URL(url(again)).pathname.replace(/^\/gateway/, ''))).toMatchObject({
      from: { source: { kind: 'drawn', image: { from: { source: { kind: 'sent' } } } } },
    })
  })
})
