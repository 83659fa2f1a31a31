/**
 * What edited images are made from: the first image and the mask, as they are described before they are
 * drawn.
 */
import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { ImageMedia, ImageSource, Media } from '../../../src/protocol/media.ts'
import { describeIntegrations, simulator } from '../../_setup.ts'
import { described, seenFrom, watchRendering } from '../_described.ts'
import { form } from '../_openai-family.ts'
import { clear, fileOf, imagesSession, png, undrawnSession } from './_images.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const first = png(6, 6)
const mask = clear(6)
const said: [string, string] = ['prompt', 'with a red hat']
const small: [string, string] = ['size', '256x256']
const A: [string, string] = ['model', 'gpt-image-1']
const b64: [string, string] = ['response_format', 'b64_json']
const image: [string, File] = ['image', fileOf(first)]
const sent = (bytes: Uint8Array): unknown => ({
  kind: 'sent',
  content: expect.any(Uint8Array),
  sha256: createHash('sha256').update(bytes).digest('hex'),
})
const bytesOf = (source: ImageSource): Uint8Array =>
  (source as Extract<ImageSource, { kind: 'sent' }>).content as Uint8Array
const shelf = (sim: ReturnType<typeof simulator>) => sim.core.sessions.get('default').sandbox.sources

describe('an edited image says', () => {
  it('the prompt, the model, its size and its number', async () => {
    const { sim, edit } = undrawnSession()
    const { body } = await edit(form(image, said, small, ['n', '2']))
    expect(described(sim, body.data[1].url)).toMatchObject({
      width: 256,
      height: 256,
      format: 'png',
      caption: { prompt: 'with a red hat', facts: ['dall-e-2', '256 x 256', 'picture 2'] },
    })
  })

  it('the same as one of several: how many were asked for stands nowhere', async () => {
    const { sim, edit } = undrawnSession()
    const seen = async (n: string) =>
      seenFrom(described(sim, (await edit(form(image, said, small, ['n', n]))).body.data[0].url))
    expect(await seen('3')).toBe(await seen('1'))
  })
})

describe('an edited image is made', () => {
  it('from the first image and the mask, when it comes as base64', async () => {
    const { sim, edit } = undrawnSession()
    const rendered = watchRendering(sim)
    await edit(form(image, ['mask', fileOf(mask)], said, small, b64, ['n', '2']))
    expect(rendered).toHaveLength(2)
    for (const image of rendered)
      expect((image as ImageMedia).from).toEqual({ kind: 'edit', source: sent(first), mask: sent(mask) })
    expect(Buffer.from(bytesOf((rendered[0] as ImageMedia).from?.source as ImageSource)).equals(first)).toBe(
      true,
    )
    // Nobody reads it later.
    expect(shelf(sim).count).toBe(0)
  })

  it('from the first image alone, without a mask', async () => {
    const { sim, edit } = undrawnSession()
    const rendered = watchRendering(sim)
    await edit(form(['image.1', fileOf(png(9))], ['image.0', fileOf(first)], said, A))
    expect((rendered[0] as ImageMedia).from).toEqual({ kind: 'edit', source: sent(first) })
  })

  it('from the same when it is on its way', async () => {
    const { sim, streamed } = undrawnSession()
    const rendered = watchRendering(sim)
    await streamed(form(image, ['mask', fileOf(mask)], said, A, ['stream', 'true'], ['partial_images', '2']))
    expect(rendered.map((image) => (image as ImageMedia).partial)).toEqual([
      { step: 0, steps: 2 },
      { step: 1, steps: 2 },
      undefined,
    ])
    for (const image of rendered)
      expect((image as ImageMedia).from).toEqual({ kind: 'edit', source: sent(first), mask: sent(mask) })
    expect(shelf(sim).count).toBe(0)
  })

  it('from files that are kept once, when it is read at an address, again and again', async () => {
    const { sim, edit } = undrawnSession()
    const ask = () => edit(form(image, ['mask', fileOf(mask)], said, small, ['n', '2']))
    const { body } = await ask()
    await ask()
    for (const { url } of body.data)
      expect(described(sim, url).from).toEqual({ kind: 'edit', source: sent(first), mask: sent(mask) })
    expect([shelf(sim).count, shelf(sim).size]).toEqual([2, first.length + mask.length])
  })

  it('from a copy of the file alone: the rest of the form is let go', async () => {
    const { sim, edit } = undrawnSession()
    const { body } = await edit(form(image, said, small, ['padding', 'x'.repeat(100_000)]))
    const { buffer, byteLength } = bytesOf(described(sim, body.data[0].url).from?.source as ImageSource)
    expect([byteLength, buffer.byteLength]).toEqual([first.length, first.length])
  })

  it('with the same description in every session', async () => {
    const seen = new Set<string>()
    for (const prefix of ['', '/s/mine', '/s/another-name']) {
      const { sim, edit } = undrawnSession()
      const { body } = await edit(form(image, said, small), 'sk-test', prefix)
      seen.add(seenFrom(described(sim, body.data[0].url)))
    }
    expect([...seen]).toHaveLength(1)
  })
})

