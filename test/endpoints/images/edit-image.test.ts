/** images.edit. */
import { describe, expect, it } from 'vitest'
import { answered, form, invalid, start } from '../_openai-family.ts'
import { as, fileOf, heavy, imagesSession, megabyte, png, seen, undrawnSession, whatOf } from './_images.ts'

const prompt = 'with a red hat'
const model = 'gpt-image-1'
const b = 'the model dall-e-2 (kind B)'
const image = (bytes = png(), name?: string, type?: string): [string, File] => [
  'image',
  fileOf(bytes, name, type),
]
const A: [string, string] = ['model', model]
const said: [string, string] = ['prompt', prompt]
describe('images.edit rejects', () => {
  it.each<[string, string, string | File, string, [string, string]?]>([
    ['an empty n', 'n', '', 'expected a number, got ""'],
    ['a stream that is no truth', 'stream', '1', 'expected a boolean, got "1"'],
    [
      'C, which edits nothing',
      'model',
      'dall-e-3',
      'expected a model of kind A or B, got the model dall-e-3 (kind C), which does not support edits',
    ],
    [
      'input_fidelity for the mini variant of A',
      'input_fidelity',
      'high',
      'is not supported by the model gpt-image-1-mini (kind A): omit it',
      ['model', 'gpt-image-1-mini'],
    ],
    ['a prompt that is a file', 'prompt', fileOf(png()), 'expected a string, got an object'],
  ])('%s', async (_, field, value, message, kind) => {
    const parts: (readonly [string, string | File])[] = [image(), said].filter(([name]) => name !== field)
    if (kind !== undefined) parts.push(kind)
    parts.push([field, value])
    expect(await undrawnSession().edit(form(...parts))).toEqual(answered(400, invalid(field, message)))
  })

  it.each<[string, readonly (readonly [string, string | File])[], string, string]>([
    [
      'several images for B',
      [image(), image()],
      'image',
      `expected exactly one image for ${b}, got 2: send one image, or use a model of kind A`,
    ],
    [
      'a seventeenth image for A',
      [...Array.from({ length: 17 }, () => image()), A],
      'image',
      'expected at most 16 images for the model gpt-image-1 (kind A), got 17',
    ],
    [
      '50 MB for A, and not a byte less',
      [image(), image(heavy(50 * megabyte)), A],
      'image[1]',
      'expected less than 50 MB (52428800 bytes), got "upload" (application/octet-stream, 52428800 bytes)',
    ],
  ])('%s', async (_, parts, field, message) => {
    expect((await undrawnSession().edit(form(...parts, said))).body).toEqual(invalid(field, message))
  })
})

describe('images.edit answers', () => {
  it('B with an address, when no model is named', async () => {
    const { body } = await undrawnSession().edit(form(image(), said))
    const url = expect.stringMatching(/^http:\/\/gateway\.test\/media\/images\/img_[0-9a-f]{32}\/0\.png$/)
    expect(body).toEqual({ created: start, data: [{ url }] })
  })

  it('A with base64, what the image is, and the tokens of what was sent', async () => {
    const { body } = await imagesSession().edit(
      form(
        image(),
        image(png(1024, 512)),
        said,
        A,
        ['quality', 'medium'],
        ['size', '1024x1024'],
        ['output_format', 'webp'],
        ['output_compression', '50'],
        ['background', 'transparent'],
      ),
    )
    expect(body).toEqual({
      created: start,
      background: 'transparent',
      output_format: 'webp',
      quality: 'medium',
      size: '1024x1024',
      data: [{ b64_json: expect.any(String) }],
      // 65 and 129 for each tile of 512: one of the small square, two of the other.
      usage: {
        input_tokens: 4 + 194 + 323,
        input_tokens_details: { image_tokens: 517, text_tokens: 4 },
        output_tokens: 1056,
        total_tokens: 521 + 1056,
      },
    })
    expect(await seen(body.data[0].b64_json)).toEqual({
      format: 'webp',
      width: 1024,
      height: 1024,
      alpha: true,
    })
  })

  it('A with more tokens when the input is to be kept in high fidelity, which it is not by default', async () => {
    const { edit } = undrawnSession()
    const imageTokens = async (...fidelity: [string, string][]) =>
      (await edit(form(image(), said, A, ...fidelity))).body.usage.input_tokens_details.image_tokens
    const low = await imageTokens(['input_fidelity', 'low'])
    expect([await imageTokens(['input_fidelity', 'high']), await imageTokens()]).toEqual([low + 4160, low])
  })

  it.each([
    ['1024x1024', 4, 4],
    ['1536x1024', 8, 4],
    ['1024x1536', 4, 8],
  ])('with %s for an image of %i x %i, when the size is left to the model', async (size, width, height) => {
    const { body } = await undrawnSession().edit(form(image(png(width, height)), said, A))
    const drawn = whatOf(body.data[0].b64_json)
    expect([body.size, `${drawn.width}x${drawn.height}`]).toEqual([size, size])
  })

  it.each(['jpeg', 'webp'] as const)(
    'to a %s of A without a mask, since only B needs transparency by default',
    async (format) => {
      expect((await undrawnSession().edit(form(image(await as(format)), said, A))).status).toBe(200)
    },
  )

  it('by the transparency that the settings ask for', async () => {
    const all = undrawnSession({ settings: { images: { transparencyWithoutMask: 'all' } } })
    const ask = (bytes: Uint8Array<ArrayBuffer>) => all.edit(form(image(bytes), said, A))
    expect((await ask(png(4, 4, 'plain'))).body.error.param).toBe('image')
    expect((await ask(await as('jpeg'))).body.error.message).toContain('which has no alpha channel')
    expect((await ask(await as('webp', 4, 4, 'plain'))).status).toBe(400)
    expect((await ask(await as('webp', 4, 4, 'clear'))).status).toBe(200)
    const none = undrawnSession({ settings: { images: { transparencyWithoutMask: 'none' } } })
    expect((await none.edit(form(image(png(4, 4, 'plain')), said))).status).toBe(200)
  })

  it.each([
    ['image once', ['image']],
    ['image[] once', ['image[]']],
    ['image[] again and again', ['image[]', 'image[]', 'image[]']],
    ['image again and again', ['image', 'image']],
    ['image[0], image[1]', ['image[0]', 'image[1]']],
    ['image.0, image.1', ['image.0', 'image.1']],
    ['image.0 and image.1.items, as the contract shows', ['image.0', 'image.1.items']],
    ['image.0.items twice', ['image.0.items', 'image.0.items']],
  ])('images under every name that clients give them: %s', async (_, names) => {
    const { body } = await undrawnSession().edit(
      form(...names.map((name): [string, File] => [name, fileOf(png())]), said, A),
    )
    expect(body.usage.input_tokens_details.image_tokens).toBe(names.length * 194)
  })

  it('to numbered images in the order of their numbers: the mask belongs to the first', async () => {
    const { edit } = undrawnSession()
    const ask = (one: number, zero: number) =>
      edit(
        form(
          ['image.1', fileOf(png(one))],
          ['image.0', fileOf(png(zero))],
          ['mask', fileOf(png(6))],
          said,
          A,
        ),
      )
    expect((await ask(4, 6)).status).toBe(200)
    expect((await ask(6, 4)).body).toEqual(
      invalid('mask', 'expected 4x4 pixels (the size of the first image), got 6x6'),
    )
  })
})
