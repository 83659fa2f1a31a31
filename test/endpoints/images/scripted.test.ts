/**
 * Stream scripts in images.generate and images.edit: which images come, in what order, and what happens
 * between them.
 */
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../../../src/index.ts'
import type { Item } from '../../scenario/streams/_scripted.ts'
import { form } from '../_openai-family.ts'
import { fileOf, png, sumsOf, undrawnSession } from './_images.ts'

const prompt = 'a fox in the snow'
const usage = {
  input_tokens: 5,
  input_tokens_details: { image_tokens: 0, text_tokens: 5 },
  output_tokens: 272,
  total_tokens: 277,
}
const asked = { prompt, model: 'gpt-image-1', quality: 'low' }

function session(script: readonly Item[], options: SimulatorOptions = {}) {
  const scenario = {
    title: 'One script for all',
    rules: [{ when: { operation: ['images.generate', 'images.edit'] }, then: { stream: { script } } }],
  }
  return undrawnSession({ clock: 'auto', scenarios: [scenario], ...options } as SimulatorOptions)
}

/** The events of a stream: a step of an image as its index, a finished one as what it has cost so far. */
async function said(script: readonly Item[], more: object = {}): Promise<unknown[]> {
  const { sim, streamed } = session(script)
  const events = await streamed({ ...asked, stream: true, ...more })
  expect(sim.warnings).toEqual([])
  return events.map(({ event, data }) =>
    event.endsWith('completed') ? data.usage.output_tokens : data.partial_image_index,
  )
}

describe('a scripted stream of images answers', () => {
  it('with the steps and images of the script, in its order and number, whatever was requested', async () => {
    expect(
      await said([{ partial: 0 }, { partial: 1 }, { partial: 0 }, { image: 1 }, { image: 0 }], {
        n: 1,
        partial_images: 3,
      }),
    ).toEqual([0, 0, 1, 272 + 300, 2 * 272 + 300])
  })

  it('with the usage of the script in the place of what was counted', async () => {
    const script: Item[] = [{ usage: { output: 50 } }, { image: 0 }, { usage: { input: 9 } }]
    const events = await session(script).streamed({ ...asked, stream: true })
    const expected = {
      input_tokens: 9,
      input_tokens_details: { image_tokens: 0, text_tokens: 9 },
      output_tokens: 50,
      total_tokens: 59,
    }
    expect(events.map(({ data }) => data.usage)).toEqual([expected])
    expect((await session(script).generate(asked)).body.usage).toEqual(expected)
  })

  it('of an edit with the names of an edit', async () => {
    const body = form(
      ['image', fileOf(png())],
      ['prompt', prompt],
      ['model', 'gpt-image-1'],
      ['stream', 'true'],
    )
    const events = await session([{ partial: 0 }, { image: 0 }]).streamed(body)
    expect(events.map(({ event }) => event)).toEqual(['image_edit.partial_image', 'image_edit.completed'])
  })
})

describe('a script in one body answers', () => {
  it('with the finished images of the script, in its order and number', async () => {
    const usual = sumsOf((await undrawnSession().generate({ ...asked, n: 2 })).body)
    const { body } = await session([{ partial: 0 }, { image: 1 }, { image: 0 }, { image: 1 }]).generate(asked)
    expect(sumsOf(body)).toEqual([usual[1], usual[0], usual[1]])
    expect(body.usage).toEqual({ ...usage, output_tokens: 3 * 272, total_tokens: 3 * 272 + 5 })
  })
})
