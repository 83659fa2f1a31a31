/**
 * Every value that the contract lists is accepted, limits included; the tests beside this one reject
 * what lies one step beyond.
 */
import { describe, expect, it } from 'vitest'
import { form, start } from '../_openai-family.ts'
import { type Answer, fileOf, heavy, megabyte, png, undrawnSession } from './_images.ts'

const prompt = 'a fox'
const [A, B, C] = ['gpt-image-1', 'dall-e-2', 'dall-e-3'] as const
type Listed = Readonly<Record<string, Readonly<Record<string, readonly (string | number | boolean)[]>>>>

/** The values of each field, by model. */
const generations: Listed = {
  [A]: {
    quality: ['auto', 'high', 'medium', 'low'],
    background: ['auto', 'opaque', 'transparent'],
    moderation: ['auto', 'low'],
    output_format: ['png', 'jpeg', 'webp'],
    output_compression: [0, 100],
    stream: [false],
    user: ['ann'],
  },
  [B]: { quality: ['auto', 'standard'], response_format: ['url', 'b64_json'], n: [1, 10] },
  [C]: {
    quality: ['auto', 'standard', 'hd'],
    response_format: ['url', 'b64_json'],
    style: ['vivid', 'natural'],
    n: [1],
  },
}
const { moderation: _, ...ofEdits } = generations[A] as Listed[string]
const edits: Listed = {
  [A]: {
    ...ofEdits,
    size: ['1024x1024', '1536x1024', '1024x1536', 'auto'],
    input_fidelity: ['high', 'low'],
  },
  [B]: { ...generations[B], size: ['256x256', '512x512', '1024x1024'] },
}
const rowsOf = (listed: Listed) =>
  Object.entries(listed).flatMap(([model, fields]) =>
    Object.entries(fields).flatMap(([field, values]) => values.map((value) => ({ model, field, value }))),
  )
type Row = ReturnType<typeof rowsOf>[number]

const sentWith = ({ model, field, value }: Row) => ({
  model,
  ...(field === 'output_compression' ? { output_format: 'webp' } : {}),
  [field]: value,
})

/** The image comes in the form of its model, and only A says what was drawn: what `auto` became. */
function expectTaken({ status, body }: Answer, { model, field, value }: Row): void {
  expect(status).toBe(200)
  expect(body.data).toHaveLength(field === 'n' ? Number(value) : 1)
  const form = field === 'response_format' ? value : model === A ? 'b64_json' : 'url'
  expect(Object.keys(body.data[0]).filter((name) => name !== 'revised_prompt')).toEqual([form])
  const chosen: Record<string, string> = { quality: 'high', background: 'opaque', size: '1024x1024' }
  if (field in chosen)
    expect(body[field]).toBe(model !== A ? undefined : value === 'auto' ? chosen[field] : value)
}

const image = (bytes = png()): [string, File] => ['image', fileOf(bytes)]
const fields = (...more: [string, string | File][]): FormData => form(image(), ['prompt', prompt], ...more)

describe('images.generate accepts', () => {
  it.each(rowsOf(generations))('for $model the $field $value', async (row) => {
    expectTaken(await undrawnSession().generate({ prompt, ...sentWith(row) }), row)
  })

  it.each([
    [A, 32_000],
    [B, 1000],
    [C, 4000],
  ] as const)('for %s a prompt of %i characters', async (model, most) => {
    const { status, body } = await undrawnSession().generate({ model, prompt: 'a '.repeat(most / 2) })
    expect([status, body.data.length]).toEqual([200, 1])
  })
})

describe('images.edit accepts', () => {
  it.each(rowsOf(edits))('for $model the $field $value', async (row) => {
    const texts = Object.entries(sentWith(row)).map(([name, value]): [string, string] => [name, `${value}`])
    expectTaken(await undrawnSession().edit(fields(...texts)), row)
  })

  it.each([
    [A, 32_000],
    [B, 1000],
  ] as const)('for %s a prompt of %i characters', async (model, most) => {
    const body = form(image(), ['prompt', 'a '.repeat(most / 2)], ['model', model], ['size', '1024x1024'])
    expect((await undrawnSession().edit(body)).status).toBe(200)
  })

  it.each([
    ['for dall-e-2 an image of a byte less than 4 MB', B, () => [image(heavy(4 * megabyte - 1))]],
    ['for gpt-image-1 an image of a byte less than 50 MB', A, () => [image(heavy(50 * megabyte - 1))]],
    ['for gpt-image-1 sixteen images', A, () => Array.from({ length: 16 }, () => image())],
    ['for dall-e-2 one image', B, () => [image()]],
    [
      'a mask of a byte less than 4 MB',
      B,
      () => [image(), ['mask', fileOf(heavy(4 * megabyte - 1))] as [string, File]],
    ],
    [
      'a mask that is as large as the image',
      B,
      () => [image(png(6)), ['mask', fileOf(png(6))] as [string, File]],
    ],
  ] as const)('%s', async (_, model, files) => {
    const { status, body } = await undrawnSession().edit(
      form(...files(), ['prompt', prompt], ['model', model]),
    )
    expect([status, body.data?.length]).toEqual([200, 1])
  })

  it('what only A has without a model, and answers as A', async () => {
    expect((await undrawnSession().edit(fields(['background', 'opaque']))).body).toMatchObject({
      created: start,
      background: 'opaque',
      output_format: 'png',
      data: [{ b64_json: expect.any(String) }],
    })
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

describe.each(['a generation', 'an edit'])('the address of an image', (operation) => {
  const hour = 60 * 60 * 1000
  const readAfter = async (later: number): Promise<number> => {
    const { sim, generate, edit, read } = undrawnSession()
    const call = operation === 'an edit' ? edit(fields(['model', B])) : generate({ prompt, model: B })
    const { url } = (await call).body.data[0]
    sim.clock.advance(later)
    return (await read(url)).status
  }

  it(`of ${operation} is read until the last millisecond of its hour`, async () => {
    expect(await readAfter(hour - 1)).toBe(200)
  })

  it(`of ${operation} is rejected once its hour is over`, async () => {
    expect(await readAfter(hour)).toBe(403)
  })
})
