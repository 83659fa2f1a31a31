import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { rejectsModelsWithout, rejectsWhatIsWrongWithItsImage } from './_image-url.ts'
import {
  bodyOf,
  empty,
  imageSize,
  imgUrl,
  polled,
  rejection,
  runningJob,
  tooLong,
  unsuitable,
} from './_jobs.ts'

const path = '/v1/tob/upload-paint'
const area = { width: 100, height: 100, points: [0, 0, 10, 0, 10, 10] }
const body = {
  model: 'v7',
  imgUrl,
  mask: { areas: [area] },
  canvas: { width: 800, height: 600 },
  imgPos: { width: 400, height: 300, x: -10, y: 0 },
  remixPrompt: 'a hat',
}

describe('imageJobs.uploadPaint rejects', () => {
  rejectsWhatIsWrongWithItsImage(path, body)
  rejectsModelsWithout('uploadPaint', 'upload-paint', path, body)

  const noAddress =
    'expected an http or https URL such as https://example.com/image.png, or the `path` of an uploaded ' +
    'file, got "mask.png"'
  const least = 'expected at least 1, got 0'
  const noField = 'is not a field of this request: remove it'
  const whole = (got: number): string => `expected a whole number, got ${got}`
  const inArea = (change: object) => ({ mask: { areas: [{ ...area, ...change }] } })
  const inCanvas = (change: object) => ({ canvas: { width: 1, height: 1, ...change } })
  const inPlace = (change: object) => ({ imgPos: { ...body.imgPos, ...change } })

  it.each([
    ['no mask', { mask: undefined }, 'mask', 'is required: expected an object'],
    ['a mask of nothing', { mask: {} }, 'mask', 'expected `areas`, `url` or both, got neither'],
    ['a mask without an area', { mask: { areas: [] } }, 'mask.areas', 'expected at least 1 item, got 0'],
    ['a mask that is an address', { mask: imgUrl }, 'mask', `expected an object, got "${imgUrl}"`],
    ['a mask address that is none', { mask: { url: 'mask.png' } }, 'mask.url', noAddress],
    [
      '5 numbers of points',
      { mask: { areas: [area, { ...area, points: [1, 2, 3, 4, 5] }] } },
      'mask.areas[1].points',
      'expected at least 6 items, got 5',
    ],
    [
      '7 numbers of points',
      inArea({ points: [1, 2, 3, 4, 5, 6, 7] }),
      'mask.areas[0].points',
      'expected an even number of coordinates (x and y alternate), got 7',
    ],
    [
      'a point that is no whole number',
      inArea({ points: [1, 2, 3, 4, 5, 6.5] }),
      'mask.areas[0].points[5]',
      whole(6.5),
    ],
    ['an area of no width', inArea({ width: 0 }), 'mask.areas[0].width', least],
    ['an area of no height', inArea({ height: 0 }), 'mask.areas[0].height', least],
    ['an area of half a width', inArea({ width: 0.5 }), 'mask.areas[0].width', whole(0.5)],
    [
      'an area without a height',
      inArea({ height: undefined }),
      'mask.areas[0].height',
      'is required: expected a number',
    ],
    ['no canvas', { canvas: undefined }, 'canvas', 'is required: expected an object'],
    ['a canvas of no width', inCanvas({ width: 0 }), 'canvas.width', least],
    ['a canvas of no height', inCanvas({ height: 0 }), 'canvas.height', least],
    ['a canvas of half a height', inCanvas({ height: 0.5 }), 'canvas.height', whole(0.5)],
    ['no imgPos', { imgPos: undefined }, 'imgPos', 'is required: expected an object'],
    ['an imgPos of no width', inPlace({ width: 0 }), 'imgPos.width', least],
    ['an imgPos of no height', inPlace({ height: 0 }), 'imgPos.height', least],
    ['an imgPos between two pixels', inPlace({ x: 0.5 }), 'imgPos.x', whole(0.5)],
    ['an imgPos without y', inPlace({ y: undefined }), 'imgPos.y', 'is required: expected a number'],
    ['no prompt', { remixPrompt: undefined }, 'remixPrompt', 'is required: expected a string'],
    ['an empty prompt', { remixPrompt: '' }, 'remixPrompt', empty],
    ['a prompt of 8193 characters', { remixPrompt: 'a'.repeat(8193) }, 'remixPrompt', tooLong],
    ['an unknown property', { prompt: 'a hat' }, 'prompt', noField],
    ['an unknown property further down', inCanvas({ depth: 1 }), 'canvas.depth', noField],
  ])('%s (400, code 2004)', async (_, change, field, sentence) => {
    expect(await bodyOf(post(simulator(), path, { ...body, ...change }), 400)).toEqual(
      unsuitable(field, sentence),
    )
  })

  it('every field that is missing, each with its own detail', async () => {
    const details = [
      ...['model a string', 'imgUrl a string', 'mask an object'],
      ...['canvas an object', 'imgPos an object', 'remixPrompt a string'],
    ].map((words) => {
      const [, field = '', kind] = /^(\w+) (.*)$/.exec(words) ?? []
      return { code: 2004, field, message: `\`${field}\`: is required: expected ${kind}` }
    })
    expect(await bodyOf(post(simulator(), path, {}), 400)).toEqual(
      rejection({
        message: `${details[0]?.message} (and 5 more errors, see details).`,
        param: 'model',
        details,
      }),
    )
  })
})

