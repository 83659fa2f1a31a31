/** images.edit. */
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../../_setup.ts'
import { answered, form, invalid, rejection, start } from '../_openai-family.ts'
import {
  as,
  corrupt,
  fileOf,
  heavy,
  imagesSession,
  megabyte,
  png,
  seen,
  sumsOf,
  undrawnSession,
  whatOf,
} from './_images.ts'

const prompt = 'with a red hat'
const model = 'gpt-image-1'
const b = 'the model dall-e-2 (kind B)'
const byDefault = 'the model dall-e-2 (kind B), the default'
const image = (bytes = png(), name?: string, type?: string): [string, File] => [
  'image',
  fileOf(bytes, name, type),
]
const A: [string, string] = ['model', model]
const said: [string, string] = ['prompt', prompt]
const named = (name: string, bytes: Uint8Array): string =>
  `"${name}" (application/octet-stream, ${bytes.length} bytes)`

describe('images.edit rejects', () => {
  const wantsFile = (what: string): string => `expected a file: ${what} as a form part with a filename`
  const onlyA = `is not supported by ${b}: omit it, or use a model of kind A`
  const B: [string, string] = ['model', 'dall-e-2']

  it.each<[string, string, string | File | undefined, string, [string, string]?]>([
    ['an empty n', 'n', '', 'expected a number, got ""'],
    ['a stream that is no truth', 'stream', '1', 'expected a boolean, got "1"'],
    [
      'a size that only C has',
      'size',
      '1792x1024',
      'expected one of "1024x1024", "1536x1024", "1024x1536", "auto" for the model gpt-image-1 (kind ' +
        'A), got ' +
        '"1792x1024"',
      A,
    ],
    ['quality low for B', 'quality', 'low', `expected one of "auto", "standard" for ${b}, got "low"`, B],
    ['a stream of B', 'stream', 'true', onlyA, B],
    [
      'C, which edits nothing',
      'model',
      'dall-e-3',
      'expected a model of kind A or B, got the model dall-e-3 (kind C), which does not support edits',
    ],
    [
      'response_format for A',
      'response_format',
      'b64_json',
      'is not supported by the model gpt-image-1 (kind A), which always returns base64: omit it',
      A,
    ],
    ['input_fidelity for B', 'input_fidelity', 'high', onlyA, B],
    [
      'input_fidelity for the mini variant of A',
      'input_fidelity',
      'high',
      'is not supported by the model gpt-image-1-mini (kind A): ' + 'omit it',
      ['model', 'gpt-image-1-mini'],
    ],
    ['a prompt that is a file', 'prompt', fileOf(png()), 'expected a string, got an object'],
  ])('%s', async (_, field, value, message, kind) => {
    const parts: (readonly [string, string | File])[] = [image(), said].filter(([name]) => name !== field)
    if (kind !== undefined) parts.push(kind)
    if (value !== undefined) parts.push([field, value])
    expect(await undrawnSession().edit(form(...parts))).toEqual(answered(400, invalid(field, message)))
  })

  it.each([
    [model, 32_000],
    ['dall-e-2', 1000],
  ])('of %s more than %i characters of prompt, and not one less', async (which, most) => {
    const prompt: [string, string] = ['prompt', `${'a '.repeat(most / 2)}b`]
    const { body } = await undrawnSession().edit(form(image(), prompt, ['model', which]))
    expect(body.error).toMatchObject({
      param: 'prompt',
      message: expect.stringContaining(`expected at most ${most} characters`),
    })
  })

  describe('of B', () => {
    it('several images', async () => {
      const { body } = await undrawnSession().edit(form(image(), image(), said))
      expect(body).toEqual(
        invalid(
          'image',
          `expected exactly one image for ${b}, got 2: send one image, or use a model of kind A`,
        ),
      )
    })

    it('another format than PNG, by its bytes and whatever it is called', async () => {
      const jpeg = await as('jpeg')
      const { body } = await undrawnSession().edit(form(image(jpeg, 'fox.png', 'image/png'), said))
      expect(body.error.details.map(({ message }: { message: string }) => message)).toContain(
        `\`image\`: expected a PNG for ${b}, got "fox.png" (image/png, ${jpeg.length} bytes), whose ` +
          'content is JPEG',
      )
    })

    it('an image that is not square', async () => {
      expect((await undrawnSession().edit(form(image(png(4, 5)), said))).body).toEqual(
        invalid('image', `expected a square image for ${b}, got 4x5 pixels`),
      )
    })

    it('4 MB, and not a byte less', async () => {
      const file = heavy(4 * megabyte)
      expect((await undrawnSession().edit(form(image(file), said))).body).toEqual(
        invalid('image', `expected less than 4 MB (4194304 bytes) for ${b}, got ${named('upload', file)}`),
      )
    })

    it.each([
      ['plain', ', which has no alpha channel'],
      ['opaque', ', whose pixels are all opaque'],
    ] as const)('an image without a mask and without transparency (%s)', async (look, reason) => {
      const bytes = png(4, 4, look)
      const { edit } = undrawnSession()
      expect((await edit(form(image(bytes), said))).body).toEqual(
        invalid(
          'image',
          'expected a `mask`, or an image with transparent pixels (the area to edit), got ' +
            `${named('upload', bytes)}${reason}`,
        ),
      )
      expect((await edit(form(image(bytes), said, ['mask', fileOf(png())]))).status).toBe(200)
    })
  })

  describe('of A', () => {
    it('a seventeenth image', async () => {
      const images = Array.from({ length: 17 }, () => image())
      expect((await undrawnSession().edit(form(...images, said, A))).body).toEqual(
        invalid('image', 'expected at most 16 images for the model gpt-image-1 (kind A), got 17'),
      )
    })

    it('50 MB, and not a byte less', async () => {
      const file = heavy(50 * megabyte)
      expect((await undrawnSession().edit(form(image(), image(file), said, A))).body).toEqual(
        invalid('image[1]', `expected less than 50 MB (52428800 bytes), got ${named('upload', file)}`),
      )
    })

    it('a GIF, whatever it is called', async () => {
      const gif = await as('gif')
      expect((await undrawnSession().edit(form(image(gif, 'fox.png', 'image/png'), said, A))).body).toEqual(
        invalid(
          'image',
          `expected a PNG, WebP or JPEG image, got "fox.png" (image/png, ${gif.length} bytes), whose ` +
            'content is a GIF',
        ),
      )
    })
  })

  describe('a mask', () => {
    const ask = async (mask: Uint8Array<ArrayBuffer>, source = png(4, 4, 'plain')) =>
      (await undrawnSession().edit(form(image(source), said, A, ['mask', fileOf(mask, 'mask')]))).body

    it('of another format than PNG', async () => {
      const webp = await as('webp', 4, 4, 'clear')
      expect(await ask(webp)).toEqual(
        invalid('mask', `expected a PNG, got ${named('mask', webp)}, whose content is WEBP`),
      )
    })

    it('of 4 MB, and not a byte less', async () => {
      const file = heavy(4 * megabyte)
      expect(await ask(file)).toEqual(
        invalid('mask', `expected less than 4 MB (4194304 bytes), got ${named('mask', file)}`),
      )
    })

    it('of another size than the first image', async () => {
      expect(await ask(png(5))).toEqual(
        invalid('mask', 'expected 4x4 pixels (the size of the first image), got 5x5'),
      )
    })

    it.each([
      ['plain', ', which has no alpha channel'],
      ['opaque', ', whose pixels are all opaque'],
    ] as const)('without transparency (%s)', async (look, reason) => {
      const bytes = png(4, 4, look)
      expect(await ask(bytes)).toEqual(
        invalid(
          'mask',
          `expected transparent pixels (the area to edit), got ${named('mask', bytes)}${reason}`,
        ),
      )
    })

    it('that is a text', async () => {
      expect((await undrawnSession().edit(form(image(), said, A, ['mask', 'mask.png']))).body).toEqual(
        invalid(
          'mask',
          `${wantsFile('a PNG with transparent areas')}, or the \`path\` or \`visit_url\` of an ` +
            `uploaded file, got the string "mask.png"`,
        ),
      )
    })
  })

  describe('a file', () => {
    const wanted = 'expected a PNG, WebP or JPEG image'
    const ask = async (bytes: Uint8Array<ArrayBuffer>) =>
      (await undrawnSession().edit(form(image(bytes), said, A))).body.error.message as string

    it('that is a text', async () => {
      expect((await undrawnSession().edit(form(['image', 'fox.png'], said, A))).body).toEqual(
        invalid(
          'image',
          `${wantsFile('a PNG, WebP or JPEG image')}, or the \`path\` or \`visit_url\` of an uploaded ` +
            `file, got the string "fox.png"`,
        ),
      )
    })

    it('one of several by its number', async () => {
      const { body } = await undrawnSession().edit(
        form(image(), image(new Uint8Array(0)), ['image[]', 'fox.png'], said, A),
      )
      expect(body.error.details.map(({ field }: { field: string }) => field)).toEqual([
        'image[1]',
        'image[2]',
      ])
    })

    it('that is empty, or no image', async () => {
      expect(await ask(new Uint8Array(0))).toBe(
        `\`image\`: ${wanted}, got ${named('upload', new Uint8Array(0))}, which is empty.`,
      )
      const text = new TextEncoder().encode('this is no image at all')
      expect(await ask(text)).toBe(
        `\`image\`: ${wanted}, got ${named('upload', text)}, whose content is not an image.`,
      )
    })

    it.each(['png', 'jpeg', 'webp'] as const)('that is the first half of a %s', async (format) => {
      const bytes = format === 'png' ? png(40) : await as(format, 40)
      const half = bytes.slice(0, bytes.length - 8)
      expect(await ask(half)).toBe(
        `\`image\`: ${wanted}, got ${named('upload', half)}, an invalid ${format} file: the file ` +
          'is truncated.',
      )
    })

    it('that is an animated WebP', async () => {
      const bytes = new Uint8Array(
        await sharp(Buffer.concat([Buffer.alloc(300, 90), Buffer.alloc(300, 200)]), {
          raw: { width: 10, height: 20, channels: 3, pageHeight: 10 },
        })
          .webp({ loop: 0, delay: [100, 100] })
          .toBuffer(),
      )
      expect(new TextDecoder('latin1').decode(bytes)).toContain('ANMF')
      expect(await ask(bytes)).toBe(
        `\`image\`: ${wanted}, got ${named('upload', bytes)}, an invalid webp file: it is ` +
          'animated; a still image is required.',
      )
    })

    it('whose pixels are corrupt', async () => {
      const bytes = corrupt()
      expect(await ask(bytes)).toBe(
        `\`image\`: ${wanted}, got ${named('upload', bytes)}, an invalid png file: its pixels ` +
          'cannot be decompressed.',
      )
    })
  })

  it('a JSON body, whose addresses would have to be fetched', async () => {
    const body = { prompt, images: [{ image_url: 'https://pictures.example/a.png' }] }
    const response = await post(simulator(), '/v1/images/edits', body)
    expect([response.status, await response.json()]).toEqual([
      415,
      rejection(
        'unsupported_media_type',
        415,
        'content-type: expected multipart/form-data, got application/json.',
      ),
    ])
  })

  it('a model that the catalogue does not know', async () => {
    const { edit } = undrawnSession({ settings: { models: { images: ['gpt-image-1'] } } })
    expect((await edit(form(image(), said, ['model', 'gpt-image-9']))).status).toBe(404)
    expect((await edit(form(image(), said))).body.error.message).toContain(
      'The model `dall-e-2` does not exist',
    )
  })

  it.each([
    ['[sim:moderation-blocked]', 400, 'moderation_blocked'],
    ['[sim:content-policy-violation]', 400, 'content_policy_violation'],
    ['[sim:rate-limit]', 429, 'rate_limit_error'],
    ['[sim:overloaded]', 503, 'overloaded_error'],
  ])('what a reserved prompt asks for: %s', async (word, status, type) => {
    expect(await undrawnSession().edit(form(image(), ['prompt', `a hat ${word}`]))).toMatchObject({
      status,
      body: { error: { type } },
    })
  })
})

