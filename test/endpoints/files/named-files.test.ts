/** Uploaded files in other operations, named by `path` or by `visit_url`. */

import { encode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { bodyOf, describeIntegrations, jsonCall, post as postWith, simulator } from '../../_setup.ts'
import { inside, send, type Target, target } from './_uploads.ts'

const png = encode({ width: 2, height: 2, channels: 3, data: new Uint8Array(12) }) as Uint8Array<ArrayBuffer>
const paint = {
  mask: { areas: [{ width: 9, height: 9, points: [0, 0, 9, 0, 9, 9] }] },
  canvas: { width: 8, height: 8 },
  imgPos: { width: 4, height: 4, x: 0, y: 0 },
  remixPrompt: 'a hat',
}

// Other APIs do not look at the header.
const post = (sim: ReturnType<typeof simulator>, path: string, body: unknown): Promise<Response> =>
  postWith(sim, path, body, { 'anthropic-version': '2023-06-01' })

const asking = (messages: unknown[], more: object = {}) => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 99,
  messages,
  ...more,
})
const user = (...content: unknown[]) => ({ role: 'user', content })
const text = { type: 'text', text: 'What is it?' }
const image = (source: object) => ({ type: 'image', source })
const look = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }
const seen = (...content: unknown[]) => ({ type: 'tool_result', tool_use_id: 'toolu_1', content })
const video = (reference: unknown) => ({ prompt: 'a fox', input_reference: reference })
const operation = (instance: object) => ({ instances: [{ prompt: 'a fox', ...instance }] })
const looking = asking([user(text), { role: 'assistant', content: [look] }], {
  tools: [{ name: 'look', input_schema: { type: 'object' } }],
})

type Place = readonly [name: string, path: string, body: (name: string) => object, field: string]

const [jobs, videos] = ['/v1/tob', '/v1/videos']
const [chat, messages] = ['/v1/chat/completions', '/v1/messages']
const operations = '/v1beta/models/veo-3:predictLongRunning'

/** Every place in which another operation takes the name of an image. */
const places: readonly Place[] = [
  [
    'imgUrl of upload-paint',
    `${jobs}/upload-paint`,
    (imgUrl) => ({ model: 'v7', ...paint, imgUrl }),
    'imgUrl',
  ],
  [
    'mask.url of upload-paint',
    `${jobs}/upload-paint`,
    (url) => ({ model: 'v7', ...paint, imgUrl: 'https://example.com/cat.png', mask: { url } }),
    'mask.url',
  ],
  [
    'imgUrl of retexture',
    `${jobs}/retexture`,
    (imgUrl) => ({ model: 'v7', imgUrl, remixPrompt: 'in blue' }),
    'imgUrl',
  ],
  [
    'imgUrl of remove-background',
    `${jobs}/remove-background`,
    (imgUrl) => ({ model: 'v7', imgUrl }),
    'imgUrl',
  ],
  ['input_reference of videos', videos, (name) => video(name), 'input_reference'],
  [
    'input_reference.image_url of videos',
    videos,
    (image_url) => video({ image_url }),
    'input_reference.image_url',
  ],
  ['input_reference.file_id of videos', videos, (file_id) => video({ file_id }), 'input_reference.file_id'],
  [
    'image_url of chat',
    chat,
    (url) => ({
      model: 'gpt-4o',
      messages: [{ role: 'system', content: 'Look.' }, user(text, { type: 'image_url', image_url: { url } })],
    }),
    'messages[1].content[1].image_url.url',
  ],
  [
    'source.url of messages',
    messages,
    (url) => asking([user(image({ type: 'url', url }), text)]),
    'messages[0].content[0].source.url',
  ],
  [
    'source.file_id of messages',
    messages,
    (file_id) => asking([user(image({ type: 'file', file_id }), text)]),
    'messages[0].content[0].source.file_id',
  ],
  [
    'a tool result of messages',
    messages,
    (url) => ({ ...looking, messages: [...looking.messages, user(seen(image({ type: 'url', url })))] }),
    'messages[2].content[0].content[0].source.url',
  ],
  [
    'image of operations',
    operations,
    (gcsUri) => operation({ image: { gcsUri } }),
    'instances[0].image.gcsUri',
  ],
  [
    'lastFrame of operations',
    operations,
    (gcsUri) => operation({ lastFrame: { gcsUri } }),
    'instances[0].lastFrame.gcsUri',
  ],
  [
    'referenceImages[0].image of operations',
    operations,
    (gcsUri) => operation({ referenceImages: [{ image: { gcsUri }, referenceType: 'asset' }] }),
    'instances[0].referenceImages[0].image.gcsUri',
  ],
]

