/**
 * Every value that contract 4.4 and 4.5 list is accepted, limits included, and one step beyond them is not.
 */
import { describe, expect, it } from 'vitest'
import { form, invalid, start } from '../_openai-family.ts'
import { fileOf, png, undrawnSession } from './_images.ts'

const prompt = 'a fox'
const [A, B, C] = ['gpt-image-1', 'dall-e-2', 'dall-e-3'] as const
const megabyte = 1024 * 1024
const small = { 'gpt-image-1': '1024x1024', 'dall-e-2': '256x256', 'dall-e-3': '1024x1024' } as const

describe('images.generate accepts', () => {
  it.each([
    ['gpt-image-1', 32_000],
    ['dall-e-2', 1000],
    ['dall-e-3', 4000],
  ] as const)('for %s a prompt of %i characters', async (model, most) => {
    const { status, body } = await undrawnSession().generate({
      model,
      size: small[model],
      prompt: 'a '.repeat(most / 2),
    })
    expect([status, body.data.length]).toEqual([200, 1])
  })

  it.each([
    ['dall-e-2', 1],
    ['dall-e-2', 10],
    ['dall-e-3', 1],
  ] as const)('for %s n of %i', async (model, n) => {
    expect(
      (await undrawnSession().generate({ prompt, model, n, size: small[model] })).body.data,
    ).toHaveLength(n)
  })

  it.each([
    ['gpt-image-1', 'auto', 'high'],
    ['gpt-image-1', 'high', 'high'],
    ['gpt-image-1', 'medium', 'medium'],
    ['gpt-image-1', 'low', 'low'],
    ['dall-e-2', 'auto', undefined],
    ['dall-e-2', 'standard', undefined],
    ['dall-e-3', 'auto', undefined],
    ['dall-e-3', 'standard', undefined],
    ['dall-e-3', 'hd', undefined],
  ] as const)('for %s quality %s', async (model, quality, said) => {
    const { status, body } = await undrawnSession().generate({ prompt, model, quality, size: small[model] })
    expect([status, body.quality]).toEqual([200, said])
  })

  it.each([
    ['dall-e-2', 'url'],
    ['dall-e-2', 'b64_json'],
    ['dall-e-3', 'url'],
    ['dall-e-3', 'b64_json'],
  ] as const)('for %s the response format %s', async (model, format) => {
    const { body } = await undrawnSession().generate({
      prompt,
      model,
      response_format: format,
      size: small[model],
    })
    expect(Object.keys(body.data[0]).filter((name) => name !== 'revised_prompt')).toEqual([format])
  })

  it.each([
    ['background', 'auto'],
    ['background', 'opaque'],
    ['background', 'transparent'],
    ['moderation', 'auto'],
    ['moderation', 'low'],
    ['output_format', 'png'],
    ['output_format', 'jpeg'],
    ['output_format', 'webp'],
    ['stream', false],
    ['user', 'ann'],
  ] as const)('for gpt-image-1 the %s %s', async (field, value) => {
    const { status, body } = await undrawnSession().generate({ prompt, model: A, [field]: value })
    expect([status, Object.keys(body.data[0])]).toEqual([200, ['b64_json']])
  })

  it.each(['vivid', 'natural'])('for dall-e-3 the style %s', async (style) => {
    expect((await undrawnSession().generate({ prompt, model: C, style })).status).toBe(200)
  })

  it.each([0, 100])('for gpt-image-1 an output compression of %i', async (output_compression) => {
    expect(
      (await undrawnSession().generate({ prompt, model: A, output_format: 'webp', output_compression }))
        .status,
    ).toBe(200)
  })

  it('the whole picture where no compression is asked for, as with 100', async () => {
    const { generate } = undrawnSession()
    const file = async (more: object) =>
      (await generate({ prompt, model: A, output_format: 'jpeg', ...more })).body.data[0].b64_json as string
    expect(await file({})).toBe(await file({ output_compression: 100 }))
  })
})

