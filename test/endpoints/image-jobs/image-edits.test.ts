/**
 * imageJobs.uploadPaint, imageJobs.retexture and imageJobs.removeBackground: edits of an image by its address.
 */
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { bodyOf, imgUrl, unsuitable } from './_jobs.ts'

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

  it.each([
    ['an address that is none', 'cat.png'],
    ['an address of another scheme', 'ftp://example.com/cat.png'],
    ['a data address', 'data:image/png;base64,AAAA'],
    ['an address without a host', 'https:///cat.png'],
    ['an address with a space', 'https://example.com/a cat.png'],
  ])('%s (400, code 2004)', async (_, imgUrl) => {
    expect(await bodyOf(post(simulator(), path, { ...body, imgUrl }), 400)).toEqual(
      unsuitable('imgUrl', `${wanted}, got "${imgUrl}"`),
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
