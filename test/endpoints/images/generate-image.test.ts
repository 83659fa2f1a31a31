/** images.generate. */
import { describe, expect, it } from 'vitest'
import { post } from '../../_setup.ts'
import { answered, invalid, start } from '../_openai-family.ts'
import { distance, imagesSession, pixelsOf, seen, sumOf, sumsOf, undrawnSession } from './_images.ts'

const prompt = 'a fox in the snow'
const square = { format: 'png', width: 1024, height: 1024, alpha: false }

const always = 'which always returns base64: omit it'

describe('images.generate rejects', () => {
  it.each<[string, string, unknown, string, object?]>([
    [
      'addresses of a model that follows A',
      'response_format',
      'url',
      `is not supported by the model painter (kind A, the default for models not listed in images.models), ${always}`,
      { model: 'painter' },
    ],
    [
      'a transparent JPEG',
      'background',
      'transparent',
      'the value transparent requires `output_format` png or webp, got jpeg',
      { output_format: 'jpeg' },
    ],
    [
      'a compressed PNG',
      'output_compression',
      50,
      'a value below 100 requires `output_format` webp or jpeg, got 50 with png',
    ],
    ['partial images without a stream', 'partial_images', 2, 'is allowed only with `stream: true`'],
  ])('%s', async (_, field, value, message, more) => {
    const body = { prompt, ...more, [field]: value }
    expect(await undrawnSession().generate(body)).toEqual(answered(400, invalid(field, message)))
  })

  it('no fields that it does not know', async () => {
    expect((await undrawnSession().generate({ prompt, seed: 7 })).status).toBe(200)
  })
})