describe('images.generate refuses', () => {
  it.each([
    [
      'an output compression of -1',
      { output_format: 'webp', output_compression: -1 },
      'output_compression',
      'expected at least 0, got -1',
    ],
    [
      'an output compression of 101',
      { output_format: 'webp', output_compression: 101 },
      'output_compression',
      'expected at most 100, got 101',
    ],
    [
      '-1 partial images',
      { stream: true, partial_images: -1 },
      'partial_images',
      'expected at least 0, got -1',
    ],
    ['4 partial images', { stream: true, partial_images: 4 }, 'partial_images', 'expected at most 3, got 4'],
    ['n of 0', { n: 0 }, 'n', 'expected at least 1, got 0'],
    ['n of a half', { n: 0.5 }, 'n', 'expected a whole number, got 0.5'],
  ])('%s', async (_, more, field, message) => {
    expect((await undrawnSession().generate({ prompt, ...more })).body.error.details).toContainEqual({
      code: 400,
      field,
      message: `\`${field}\`: ${message}`,
    })
  })
})

/** A real PNG of so many bytes: what stands behind its end changes nothing else. */
function heavy(bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes)
  file.set(png())
  return file
}

const picture = (bytes = png()): [string, File] => ['image', fileOf(bytes)]
const fields = (...more: [string, string | File][]): FormData => form(picture(), ['prompt', prompt], ...more)

describe('images.edit accepts', () => {
  it.each([
    ['gpt-image-1', 32_000],
    ['dall-e-2', 1000],
  ] as const)('for %s a prompt of %i characters', async (model, most) => {
    expect(
      (
        await undrawnSession().edit(
          form(picture(), ['prompt', 'a '.repeat(most / 2)], ['model', model], ['size', '1024x1024']),
        )
      ).status,
    ).toBe(200)
  })

  it.each([
    [
      'for dall-e-2 a picture of a byte less than 4 MB',
      () => form(picture(heavy(4 * megabyte - 1)), ['prompt', prompt], ['model', B]),
    ],
    [
      'for gpt-image-1 a picture of a byte less than 50 MB',
      () => form(picture(heavy(50 * megabyte - 1)), ['prompt', prompt], ['model', A]),
    ],
    [
      'for gpt-image-1 sixteen pictures',
      () => form(...Array.from({ length: 16 }, () => picture()), ['prompt', prompt], ['model', A]),
    ],
    ['for dall-e-2 one picture', () => fields(['model', B])],
    ['a mask of a byte less than 4 MB', () => fields(['mask', fileOf(heavy(4 * megabyte - 1))])],
    [
      'a mask that is as large as the picture',
      () => form(picture(png(6)), ['mask', fileOf(png(6))], ['prompt', prompt]),
    ],
  ])('%s', async (_, body) => {
    const { status, body: answer } = await undrawnSession().edit(body())
    expect([status, answer.data?.length]).toEqual([200, 1])
  })

  it.each([1, 10])('n of %i', async (n) => {
    expect(
      (await undrawnSession().edit(fields(['n', String(n)], ['size', '256x256']))).body.data,
    ).toHaveLength(n)
  })

  it.each([
    ['gpt-image-1', '1024x1024', '1024x1024'],
    ['gpt-image-1', '1536x1024', '1536x1024'],
    ['gpt-image-1', '1024x1536', '1024x1536'],
    ['gpt-image-1', 'auto', '1024x1024'],
    ['dall-e-2', '256x256', undefined],
    ['dall-e-2', '512x512', undefined],
    ['dall-e-2', '1024x1024', undefined],
  ] as const)('for %s the size %s', async (model, size, said) => {
    const { status, body } = await undrawnSession().edit(fields(['model', model], ['size', size]))
    expect([status, body.size]).toEqual([200, said])
  })

  it.each([
    ['gpt-image-1', 'auto'],
    ['gpt-image-1', 'high'],
    ['gpt-image-1', 'medium'],
    ['gpt-image-1', 'low'],
    ['dall-e-2', 'auto'],
    ['dall-e-2', 'standard'],
  ] as const)('for %s quality %s', async (model, quality) => {
    expect((await undrawnSession().edit(fields(['model', model], ['quality', quality]))).status).toBe(200)
  })

  it.each(['url', 'b64_json'])('for dall-e-2 the response format %s', async (format) => {
    expect(
      Object.keys(
        (await undrawnSession().edit(fields(['model', B], ['response_format', format]))).body.data[0],
      ),
    ).toEqual([format])
  })

  it.each([
    ['background', 'auto'],
    ['background', 'opaque'],
    ['background', 'transparent'],
    ['input_fidelity', 'high'],
    ['input_fidelity', 'low'],
    ['output_format', 'png'],
    ['output_format', 'jpeg'],
    ['output_format', 'webp'],
    ['output_compression', '100'],
    ['stream', 'false'],
    ['user', 'ann'],
  ])('for gpt-image-1 the %s %s', async (field, value) => {
    const { status, body } = await undrawnSession().edit(fields(['model', A], [field, value]))
    expect([status, Object.keys(body.data[0])]).toEqual([200, ['b64_json']])
  })

  it('low as the input fidelity where none is asked for', async () => {
    const tokens = async (...more: [string, string][]) =>
      (await undrawnSession().edit(fields(['model', A], ...more))).body.usage.input_tokens_details
        .image_tokens as number
    expect(await tokens()).toBe(await tokens(['input_fidelity', 'low']))
    expect(await tokens()).toBeLessThan(await tokens(['input_fidelity', 'high']))
  })

  it('what only A has without a model, and answers as A', async () => {
    expect((await undrawnSession().edit(fields(['background', 'opaque']))).body).toMatchObject({
      created: start,
      background: 'opaque',
      output_format: 'png',
      data: [{ b64_json: expect.any(String) }],
    })
  })

  it.each([0, 100])('for gpt-image-1 an output compression of %i', async (compression) => {
    expect(
      (
        await undrawnSession().edit(
          fields(['model', A], ['output_format', 'webp'], ['output_compression', String(compression)]),
        )
      ).status,
    ).toBe(200)
  })

  it.each([0, 3])('for gpt-image-1 %i partial images of a stream', async (count) => {
    const events = await undrawnSession().streamed(
      fields(['model', A], ['stream', 'true'], ['partial_images', String(count)], ['quality', 'low']),
    )
    expect(events.map(({ event }) => event)).toEqual([
      ...Array(count).fill('image_edit.partial_image'),
      'image_edit.completed',
    ])
  })
})

