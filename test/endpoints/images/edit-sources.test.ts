/** What edited images say of their sources: as they are described, before they are drawn. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ImageMedia } from '../../../src/protocol/media.ts'
import { described, watchRendering } from '../_described.ts'
import { form } from '../_openai-family.ts'
import { clear, fileOf, png, undrawnSession } from './_images.ts'

const first = png(6, 6)
const mask = clear(6)
const said: [string, string] = ['prompt', 'with a red hat']
const small: [string, string] = ['size', '256x256']
const A: [string, string] = ['model', 'gpt-image-1']
const b64: [string, string] = ['response_format', 'b64_json']
const image: [string, File] = ['image', fileOf(first)]
const editOf = (bytes: Uint8Array): string =>
  `edit of file ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`

describe('an edited image says', () => {
  it('the prompt, the model, its source, its size and its number', async () => {
    const { sim, edit } = undrawnSession()
    const { body } = await edit(form(image, said, small, ['n', '2']))
    expect(described(sim, body.data[1].url)).toMatchObject({
      width: 256,
      height: 256,
      format: 'png',
      caption: { prompt: 'with a red hat', facts: ['dall-e-2', editOf(first), '256 x 256', 'image 1'] },
    })
  })
})

describe('an edited image is another', () => {
  it('for another first image, another second one, and another mask', async () => {
    const { sim, edit } = undrawnSession()
    const rendered = watchRendering(sim)
    const second: [string, File] = ['image', fileOf(png(9))]
    for (const parts of [
      [image],
      [['image', fileOf(png(7))]],
      [image, second],
      [image, ['mask', fileOf(mask)]],
    ] as [string, File][][])
      await edit(
        form(...parts, said, parts.includes(second) ? A : small, ...(parts.includes(second) ? [] : [b64])),
      )
    expect(new Set(rendered.map((image) => (image as ImageMedia).seed)).size).toBe(4)
  })
})