async function uploaded(bytes: Uint8Array<ArrayBuffer> = png, type = 'image/png', more = {}) {
  const sim = simulator()
  const there = await target(inside(sim), 'images/big cat.png', more)
  await send(inside(sim), there, bytes, { 'content-type': type })
  return { sim, there }
}

interface Rejection {
  readonly code: number
  readonly param: string
  readonly message: string
}

async function rejection(sim: ReturnType<typeof simulator>, path: string, body: unknown): Promise<Rejection> {
  const response = await post(sim, path, body)
  expect(response.status).toBe(400)
  return (await bodyOf(response)).error
}

describe.each(places)('%s', (_, path, bodyWith, field) => {
  const code = path.startsWith('/v1/tob/') ? 2004 : 400

  it.each([
    ['path', ({ path: name }: Target) => name],
    ['visit_url', ({ visit_url: name }: Target) => name],
  ])('takes the %s of an uploaded image', async (_name, nameOf) => {
    const { sim, there } = await uploaded()
    expect((await post(sim, path, bodyWith(nameOf(there)))).status).toBe(200)
  })

  const cat = 'the uploaded file "cos://images/big cat.png"'
  const meow = new TextEncoder().encode('meow') as Uint8Array<ArrayBuffer>

  it('rejects a path to which nothing was uploaded (400)', async () => {
    const sentence =
      'the session "default" has no file "cos://images/cat.png": get a URL from POST ' +
      '/v1/files/upload_url and upload the file to this URL'
    const error = await rejection(simulator(), path, bodyWith('cos://images/cat.png'))
    expect(error).toMatchObject({ code, param: field, message: `\`${field}\`: ${sentence}.` })
  })

  it.each([
    [
      'that is no image',
      meow,
      'text/plain',
      `expected an image, got ${cat} (text/plain, 4 bytes), whose content is not an image`,
    ],
    [
      'that ends too early',
      png.slice(0, -10),
      'image/png',
      `expected an image, got ${cat} (image/png, ${png.length - 10} bytes), an invalid png file: ` +
        `the file is truncated`,
    ],
  ])('rejects an uploaded file %s (400)', async (_, bytes, type, sentence) => {
    const { sim, there } = await uploaded(bytes, type)
    const error = await rejection(sim, path, bodyWith(there.path))
    expect(error).toMatchObject({ code, param: field, message: `\`${field}\`: ${sentence}.` })
  })

  it('takes its address under any host, base path, session prefix and query', async () => {
    const { sim, there } = await uploaded()
    const { pathname } = new URL(there.visit_url)
    for (const address of [
      there.upload_url,
      `https://gateway.example${pathname}`,
      `http://10.0.0.1:4010/base/path${pathname}`,
      `https://x.example/s/default${pathname}?v=2`,
    ])
      expect((await post(sim, path, bodyWith(address))).status, address).toBe(200)
  })

  it('rejects the address of another session (400)', async () => {
    const { sim, there } = await uploaded()
    const message = (await rejection(sim, `/s/other${path}`, bodyWith(there.visit_url))).message
    expect(message).toContain('does not belong to the session "other"')
  })
})

it.each([
  ['the bucket of the settings', { bucket: 'pictures-1' }, 'COS', 'cos://pictures-1/cat.png'],
  ['the scheme of its provider', {}, 'OSS', 'oss://cat.png'],
])('the path of an uploaded file begins with %s', async (_, files, storage_provider, path) => {
  const sim = simulator({ settings: { files } })
  const there = await target(inside(sim), 'cat.png', { storage_provider })
  await send(inside(sim), there, png)
  const named = async (imgUrl: string) =>
    (await post(sim, '/v1/tob/remove-background', { model: 'v7', imgUrl })).status
  expect(there.path).toBe(path)
  expect([await named(path), await named('cos://cat.png')]).toEqual([200, 400])
})

describeIntegrations('an uploaded file', (integration) => {
  it('is uploaded, read, and named by its path in an image job', async () => {
    const way = await integration.open(simulator({ settings: { imageJobs: { submitted: 'finished' } } }))
    const there = await target(way)
    expect((await send(way, there, png)).status).toBe(200)
    expect(Buffer.from(await (await way.fetch(there.visit_url)).arrayBuffer()).equals(png)).toBe(true)
    const body = { model: 'v7', imgUrl: there.path }
    expect(await bodyOf(way.fetch(`${way.url}/v1/tob/remove-background`, jsonCall(body)))).toMatchObject({
      status: 2,
      urls: [expect.stringContaining(`${way.url}/media/image-jobs/`)],
    })
  })
})