describe('images.edit refuses', () => {
  it.each([
    ['n of 0', ['n', '0'], 'expected at least 1, got 0'],
    ['an output compression of -1', ['output_compression', '-1'], 'expected at least 0, got -1'],
    ['an output compression of 101', ['output_compression', '101'], 'expected at most 100, got 101'],
    ['4 partial images', ['partial_images', '4'], 'expected at most 3, got 4'],
    [
      'another background',
      ['background', 'blue'],
      'expected one of "auto", "transparent", "opaque", got "blue"',
    ],
    ['another output format', ['output_format', 'gif'], 'expected one of "png", "jpeg", "webp", got "gif"'],
    ['another input fidelity', ['input_fidelity', 'medium'], 'expected one of "high", "low", got "medium"'],
    ['another response format', ['response_format', 'file'], 'expected one of "url", "b64_json", got "file"'],
  ] as const)('%s', async (_, [field, value], message) => {
    expect((await undrawnSession().edit(fields([field, value]))).body).toEqual(invalid(field, message))
  })
})

describe('the address of a picture', () => {
  const read = async (operation: string, later: number): Promise<number> => {
    const { sim, generate, edit, read } = undrawnSession()
    const { body } = await (operation === 'an edit'
      ? edit(fields(['model', B]))
      : generate({ prompt, model: B }))
    sim.clock.advance(later)
    return (await read(body.data[0].url)).status
  }
  const hour = 60 * 60 * 1000

  it.each(['a generation', 'an edit'])(
    'of %s is read until the last millisecond of its hour',
    async (operation) => {
      expect(await read(operation, hour - 1)).toBe(200)
    },
  )

  it.each(['a generation', 'an edit'])('of %s is refused once its hour is over', async (operation) => {
    expect(await read(operation, hour)).toBe(403)
  })
})
