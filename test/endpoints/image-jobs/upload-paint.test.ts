import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { described } from '../_described.ts'
import { rejection } from '../_openai-family.ts'
import { bodyOf, imageSize, imgUrl, unsuitable } from './_jobs.ts'

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
  const noField = 'is not a known field: remove it'
  const inArea = (change: object) => ({ mask: { areas: [{ ...area, ...change }] } })

  it.each([
    ['a mask of nothing', { mask: {} }, 'mask', 'expected `areas`, `url` or both, got neither'],
    [
      '7 numbers of points',
      inArea({ points: [1, 2, 3, 4, 5, 6, 7] }),
      'mask.areas[0].points',
      'expected an even number of coordinates (x and y alternate), got 7',
    ],
    ['an unknown property', { prompt: 'a hat' }, 'prompt', noField],
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
      rejection(
        'invalid_request_error',
        2004,
        `${details[0]?.message} (and 5 more errors, see details).`,
        'model',
        details,
      ),
    )
  })
})

describe('imageJobs.uploadPaint answers', () => {
  it('to both kinds of mask', async () => {
    const mask = { url: imgUrl, areas: [area] }
    expect(await bodyOf(post(simulator(), path, { ...body, mask }))).toMatchObject({ status: 1 })
  })
})

describe('imageJobs.uploadPaint unfolds', () => {
  it.each([
    [{ width: 800, height: 600 }, [800, 600]],
    [{ width: 4096, height: 1024 }, [4096, 1024]],
    [{ width: 8192, height: 1024 }, [4096, 512]],
    [{ width: 1, height: 9007199254740991 }, [1, 4096]],
  ])('into four images of the shape of the canvas, with a side of at most 4096: %o', async (canvas, size) => {
    const sim = simulator({ settings: { imageJobs: { submitted: 'finished' } } })
    const { urls } = await bodyOf(post(sim, path, { ...body, canvas }))
    expect(urls?.map((url) => imageSize(sim, url))).toEqual(Array(4).fill(size))
    expect(described(sim, urls?.[0] as string).caption?.facts).toContain(
      'upload-paint of example.com/cat.png',
    )
  })
})