describe('images.generate answers', () => {
  it('B with an address, when nothing but a prompt is asked', async () => {
    const { generate, read } = imagesSession()
    const { status, body } = await generate({ prompt })
    expect([status, body]).toEqual([
      200,
      {
        created: start,
        data: [
          { url: expect.stringMatching(/^http:\/\/gateway\.test\/media\/images\/img_[0-9a-f]{32}\/0\.png$/) },
        ],
      },
    ])
    const file = await read(body.data[0].url)
    expect(file.headers.get('content-type')).toBe('image/png')
    expect(await seen(new Uint8Array(await file.arrayBuffer()))).toEqual(square)
  })

  it('A with base64 and facts, larger than the 10 KB that clients expect of a real image', async () => {
    const { body } = await imagesSession().generate({ prompt, model: 'gpt-image-1' })
    expect(body).toEqual({
      created: start,
      background: 'opaque',
      output_format: 'png',
      quality: 'high',
      size: '1024x1024',
      data: [{ b64_json: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) }],
      usage: {
        input_tokens: 5,
        input_tokens_details: { image_tokens: 0, text_tokens: 5 },
        output_tokens: 4160,
        total_tokens: 4165,
      },
    })
    expect(Buffer.from(body.data[0].b64_json, 'base64').length).toBeGreaterThan(10_240)
    expect(await seen(body.data[0].b64_json)).toEqual(square)
  })

  it('C with the prompt that it has drawn', async () => {
    const { generate } = imagesSession()
    const { body } = await generate({ prompt, model: 'dall-e-3' })
    expect(body).toEqual({
      created: start,
      data: [
        {
          revised_prompt: 'A picture of the following: a fox in the snow',
          url: expect.any(String),
        },
      ],
    })
    // What stands for an image inside the simulator is not taken from a prompt.
    const odd = await generate({
      prompt: '\x8Dsim-media\x8D a fox',
      model: 'dall-e-3',
      response_format: 'b64_json',
    })
    expect(odd.body.data[0].revised_prompt).toContain('following: sim-media a fox')
    expect((await seen(odd.body.data[0].b64_json)).format).toBe('png')
  })

  it.each([
    ['png', false],
    ['png', true],
    ['webp', false],
    ['webp', true],
    ['jpeg', false],
  ] as const)('with a %s, transparent: %s', async (format, transparent) => {
    const { body } = await imagesSession().generate({
      prompt,
      output_format: format,
      background: transparent ? 'transparent' : 'auto',
    })
    expect(body).toMatchObject({ output_format: format, background: transparent ? 'transparent' : 'opaque' })
    expect(await seen(body.data[0].b64_json)).toEqual({ ...square, format, alpha: transparent })
  })

  it.each(['webp', 'jpeg'])(
    'with a smaller %s the lower output_compression is, of the same image',
    async (output_format) => {
      const { generate } = imagesSession()
      const files: string[] = []
      for (const output_compression of [100, 50, 0])
        files.push((await generate({ prompt, output_format, output_compression })).body.data[0].b64_json)
      const lengths = files.map(({ length }) => length)
      expect(lengths).toEqual([...lengths].sort((x, y) => y - x))
      expect(new Set(lengths).size).toBe(3)
      // As from a real model, also when it is as small as can be.
      expect(Buffer.from(files[2] as string, 'base64').length).toBeGreaterThan(10_000)
      expect(distance(await pixelsOf(files[0] as string), await pixelsOf(files[1] as string))).toBeLessThan(4)
      expect(sumsOf((await generate({ prompt, output_format })).body)).toEqual([sumOf(files[0] as string)])
    },
  )

  it.each([
    ['low', '1024x1024', 272],
    ['low', '1024x1536', 408],
    ['low', '1536x1024', 400],
    ['medium', '1024x1024', 1056],
    ['medium', '1024x1536', 1584],
    ['high', '1536x1024', 6208],
    ['auto', '1024x1536', 6240],
  ])('A with the usage of quality %s in %s', async (quality, size, perImage) => {
    const { body } = await undrawnSession().generate({
      prompt,
      model: 'gpt-image-1-mini',
      quality,
      size,
      n: 2,
    })
    expect(body).toMatchObject({ quality: quality === 'auto' ? 'high' : quality, size })
    expect(body.usage).toEqual({
      input_tokens: 5,
      input_tokens_details: { image_tokens: 0, text_tokens: 5 },
      output_tokens: 2 * perImage,
      total_tokens: 5 + 2 * perImage,
    })
  })

  it.each([
    ['background', { background: 'auto' }],
    ['moderation', { moderation: 'low' }],
    ['output_format', { output_format: 'png' }],
    ['output_compression', { output_compression: 100 }],
    ['a size that only A has', { size: 'auto' }],
    ['a quality that only A has', { quality: 'low' }],
  ])('A when no model is named and %s is used', async (_, more) => {
    const { status, body } = await undrawnSession().generate({ prompt, ...more })
    expect([status, Object.keys(body.data[0]), body.size]).toEqual([200, ['b64_json'], '1024x1024'])
  })

  it.each([
    ['gpt-image-1.5', 'A'],
    ['chatgpt-image-latest', 'A'],
    ['painter-of-tomorrow', 'A'],
    ['dall-e-2', 'BC'],
    ['dall-e-3', 'BC'],
  ])('%s by the rules of %s', async (model, kind) => {
    const { body } = await undrawnSession().generate({ prompt, model })
    expect(Object.keys(body.data[0])).toContain(kind === 'A' ? 'b64_json' : 'url')
    expect(body.usage === undefined).toBe(kind !== 'A')
  })

  it('by the kinds that the settings give to ids', async () => {
    const settings = {
      images: { models: { b: ['brush-1'], c: ['brush-2*'] } },
      models: { images: ['brush-*'] },
    }
    const { generate } = undrawnSession({ settings })
    expect(Object.keys((await generate({ prompt, model: 'brush-1' })).body.data[0])).toEqual(['url'])
    expect(Object.keys((await generate({ prompt, model: 'brush-2-hd' })).body.data[0])).toEqual([
      'revised_prompt',
      'url',
    ])
    expect((await generate({ prompt, model: 'brush-3', background: 'auto' })).body.background).toBe('opaque')
    expect((await generate({ prompt, model: 'dall-e-2' })).status).toBe(404)
  })

  it('the same images for the same prompt: in any number and form, for any key, in any session', async () => {
    const { sim, generate, read } = undrawnSession()
    const ask = { prompt, size: '256x256', response_format: 'b64_json' }
    const [first, second, ...more] = sumsOf((await generate({ ...ask, n: 2, user: 'ann' })).body)
    expect([first === second, more]).toEqual([false, []])
    expect(sumsOf((await generate(ask, 'sk-other')).body)).toEqual([first])
    const { body } = await generate({ prompt, size: '256x256', n: 2 })
    expect(sumOf(new Uint8Array(await (await read(body.data[1].url)).arrayBuffer()))).toBe(second)
    expect(sumsOf(await (await post(sim, '/s/elsewhere/v1/images/generations', ask)).json())).toEqual([first])
  })

  it('other images for another prompt, and under another seed', async () => {
    const small = { size: '256x256', response_format: 'b64_json' }
    const one = async (seed: string, words: string) =>
      sumsOf((await undrawnSession({ seed }).generate({ prompt: words, ...small })).body)[0]
    expect(new Set([await one('x', 'a fox'), await one('x', 'a wolf'), await one('y', 'a fox')]).size).toBe(3)
  })
})
