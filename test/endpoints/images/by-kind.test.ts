/**
 * What each kind of image model takes: every value that the contract lists, and none that only another kind
 * has.
 */
import { describe, expect, it } from 'vitest'
import type { ImageMedia } from '../../../src/protocol/media.ts'
import { watchRendering } from '../_described.ts'
import { answered, form, invalid, start } from '../_openai-family.ts'
import { type Answer, fileOf, heavy, megabyte, png, undrawnSession } from './_images.ts'

type Kind = 'A' | 'B' | 'C'
type Value = string | number | boolean

const prompt = 'a fox'
const models = { A: 'gpt-image-1', B: 'dall-e-2', C: 'dall-e-3' } as const
const mostCharacters = { A: 32_000, B: 1000, C: 4000 } as const

/** The values of each field, by kind. */
const common: Readonly<Record<string, Partial<Record<Kind, readonly Value[]>>>> = {
  size: {
    A: ['1024x1024', '1536x1024', '1024x1536', 'auto'],
    B: ['256x256', '512x512', '1024x1024'],
    C: ['1024x1024', '1792x1024', '1024x1792'],
  },
  quality: { A: ['auto', 'low', 'medium', 'high'], B: ['auto', 'standard'], C: ['auto', 'standard', 'hd'] },
  response_format: { B: ['url', 'b64_json'], C: ['url', 'b64_json'] },
  n: { A: [1, 10], B: [1, 10], C: [1] },
  background: { A: ['auto', 'opaque', 'transparent'] },
  output_format: { A: ['png', 'jpeg', 'webp'] },
  output_compression: { A: [0, 100] },
  partial_images: { A: [0] },
  stream: { A: [false], B: [false], C: [false] },
  user: { A: ['ann'], B: ['ann'], C: ['ann'] },
}
const generations = { ...common, moderation: { A: ['auto', 'low'] }, style: { C: ['vivid', 'natural'] } }
const edits = { ...common, input_fidelity: { A: ['high', 'low'] } }

interface Row {
  readonly kind: Kind
  readonly model: string
  readonly field: string
  readonly value: Value
}

/** Each kind with each value of each field, and whether it is one of its own. */
function rowsOf(fields: typeof common, kinds: readonly Kind[], own: boolean): Row[] {
  return Object.entries(fields).flatMap(([field, byKind]) =>
    kinds.flatMap((kind) =>
      [...new Set(Object.values(byKind).flat())]
        .filter((value) => (byKind[kind] ?? []).includes(value) === own)
        .map((value) => ({ kind, model: models[kind], field, value })),
    ),
  )
}

/** Why a kind does not take a value. */
function reasonFor({ kind, model, field, value }: Row): string {
  const said = `the model ${model} (kind ${kind})`
  const own = common[field]?.[kind]
  const got = JSON.stringify(value)
  if (field === 'n') return `expected 1 for ${said}, got ${got}`
  if (own !== undefined && field !== 'stream')
    return `expected one of ${own.map((one) => `"${one}"`).join(', ')} for ${said}, got ${got}`
  if (field === 'response_format') return `is not supported by ${said}, which always returns base64: omit it`
  return `is not supported by ${said}: omit it, or use a model of kind ${field === 'style' ? 'C' : 'A'}`
}

const sentWith = ({ kind, model, field, value }: Row): Record<string, Value> => ({
  model,
  ...(kind === 'A' && field === 'output_compression' && { output_format: 'webp' }),
  [field]: value,
})
const image = (bytes = png()): [string, File] => ['image', fileOf(bytes)]
const mask = (bytes: Uint8Array<ArrayBuffer>): [string, File] => ['mask', fileOf(bytes)]
const formWith = (fields: Record<string, Value>): FormData =>
  form(
    image(),
    ['prompt', prompt],
    ...Object.entries(fields).map(([name, value]) => [name, `${value}`] as const),
  )

/** The image comes in the form of its model, and only A says what was drawn: what `auto` became. */
function expectTaken({ status, body }: Answer, { kind, field, value }: Row): void {
  expect(status).toBe(200)
  expect(body.data).toHaveLength(field === 'n' ? Number(value) : 1)
  const form = field === 'response_format' ? value : kind === 'A' ? 'b64_json' : 'url'
  expect(Object.keys(body.data[0]).filter((name) => name !== 'revised_prompt')).toEqual([form])
  const chosen: Record<string, string> = { quality: 'high', background: 'opaque', size: '1024x1024' }
  if (field in chosen)
    expect(body[field]).toBe(kind !== 'A' ? undefined : value === 'auto' ? chosen[field] : value)
}

/** What B and C do not have, although they take `stream: false`. */
const streamed = (...kinds: readonly Kind[]): Row[] =>
  kinds.map((kind) => ({ kind, model: models[kind], field: 'stream', value: true }))

const limits = (...kinds: readonly Kind[]) =>
  kinds.map((kind) => [models[kind], mostCharacters[kind]] as const)
