/** The streams of images.generate and images.edit. */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, jsonCall, simulator } from '../../_setup.ts'
import { form, start } from '../_openai-family.ts'
import {
  distance,
  eventsIn,
  fileOf,
  imagesSession,
  pixelsOf,
  png,
  seen,
  undrawn,
  undrawnSession,
} from './_images.ts'

const prompt = 'a fox in the snow'
const base64 = expect.stringMatching(/^[A-Za-z0-9+/]+=*$/)
const usage = {
  input_tokens: 5,
  input_tokens_details: { image_tokens: 0, text_tokens: 5 },
  output_tokens: 4160,
  total_tokens: 4165,
}
/** What every event says of its image. */
const made = (change: object = {}) => ({
  b64_json: base64,
  created_at: start,
  size: '1024x1024',
  quality: 'high',
  background: 'opaque',
  output_format: 'png',
  ...change,
})
/** An event, which names itself twice. */
const event = (name: string, data: object) => ({ event: name, data: { type: name, ...data } })
const editForm = (...more: [string, string][]): FormData =>
  form(['image', fileOf(png())], ['prompt', prompt], ['model', 'gpt-image-1'], ['stream', 'true'], ...more)

describe('a stream of images answers', () => {
  it('with one event, when no partial images are asked for, and no end marker', async () => {
    const expected = event('image_generation.completed', { ...made(), usage })
    expect(await undrawnSession().streamed({ prompt, stream: true })).toEqual([expected])
    expect(await undrawnSession().streamed({ prompt, stream: true, partial_images: 0 })).toEqual([expected])
  })

  it.each([1, 2, 3])('with %i partial images in their order, each a hundred tokens dearer', async (count) => {
    const change = { output_format: 'webp', background: 'transparent', size: '1536x1024', quality: 'low' }
    const asked = { prompt, stream: true, partial_images: count, ...change }
    const dearer = { ...usage, output_tokens: 400 + count * 100, total_tokens: 405 + count * 100 }
    expect(await undrawnSession().streamed(asked)).toEqual([
      ...Array.from({ length: count }, (_, index) =>
        event('image_generation.partial_image', { ...made(change), partial_image_index: index }),
      ),
      event('image_generation.completed', { ...made(change), usage: dearer }),
    ])
  })

  it('with partial images that approach the final one, in its size and format', async () => {
    const events = await imagesSession().streamed({
      prompt,
      stream: true,
      partial_images: 2,
      output_format: 'jpeg',
    })
    for (const { data } of events)
      expect(await seen(data.b64_json)).toEqual({ format: 'jpeg', width: 1024, height: 1024, alpha: false })
    const images = await Promise.all(events.map(({ data }) => pixelsOf(data.b64_json)))
    const distances = images.map((image) => distance(image, images[2] as Buffer))
    expect(distances).toEqual([...distances].sort((x, y) => y - x))
    expect(new Set(distances).size).toBe(3)
  })

  it('with one finished image for each that is asked, the usage growing to that of the whole', async () => {
    const { generate, streamed } = undrawnSession()
    const events = await streamed({ prompt, n: 3, stream: true, quality: 'low' })
    expect(events.map(({ event: name, data }) => [name, data.usage.output_tokens])).toEqual(
      [1, 2, 3].map((count) => ['image_generation.completed', count * 272]),
    )
    expect(events.at(-1)?.data.usage).toEqual((await generate({ prompt, n: 3, quality: 'low' })).body.usage)
  })

  it('of an edit with the names of an edit', async () => {
    const events = await undrawnSession().streamed(
      editForm(['partial_images', '1'], ['quality', 'low'], ['size', '1024x1024']),
    )
    const low = made({ quality: 'low' })
    const spent = { input_tokens: 5 + 194, output_tokens: 372, total_tokens: 571 }
    expect(events).toEqual([
      event('image_edit.partial_image', { ...low, partial_image_index: 0 }),
      event('image_edit.completed', {
        ...low,
        usage: { ...spent, input_tokens_details: { image_tokens: 194, text_tokens: 5 } },
      }),
    ])
  })

  it('byte for byte as the upstream of this family', async () => {
    const response = await undrawnSession({ clock: 'auto' }).open({ prompt, stream: true, partial_images: 1 })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    })
    expect((await response.text()).replace(/"b64_json":"[^"]*"/g, '"b64_json":"…"')).toBe(
      [
        'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image",',
        `"b64_json":"…","created_at":${start},"size":"1024x1024","quality":"high","background":"opaque",`,
        '"output_format":"png","partial_image_index":0}\n\n',
      ].join('') +
        [
          'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"…",',
          `"created_at":${start},"size":"1024x1024","quality":"high","background":"opaque",`,
          '"output_format":"png","usage":{"input_tokens":5,"input_tokens_details":{"image_tokens":0,',
          '"text_tokens":5},"output_tokens":4260,"total_tokens":4265}}\n\n',
        ].join(''),
    )
  })
})

describeIntegrations('a stream of images unfolds', (integration) => {
  async function reader(settings = {}) {
    const sim = simulator({ clock: 'manual', settings: { images: settings } })
    undrawn(sim)
    const { fetch: call, url } = await integration.open(sim)
    const body = { prompt, stream: true, partial_images: 2, quality: 'low' }
    const response = await call(`${url}/v1/images/generations`, jsonCall(body))
    const stream = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    /** The next events, once there are so many whole ones. */
    const next = async (count: number): Promise<string[]> => {
      while (text.split('\n\n').length <= count) {
        const { value } = await stream.read()
        text += new TextDecoder().decode(value)
      }
      const events = eventsIn(text).map(({ event: name }) => name.replace('image_generation.', ''))
      text = ''
      return events
    }
    return { sim, next }
  }

  it('event by event, each in its virtual time', async () => {
    const { sim, next } = await reader()
    sim.clock.advance('2s')
    expect(await next(1)).toEqual(['partial_image'])
    sim.clock.advance('2s')
    expect(await next(1)).toEqual(['partial_image'])
    sim.clock.advance('2s')
    expect(await next(1)).toEqual(['completed'])
  })
})