describe('the files of edits are kept', () => {
  it('until they are evicted: the image is then described with a stand-in', async () => {
    const { sim, edit } = undrawnSession()
    const { body } = await edit(form(['image', fileOf(png(6), 'cat.png')], said, small))
    shelf(sim).clear()
    expect(described(sim, body.data[0].url).from?.source).toEqual({ kind: 'absent', name: 'cat.png' })
  })

  it('unless they are larger than the memory of the session', async () => {
    const { sim, edit } = undrawnSession({ settings: { memory: { bytes: 10_000 } } })
    const larger = new Uint8Array(10_001)
    larger.set(first)
    const other = await edit(form(['image', fileOf(larger, 'large.png')], said, small))
    expect(described(sim, other.body.data[0].url).from?.source).toEqual({ kind: 'absent', name: 'large.png' })
    expect(shelf(sim).count).toBe(0)
  })

  it('until a reset, and no longer than their session', async () => {
    const { sim, edit } = undrawnSession()
    await edit(form(image, said, small))
    expect(shelf(sim).count).toBe(1)
    sim.resetAll()
    expect(shelf(sim).count).toBe(0)
  })

  it('by no other operation but the submission of a video, which begins with its file', () => {
    const storing = simulator().routes.filter(({ endpoint }) => endpoint.files?.store !== undefined)
    expect(storing.map(({ endpoint }) => endpoint.operation)).toEqual(['images.edit', 'videos.create'])
  })

  it('by nobody else once a stream has ended: not by the journal, not by the cache of images', async () => {
    const { sim, streamed } = imagesSession()
    const { media } = sim.core
    const { render } = media
    const contents: WeakRef<Uint8Array>[] = []
    Object.assign(media, {
      render(what: Media) {
        contents.push(new WeakRef(bytesOf((what as ImageMedia).from?.source as ImageSource)))
        return render(what)
      },
    })
    await streamed(form(image, said, A, ['stream', 'true'], ['partial_images', '1']))
    // What a promise still holds lives until the next turn.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    expect(contents.map((content) => content.deref())).toEqual([undefined, undefined])
    const { stream } = sim.journal().at(-1) ?? { stream: [] }
    expect(stream.map(({ event }) => event)).toEqual(['image_edit.partial_image', 'image_edit.completed'])
  })
})

describeIntegrations('an edit', (integration) => {
  it('is made from the file as it was sent', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    const response = await call(`${url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test' },
      body: form(image, said, small),
    })
    const { data } = (await response.json()) as { data: { url: string }[] }
    const { from } = described(sim, new URL(data[0]?.url as string).pathname.replace(/^\/gateway/, ''))
    expect(from).toEqual({ kind: 'edit', source: sent(first) })
    expect(Buffer.from(bytesOf(from?.source as ImageSource)).equals(first)).toBe(true)
  })
})
