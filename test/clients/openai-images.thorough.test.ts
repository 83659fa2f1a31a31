/**
 * The openai package and the AI SDK, images: drawn, streamed, edited, read by address, rejected. What is
 * drawn is decoded by sharp; most tests look at what an image shall be (`whatOf`) and have none drawn.
 */
import { generateImage } from 'ai'
import { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { as, png, seen, sumOf, undrawn, whatOf } from '../endpoints/images/_images.ts'
import { clientIntegrations, inProcess, mswIntegration, wayTo } from './_integrations.ts'
import { aiOpenai } from './_models.ts'
import { openaiVia } from './_openai.ts'

const start = 1_767_225_600
const prompt = 'a fox in the snow'
const upload = async (bytes: Uint8Array<ArrayBuffer>, name: string): Promise<File> =>
  (await toFile(bytes, name)) as File
const only = <Item>(list: readonly Item[] | undefined): Item => {
  if (list?.length !== 1) throw new Error(`expected one image, got ${list?.length}`)
  return list[0] as Item
}

/** A simulator that draws nothing. */
function undrawing(): Simulator {
  const sim = simulator({ clock: 'auto' })
  undrawn(sim)
  return sim
}

const ways = [inProcess, ...clientIntegrations, mswIntegration]

for (const integration of ways) {
  describe(`openai images, through ${integration.name}`, () => {
    it('draws with the newest kind of model: base64, what it is, and what it cost', async () => {
      const client = await openaiVia(integration)
      const { data, _request_id, ...more } = await client.images.generate({
        model: 'gpt-image-1',
        prompt,
        size: '1536x1024',
        quality: 'low',
        background: 'transparent',
        output_format: 'webp',
        output_compression: 60,
      })
      expect(_request_id).toMatch(/^req_[0-9a-f]{32}$/)
      expect(more).toEqual({
        created: start,
        background: 'transparent',
        output_format: 'webp',
        quality: 'low',
        size: '1536x1024',
        usage: {
          input_tokens: 5,
          input_tokens_details: { image_tokens: 0, text_tokens: 5 },
          output_tokens: 400,
          total_tokens: 405,
        },
      })
      expect(await seen(only(data).b64_json as string)).toEqual({
        format: 'webp',
        width: 1536,
        height: 1024,
        alpha: true,
      })
    })

    it('streams an image on its way', async () => {
      const client = await openaiVia(integration, undrawing())
      const question = { model: 'gpt-image-1', prompt, output_format: 'jpeg' } as const
      const said: unknown[] = []
      const images: string[] = []
      for await (const event of await client.images.generate({
        ...question,
        stream: true,
        partial_images: 2,
      })) {
        const partial = event.type === 'image_generation.partial_image'
        said.push([event.type, partial ? event.partial_image_index : event.usage.output_tokens])
        images.push(event.b64_json)
      }
      expect(said).toEqual([
        ['image_generation.partial_image', 0],
        ['image_generation.partial_image', 1],
        ['image_generation.completed', 4160 + 200],
      ])
      for (const image of images)
        expect(whatOf(image)).toMatchObject({ format: 'jpeg', width: 1024, height: 1024 })
      const plain = await client.images.generate(question)
      expect(only(plain.data).b64_json).toBe(images[2])
    })

    it('edits several files with a mask', async () => {
      const client = await openaiVia(integration, undrawing())
      const image = [
        await upload(png(64, 48, 'opaque'), 'fox.png'),
        await upload(await as('jpeg', 700, 700), 'hat.jpg'),
        await upload(await as('webp', 32), 'scarf.webp'),
      ]
      const result = await client.images.edit({
        model: 'gpt-image-1',
        image,
        mask: await upload(png(64, 48), 'mask.png'),
        prompt: 'with a red hat',
        input_fidelity: 'high',
        n: 2,
      })
      // 1.33 : 1 is nearest to landscape.
      expect(result).toMatchObject({
        created: start,
        size: '1536x1024',
        output_format: 'png',
        usage: { input_tokens_details: { image_tokens: 3 * (65 + 129) + 6240 + 2 * 4160, text_tokens: 4 } },
      })
      expect(result.data).toHaveLength(2)
      for (const { b64_json } of result.data ?? [])
        expect(whatOf(b64_json as string)).toMatchObject({ format: 'png', width: 1536, height: 1024 })
    })
  })
}

for (const integration of ways.filter((way) => way !== mswIntegration)) {
  describe(`openai images, the older models, through ${integration.name}`, () => {
    const read = (sim: Simulator, url: string): Promise<Response> =>
      integration.name === 'fetch' ? sim.fetch(url) : fetch(url)

    it('gives addresses that anybody can read for an hour', async () => {
      const sim = simulator({ clock: 'manual' })
      const client = await openaiVia(integration, sim)
      const { data, ...more } = await client.images.generate({ prompt, n: 2, size: '512x512' })
      expect(more).toEqual({ created: start })
      const urls = (data ?? []).map(({ url }) => url as string)
      expect(new Set(urls).size).toBe(2)
      const file = await read(sim, urls[1] as string)
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(await seen(new Uint8Array(await file.arrayBuffer()))).toEqual({
        format: 'png',
        width: 512,
        height: 512,
        alpha: false,
      })
      sim.clock.advance('60m')
      const gone = await read(sim, urls[1] as string)
      expect([gone.status, gone.headers.get('content-type')]).toEqual([403, 'application/xml'])
    })
  })

  describe(`AI SDK, images, through ${integration.name}`, () => {
    const providerVia = async (which: Integration, sim: Simulator) => aiOpenai(await wayTo(which, sim))

    it.each([
      ['gpt-image-1', '1024x1536'],
      ['dall-e-2', '512x512'],
      ['dall-e-3', '1024x1792'],
      ['a-model-of-tomorrow', '1024x1024'],
    ] as const)('generateImage with %s in %s', async (model, size) => {
      const openai = await providerVia(integration, undrawing())
      const { image, warnings } = await generateImage({ model: openai.image(model), prompt, size })
      expect([image.mediaType, warnings]).toEqual(['image/png', []])
      const { width, height } = whatOf(image.base64)
      expect(`${width}x${height}`).toBe(size)
    })

    it('generateImage with several, in the format that the provider is asked for', async () => {
      const chosen = { outputFormat: 'webp', quality: 'low', background: 'transparent' }
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const { images, usage, providerMetadata } = await generateImage({
        model: openai.image('gpt-image-1'),
        prompt,
        n: 2,
        providerOptions: { openai: { ...chosen, outputCompression: 30 } },
      })
      expect(images.map(({ mediaType }) => mediaType)).toEqual(['image/webp', 'image/webp'])
      expect(new Set(images.map(({ base64 }) => sumOf(base64))).size).toBe(2)
      expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 544, totalTokens: 549 })
      expect(providerMetadata['openai']?.images[0]).toMatchObject({ size: '1024x1024', ...chosen })
    })
  })
}