describe('imageJobs.uploadPaint answers', () => {
  it('with a running job', async () => {
    expect(await bodyOf(post(simulator(), path, body))).toEqual(runningJob('a hat'))
  })

  it.each([
    ['a mask image in the place of areas', { mask: { url: 'http://example.com/mask.png' } }],
    ['both kinds of mask', { mask: { url: imgUrl, areas: [area] } }],
    [
      'the smallest canvas and image',
      { canvas: { width: 1, height: 1 }, imgPos: { width: 1, height: 1, x: 0, y: -1 } },
    ],
    [
      'an area of one pixel with the fewest points',
      { mask: { areas: [{ width: 1, height: 1, points: [0, 0, 1, 0, 1, 1] }] } },
    ],
    ['a model of one character', { model: 'v' }],
    ['a prompt of one character', { remixPrompt: 'a' }],
    ['an address of 1024 characters', { imgUrl: `https://example.com/${'a'.repeat(1004)}` }],
    ['a prompt of 8192 characters', { remixPrompt: 'a'.repeat(8192) }],
  ])('to %s', async (_, change) => {
    expect(await bodyOf(post(simulator(), path, { ...body, ...change }))).toMatchObject({ status: 1 })
  })
})

describe('imageJobs.uploadPaint unfolds', () => {
  it('into four images of the size of the canvas', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, path, body))
    sim.clock.advance('40s')
    const { status, urls } = await polled(sim, id)
    expect([status, urls?.length]).toEqual([2, 4])
    expect(imageSize(sim, urls?.[3] as string)).toEqual([800, 600])
  })

  it.each([
    [{ width: 4096, height: 1024 }, [4096, 1024]],
    [{ width: 8192, height: 1024 }, [4096, 512]],
    [{ width: 1, height: 9007199254740991 }, [1, 4096]],
  ])('into images of the same shape with a side of at most 4096: %o', async (canvas, size) => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const { urls } = await bodyOf(post(sim, path, { ...body, canvas }))
    expect(imageSize(sim, urls?.[0] as string)).toEqual(size)
  })

  it('into the end that its prompt reserves', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, path, { ...body, remixPrompt: 'a hat [sim:fail-at-10]' }))
    sim.clock.advance('4s')
    expect(await polled(sim, id)).toMatchObject({ status: 3, comment: 'JobStatusFail' })
  })
})
