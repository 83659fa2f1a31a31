/**
 * imageJobs.uploadPaint, imageJobs.retexture and imageJobs.removeBackground: edits of an image by its address.
 */
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { bodyOf, imgUrl, polled, unsuitable } from './_jobs.ts'

const wanted =
  'expected an http or https URL such as https://example.com/image.png, or the `path` of an ' +
  'uploaded file'
const paint = {
  mask: { url: imgUrl },
  canvas: { width: 8, height: 8 },
  imgPos: { width: 4, height: 4, x: 0, y: 0 },
}

describe.each([
  ['uploadPaint', 'upload-paint', { model: 'v7', imgUrl, ...paint, remixPrompt: 'a hat' }],
  ['retexture', 'retexture', { model: 'v7', imgUrl, remixPrompt: 'in blue' }],
  ['removeBackground', 'remove-background', { model: 'v7', imgUrl }],
])('imageJobs.%s rejects', (operation, name, body) => {
  const path = `/v1/tob/${name}`

  it.each<[string, unknown, string]>([
    ...[
      ['an address that is none', 'cat.png'] as const,
      ['an address of another scheme', 'ftp://example.com/cat.png'] as const,
      ['a data address', 'data:image/png;base64,AAAA'] as const,
      ['an address without a host', 'https:///cat.png'] as const,
      ['an address with a space', 'https://example.com/a cat.png'] as const,
    ].map(([title, address]): [string, unknown, string] => [title, address, `${wanted}, got "${address}"`]),
  ])('%s (400, code 2004)', async (_, imgUrl, sentence) => {
    expect(await bodyOf(post(simulator(), path, { ...body, imgUrl }), 400)).toEqual(
      unsuitable('imgUrl', sentence),
    )
  })

  it('a model whose version does not support it (400, code 2004); the narrowest pattern counts', async () => {
    const operations = { 'v*': [], v7: ['variation' as const, 'pan' as const], 'v7.1': [operation as 'pan'] }
    const sim = simulator({ settings: { imageJobs: { edits: operations } } })
    for (const [model, known] of [
      ['v7', 'variation, pan'],
      ['v6', 'no edits'],
    ]) {
      const sentence = `the model ${model} does not support ${name}: it supports ${known} (setting imageJobs.edits)`
      expect(await bodyOf(post(sim, path, { ...body, model }), 400)).toEqual(unsuitable('model', sentence))
    }
    expect(await bodyOf(post(sim, path, { ...body, model: 'v7.1' }))).toMatchObject({ status: 1 })
    expect(await bodyOf(post(sim, path, { ...body, model: 'niji' }))).toMatchObject({ status: 1 })
  })
})

describe('imageJobs.removeBackground unfolds', () => {
  const path = '/v1/tob/remove-background'
  const body = { model: 'v7', imgUrl }

  it('into a rejected job when the audit blocks its only image', async () => {
    const sim = simulator()
    const { id } = await bodyOf(post(sim, path, { ...body, model: 'sim-blocked-0' }))
    sim.clock.advance('40s')
    expect(await polled(sim, id)).toMatchObject({
      status: 3,
      comment: 'JobStatusReject',
      urls: [],
      audits: [],
      cost: { feeCost: 0 },
    })
  })
})
