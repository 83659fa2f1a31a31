/** Pictures of image jobs, looked at: what they were made from is in them (contract 4.1, 4.8). */
import { encode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { apart, clearShare, type Pixels, partOf, patterned, pixelsIn } from '../_pixels.ts'
import { inside, send, target } from '../files/_uploads.ts'
import { bodyOf, created, type Job } from './_jobs.ts'

const atOnce = (more: Parameters<typeof simulator>[0] = {}) =>
  simulator({ ...more, settings: { imageJobs: { submitted: 'terminal' } } })
type Sim = ReturnType<typeof simulator>

const read = async (sim: Sim, job: Job, index = 0): Promise<Pixels> =>
  pixelsIn(new Uint8Array(await (await sim.fetch(job.urls?.[index] as string)).arrayBuffer()))
const ask = (sim: Sim, name: string, body: object): Promise<Job> => bodyOf(post(sim, `/v1/tob/${name}`, body))
const uploaded = async (sim: Sim, bytes: Uint8Array<ArrayBuffer>) => {
  const there = await target(inside(sim))
  await send(inside(sim), there, bytes)
  return there
}

describe('upload-paint', () => {
  it.each(['path', 'visit_url'] as const)(
    'puts an upload, named by its %s, at imgPos and paints the areas',
    async (name) => {
      const sim = atOnce()
      const source = patterned(100, 80)
      const imgUrl = (await uploaded(sim, source))[name]
      const area = { width: 300, height: 200, points: [160, 70, 200, 70, 200, 110, 160, 110] }
      const picture = await read(
        sim,
        await ask(sim, 'upload-paint', {
          model: 'v7',
          imgUrl,
          mask: { areas: [area] },
          canvas: { width: 300, height: 200 },
          imgPos: { width: 100, height: 80, x: 150, y: 60 },
          remixPrompt: 'a hat',
        }),
      )
      expect([picture.width, picture.height]).toEqual([300, 200])
      const original = await pixelsIn(source)
      // Right of the area, below it, and in it.
      expect(partOf(picture, { x: 202, y: 60, width: 48, height: 80 })).toEqual(
        partOf(original, { x: 52, y: 0, width: 48, height: 80 }),
      )
      expect(partOf(picture, { x: 150, y: 112, width: 100, height: 28 })).toEqual(
        partOf(original, { x: 0, y: 52, width: 100, height: 28 }),
      )
      expect(
        apart(
          partOf(picture, { x: 165, y: 75, width: 30, height: 30 }),
          partOf(original, { x: 15, y: 15, width: 30, height: 30 }),
        ),
      ).toBeGreaterThan(5)
    },
  )
})

describe('pan', () => {
  it.each([
    ['down', 0, [1024, 1536], { x: 0, y: 0 }],
    ['right', 1, [1536, 1024], { x: 0, y: 0 }],
    ['up', 2, [1024, 1536], { x: 0, y: 512 }],
    ['left', 3, [1536, 1024], { x: 512, y: 0 }],
  ])('goes on %s and leaves the source as it is', async (_, direction, size, at) => {
    const sim = atOnce()
    const source = await created(sim)
    const picture = await read(
      sim,
      await ask(sim, 'pan', { jobId: source.id, imageNo: 1, direction, scale: 1.5 }),
    )
    expect([picture.width, picture.height]).toEqual(size)
    expect(
      partOf(picture, { ...at, width: 1024, height: 1024 }).equals((await read(sim, source, 1)).rgba),
    ).toBe(true)
  })
})

describe('remove-background', () => {
  it('leaves the figure of an upload and clears its corners', async () => {
    const sim = atOnce()
    const source = patterned(120)
    const picture = await read(
      sim,
      await ask(sim, 'remove-background', { model: 'v7', imgUrl: (await uploaded(sim, source)).path }),
    )
    const alpha = (x: number, y: number): number => picture.rgba[(y * picture.width + x) * 4 + 3] as number
    expect([alpha(0, 0), alpha(119, 0), alpha(0, 119), alpha(119, 119), alpha(60, 60)]).toEqual([
      0, 0, 0, 0, 255,
    ])
  })

  it('leaves a figure of a picture of ours', async () => {
    const sim = atOnce()
    const source = await created(sim)
    const share = clearShare(
      await read(sim, await ask(sim, 'remove-background', { model: 'v7', imgUrl: source.urls?.[0] })),
    )
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThan(0.95)
    expect(clearShare(await read(sim, source))).toBe(0)
  })
})

describe('variation', () => {
  it('differs a little when subtle, and more when strong', async () => {
    const sim = atOnce()
    const source = await created(sim)
    const original = (await read(sim, source)).rgba
    const distance = async (type: number): Promise<number> =>
      apart(
        (await read(sim, await ask(sim, 'variation', { jobId: source.id, imageNo: 0, type }))).rgba,
        original,
      )
    const [strong, subtle] = [await distance(0), await distance(1)]
    expect(subtle).toBeGreaterThan(0)
    expect(strong).toBeGreaterThan(subtle * 1.5)
  })

  it('of an uploaded picture that a script has put in the place of a result is like that one', async () => {
    const sim = atOnce({
      scenarios: [
        {
          title: 'given',
          given: {
            files: [{ path: 'a.png', content: { base64: Buffer.from(patterned(200)).toString('base64') } }],
            imageJobs: [{ id: 'job-1', urls: ['cos://a.png'] }],
          },
        },
      ],
    })
    const original = (await pixelsIn(patterned(200))).rgba
    const picture = await read(sim, await ask(sim, 'variation', { jobId: 'job-1', imageNo: 0, type: 1 }))
    const other = await read(sim, await ask(sim, 'variation', { jobId: 'job-1', imageNo: 0, type: 0 }))
    expect([picture.width, picture.height]).toEqual([200, 200])
    expect(apart(picture.rgba, original)).toBeLessThan(apart(other.rgba, original))
  })
})

describe('retexture', () => {
  it('is the source in other colours: what was one colour still is, and edges stay', async () => {
    const sim = atOnce()
    const halves = encode({
      width: 64,
      height: 64,
      channels: 3,
      data: Uint8Array.from(
        { length: 64 * 64 * 3 },
        (_, at) => (Math.floor(at / 3) % 64 < 32 ? 40 : 200) + (at % 3) * 15,
      ),
    }) as Uint8Array<ArrayBuffer>
    const picture = await read(
      sim,
      await ask(sim, 'retexture', {
        model: 'v7',
        imgUrl: (await uploaded(sim, halves)).path,
        remixPrompt: 'in blue',
      }),
    )
    const colours = (x: number): Set<string> =>
      new Set(
        Array.from({ length: 32 }, (_, at) =>
          partOf(picture, { x: x + at, y: 0, width: 1, height: 1 }).toString('hex'),
        ),
      )
    const [left, right] = [[...colours(0)], [...colours(32)]]
    expect([left.length, right.length]).toEqual([1, 1])
    expect(left).not.toEqual(right)
    const original = await pixelsIn(halves)
    expect(left).not.toContain(partOf(original, { x: 0, y: 0, width: 1, height: 1 }).toString('hex'))
    expect(right).not.toContain(partOf(original, { x: 63, y: 0, width: 1, height: 1 }).toString('hex'))
  })
})

describe('a source that is not here', () => {
  it('has a stand-in, another one for another name', async () => {
    const sim = atOnce()
    // Right of the area, where nothing else is drawn.
    const picture = async (imgUrl: string): Promise<Buffer> =>
      partOf(
        await read(
          sim,
          await ask(sim, 'upload-paint', {
            model: 'v7',
            imgUrl,
            mask: { areas: [{ width: 10, height: 10, points: [0, 0, 1, 0, 1, 1] }] },
            canvas: { width: 400, height: 400 },
            imgPos: { width: 400, height: 400, x: 0, y: 0 },
            remixPrompt: 'a hat',
          }),
        ),
        { x: 200, y: 0, width: 200, height: 400 },
      )
    expect(
      (await picture('https://a.example/cat.png')).equals(await picture('https://b.example/dog.png')),
    ).toBe(false)
  })

  it('or is broken after all does not fail', async () => {
    const sim = atOnce()
    const source = patterned(50)
    // A whole file by its chunks, whose pixels are none.
    source.fill(0xff, 60, 200)
    const job = await ask(sim, 'retexture', {
      model: 'v7',
      imgUrl: (await uploaded(sim, source)).path,
      remixPrompt: 'in blue',
    })
    expect((await sim.fetch(job.urls?.[0] as string)).status).toBe(200)
  })
})

describe('the same requests', () => {
  it('give the same bytes in two simulators of one seed', async () => {
    const bytes: string[] = []
    for (let run = 0; run < 2; run++) {
      const sim = atOnce({ seed: 'fox' })
      const { path } = await uploaded(sim, patterned(90))
      const cut = await ask(sim, 'remove-background', { model: 'v7', imgUrl: path })
      const wide = await ask(sim, 'pan', { jobId: cut.id, imageNo: 0, direction: 3, scale: 2 })
      bytes.push(
        Buffer.from(await (await sim.fetch(wide.urls?.[0] as string)).arrayBuffer()).toString('base64'),
      )
    }
    expect(bytes[0] === bytes[1]).toBe(true)
  })
})
