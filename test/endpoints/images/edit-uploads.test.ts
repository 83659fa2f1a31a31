/**
 * Images and masks of edits that were uploaded before, by `path` or by `visit_url`: judged and drawn from as
 * files of the form are.
 */
import { describe, expect, it } from 'vitest'
import { holdBytes } from '../../../src/http/held-bytes.ts'
import type { ImageMedia } from '../../../src/protocol/media.ts'
import { describeIntegrations, simulator } from '../../_setup.ts'
import { described, seenFrom, watchRendering } from '../_described.ts'
import { form, invalid } from '../_openai-family.ts'
import { inside, send, type Target, target } from '../files/_uploads.ts'
import { clear, fileOf, png, undrawnSession } from './_images.ts'

const said: [string, string] = ['prompt', 'with a red hat']
const small: [string, string] = ['size', '256x256']
const A: [string, string] = ['model', 'gpt-image-1']
const cat = 'images/cat.png'
const first = png(6, 6, 'plain')
const mask = clear(6)

async function upload(
  sim: ReturnType<typeof simulator>,
  bytes: Uint8Array<ArrayBuffer>,
  path = cat,
  type = 'image/png',
): Promise<Target> {
  const there = await target(inside(sim), path)
  expect((await send(inside(sim), there, bytes, { 'content-type': type })).status).toBe(200)
  return there
}

describeIntegrations('an edit of uploaded files', (integration) => {
  it('gives the bytes that the same files of a form give, by path and by visit_url', async () => {
    const way = await integration.open(simulator())
    const [image, area] = [await target(way, 'a/room.png'), await target(way, 'a/mask.png')]
    await send(way, image, first, { 'content-type': 'application/octet-stream' })
    await send(way, area, mask)
    const edit = async (image: string | File, over: string | File): Promise<string> => {
      const response = await way.fetch(`${way.url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test' },
        body: form(['image', image], ['mask', over], said, small, ['response_format', 'b64_json']),
      })
      const { data } = (await response.json()) as { data: [{ b64_json: string }] }
      return data[0].b64_json
    }
    const sent = await edit(fileOf(first), fileOf(mask))
    expect(sent.length).toBeGreaterThan(1000)
    expect(await edit(image.path, area.path)).toBe(sent)
    expect(await edit(image.visit_url, fileOf(mask, 'm.png', 'image/png'))).toBe(sent)
  })
})

describe('an edited image', () => {
  it('names the uploaded file, as it was when it was named', async () => {
    const { sim, edit } = undrawnSession()
    const { path } = await upload(sim, png(6))
    const { body } = await edit(form(['image', path], said, small))
    const before = seenFrom(described(sim, body.data[0].url))
    await upload(sim, png(7))
    const source = `edit of file ${holdBytes(png(6)).sha256.slice(0, 12)}`
    expect(described(sim, body.data[0].url).caption?.facts).toContain(source)
    expect(seenFrom(described(sim, body.data[0].url))).toBe(before)
    const after = await edit(form(['image', path], said, small))
    expect(seenFrom(described(sim, after.body.data[0].url))).not.toBe(before)
  })

  it.each(['image', 'image[]', 'image[0]', 'image.0', 'image.0.items'])(
    'is the same under the name %s, and from the session in which the file lies',
    async (name) => {
      const seen = async (prefix: string, named: boolean, place: string): Promise<string> => {
        const { sim, edit } = undrawnSession()
        const way = { ...inside(sim), url: `http://gateway.test${prefix}` }
        const there = await target(way, cat)
        await send(way, there, png(6))
        const image = named ? there.visit_url : fileOf(png(6))
        const { body } = await edit(form([place, image], said, small), 'sk-test', prefix)
        return seenFrom(described(sim, body.data[0].url))
      }
      expect(await seen('/s/mine', true, name)).toBe(await seen('', false, 'image'))
    },
  )

  it('is another one when the mask is, or the order of the images', async () => {
    const { sim, edit } = undrawnSession()
    const drawn = watchRendering(sim)
    const ask = async (...fields: [string, string][]): Promise<string> => {
      expect((await edit(form(...fields, said, A, ['quality', 'low']))).status).toBe(200)
      return (drawn.at(-1) as ImageMedia).seed
    }
    const [one, two] = [
      (await upload(sim, png(6), 'one.png')).path,
      (await upload(sim, png(6, 6, 'opaque'), 'two.png')).path,
    ]
    const all = [
      await ask(['image', one], ['image', two]),
      await ask(['image', two], ['image', one]),
      await ask(['image', one], ['mask', one]),
      await ask(['image', one]),
    ]
    expect(new Set(all).size).toBe(4)
  })

  it('may start from given files of a scenario, and from uploads beside files of the form', async () => {
    const room = { path: 'room.png', content: { image: { width: 6, height: 6, transparent: true } } }
    const { edit } = undrawnSession({ scenarios: [{ title: 'a room', given: { files: [room] } }] })
    expect(await edit(form(['image', 'cos://room.png'], said))).toMatchObject({
      status: 200,
      body: { data: [{ url: expect.any(String) }] },
    })
    expect(
      await edit(
        form(['image[]', fileOf(first)], ['image[]', 'cos://room.png'], ['mask', 'cos://room.png'], said, A),
      ),
    ).toMatchObject({ status: 200, body: { usage: { input_tokens_details: { image_tokens: 388 } } } })
  })

  it('stands in the journal with the name that the client gave', async () => {
    const { sim, edit } = undrawnSession()
    const { path } = await upload(sim, png(6))
    await edit(form(['image', path], said, small))
    expect(sim.journal().at(-1)?.request.body?.text).toContain(`"image"="${path}"`)
  })
})

describe('a name is rejected', () => {
  const ask = async (name: string, field = 'image') => {
    const image = [['image', fileOf(png())] as const].filter(() => field !== 'image')
    return (await undrawnSession().edit(form(...image, [field, name], said, A))).body
  }
  const wanted = (what: string) =>
    `expected a file: ${what} as a form part with a filename, or the \`path\` or \`visit_url\` of an ` +
    'uploaded file'

  it('to which nothing was uploaded', async () => {
    const sentence =
      'the session "default" has no file "cos://images/cat.png": get a URL from POST ' +
      '/v1/files/upload_url and upload the file to this URL'
    expect(await ask(`cos://${cat}`)).toEqual(invalid('image', sentence))
    expect(await ask(`cos://${cat}`, 'mask')).toEqual(invalid('mask', sentence))
  })

  it.each([
    'fox.png',
    '',
    's3://images/cat.png',
    'https://pictures.example/cat.png',
    'http://gateway.test/media/images/img_1/0.png',
    'https://gateway.test/storage/images/cat.png',
  ])('that is none of an upload: %s', async (name) => {
    for (const [field, what] of [
      ['image', 'a PNG, WebP or JPEG image'],
      ['mask', 'a PNG with transparent areas'],
    ] as const) {
      const sentence = `${wanted(what)}, got the string ${JSON.stringify(name)}`
      expect(await ask(name, field)).toEqual(invalid(field, sentence))
    }
  })

  it('of another session', async () => {
    const { sim, edit } = undrawnSession()
    const { visit_url: name } = await upload(sim, png())
    const words =
      /^`image`: the URL "http:\/\/gateway\.test\/storage\/.* does not belong to the session "other"\.$/
    expect(await edit(form(['image', name], said, A), 'sk-test', '/s/other')).toMatchObject({
      status: 400,
      body: { error: { param: 'image', message: expect.stringMatching(words) } },
    })
  })
})