describe('images.edit answers', () => {
  it('B with an address, when no model is named', async () => {
    const { edit, read } = imagesSession()
    const { status, body } = await edit(form(image(), said))
    expect([status, body]).toEqual([
      200,
      {
        created: start,
        data: [
          { url: expect.stringMatching(/^http:\/\/gateway\.test\/media\/images\/img_[0-9a-f]{32}\/0\.png$/) },
        ],
      },
    ])
    const file = new Uint8Array(await (await read(body.data[0].url)).arrayBuffer())
    expect(await seen(file)).toEqual({ format: 'png', width: 1024, height: 1024, alpha: false })
  })

  it('scalars from text: two images of 256x256 in base64', async () => {
    const small = [['size', '256x256'] as const, ['response_format', 'b64_json'] as const]
    const { body } = await imagesSession().edit(
      form(image(), said, ['n', '2'], ...small, ['stream', 'false'], ['user', 'ann']),
    )
    expect(body).toEqual({
      created: start,
      data: [{ b64_json: expect.any(String) }, { b64_json: expect.any(String) }],
    })
    expect(new Set(sumsOf(body)).size).toBe(2)
    expect(await seen(body.data[1].b64_json)).toMatchObject({ format: 'png', width: 256, height: 256 })
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
    expect((await ask(png(4, 4, 'opaque'))).body.error.param).toBe('image')
    expect((await ask(await as('jpeg'))).body.error.message).toContain('which has no alpha channel')
    expect((await ask(await as('webp', 4, 4, 'opaque'))).status).toBe(400)
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

  it('the same image for the same files, another for other files', async () => {
    const { edit } = undrawnSession()
    const one = async (bytes: Uint8Array<ArrayBuffer>, n = '1') =>
      sumsOf(
        (await edit(form(image(bytes), said, ['size', '256x256'], ['response_format', 'b64_json'], ['n', n])))
          .body,
      )[0]
    const first = await one(png(4))
    expect(await one(png(4), '3')).toBe(first)
    expect(await one(png(5))).not.toBe(first)
  })
})

describe('images.edit unfolds', () => {
  it('nothing: the whole answer is there at once, and `created` is virtual time', async () => {
    const { sim, edit } = undrawnSession()
    sim.clock.advance('1h')
    expect((await edit(form(image(), said))).body.created).toBe(start + 3600)
  })

  it('by default messages that name the default model', async () => {
    const message = async (...fields: [string, string][]) =>
      (await undrawnSession().edit(form(image(), ...fields))).body.error.message
    expect(await message(said, ['size', '1536x1024'], ['response_format', 'url'])).toContain(
      'is not supported by the model gpt-image-1 (kind A), the default',
    )
    expect(await message(['prompt', 'a'.repeat(1001)])).toContain(
      `expected at most 1000 characters for ${byDefault}, got 1001`,
    )
  })
})