// A character beyond the basic plane is one character.
const prompts = (most: number) => {
  const full = `${'🦊'.repeat(3)}${'a '.repeat((most - 4) / 2)}a`
  return { full, over: `${full}b` }
}
const tooLong = (model: string, most: number): unknown =>
  expect.stringMatching(
    `^\`prompt\`: expected at most ${most} characters for the model ${model} .*, got ${most + 1}`,
  )

describe('images.generate accepts', () => {
  it.each(rowsOf(generations, ['A', 'B', 'C'], true))('for $model the $field $value', async (row) => {
    const { sim, generate, read } = undrawnSession()
    const rendered = watchRendering(sim)
    const answer = await generate({ prompt, ...sentWith(row) })
    expectTaken(answer, row)
    if (row.field !== 'size') return
    if (row.kind !== 'A') await read(answer.body.data[0].url)
    const [{ width, height }] = rendered as [ImageMedia]
    expect(`${width}x${height}`).toBe(row.value === 'auto' ? '1024x1024' : row.value)
  })

  it.each(limits('A', 'B', 'C'))('for %s a prompt of %i characters', async (model, most) => {
    expect((await undrawnSession().generate({ model, prompt: prompts(most).full })).status).toBe(200)
  })
})

describe('images.generate rejects', () => {
  it.each([...rowsOf(generations, ['A', 'B', 'C'], false), ...streamed('B', 'C')])(
    'for $model the $field $value',
    async (row) => {
      const answer = await undrawnSession().generate({ prompt, ...sentWith(row) })
      expect(answer).toEqual(answered(400, invalid(row.field, reasonFor(row))))
    },
  )

  it.each(limits('A', 'B', 'C'))('for %s a prompt of more than %i characters', async (model, most) => {
    const { status, body } = await undrawnSession().generate({ model, prompt: prompts(most).over })
    expect([status, body.error.message]).toEqual([400, tooLong(model, most)])
  })
})

describe('images.edit accepts', () => {
  it.each(rowsOf(edits, ['A', 'B'], true))('for $model the $field $value', async (row) => {
    expectTaken(await undrawnSession().edit(formWith(sentWith(row))), row)
  })

  it.each(limits('A', 'B'))('for %s a prompt of %i characters', async (model, most) => {
    const body = form(image(), ['prompt', prompts(most).full], ['model', model])
    expect((await undrawnSession().edit(body)).status).toBe(200)
  })

  it.each([
    ['for dall-e-2 an image of a byte less than 4 MB', 'B', () => [image(heavy(4 * megabyte - 1))]],
    ['for gpt-image-1 an image of a byte less than 50 MB', 'A', () => [image(heavy(50 * megabyte - 1))]],
    ['for gpt-image-1 sixteen images', 'A', () => Array.from({ length: 16 }, () => image())],
    ['for dall-e-2 one image', 'B', () => [image()]],
    ['a mask of a byte less than 4 MB', 'B', () => [image(), mask(heavy(4 * megabyte - 1))]],
    ['a mask that is as large as the image', 'B', () => [image(png(6)), mask(png(6))]],
    ['an opaque image with a mask', 'B', () => [image(png(4, 4, 'opaque')), mask(png())]],
  ] as const)('%s', async (_, kind, files) => {
    const body = form(...files(), ['prompt', prompt], ['model', models[kind]])
    const answer = await undrawnSession().edit(body)
    expect([answer.status, answer.body.data?.length]).toEqual([200, 1])
  })

  it('what only A has without a model, and answers as A', async () => {
    expect((await undrawnSession().edit(formWith({ background: 'opaque' }))).body).toMatchObject({
      created: start,
      background: 'opaque',
      output_format: 'png',
      data: [{ b64_json: expect.any(String) }],
    })
  })

  it.each([0, 3])('for gpt-image-1 %i partial images of a stream', async (count) => {
    const asked = { model: models.A, stream: true, partial_images: count, quality: 'low' }
    const events = await undrawnSession().streamed(formWith(asked))
    expect(events.map(({ event }) => event)).toEqual([
      ...Array(count).fill('image_edit.partial_image'),
      'image_edit.completed',
    ])
  })
})

describe('images.edit rejects', () => {
  it.each([...rowsOf(edits, ['A', 'B'], false), ...streamed('B')])(
    'for $model the $field $value',
    async (row) => {
      const answer = await undrawnSession().edit(formWith(sentWith(row)))
      expect(answer).toEqual(answered(400, invalid(row.field, reasonFor(row))))
    },
  )

  it.each(limits('A', 'B'))('for %s a prompt of more than %i characters', async (model, most) => {
    const body = form(image(), ['prompt', prompts(most).over], ['model', model])
    const answer = await undrawnSession().edit(body)
    expect([answer.status, answer.body.error.message]).toEqual([400, tooLong(model, most)])
  })
})
