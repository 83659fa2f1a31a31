/** Uploaded files in other operations, named by `path` or by `visit_url` (contract 2.5 and 4.8). */

import { encode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { describeIntegrations, post as postWith, simulator } from '../../_setup.ts'
import { inside, send, type Target, target } from './_uploads.ts'

const png = encode({ width: 2, height: 2, channels: 3, data: new Uint8Array(12) }) as Uint8Array<ArrayBuffer>
const gif = Uint8Array.from(
  [...'GIF89a'].map((letter) => letter.charCodeAt(0)).concat([1, 0, 1, 0, 0, 0, 0, 59]),
)

const paint = {
  mask: { areas: [{ width: 9, height: 9, points: [0, 0, 9, 0, 9, 9] }] },
  canvas: { width: 8, height: 8 },
  imgPos: { width: 4, height: 4, x: 0, y: 0 },
  remixPrompt: 'a hat',
}

// Other APIs do not look at the header.
const post = (sim: ReturnType<typeof simulator>, path: string, body: unknown): Promise<Response> =>
  postWith(sim, path, body, { 'anthropic-version': '2023-06-01' })

const asking = (block: object) => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 99,
  messages: [{ role: 'user', content: [block, { type: 'text', text: 'What is it?' }] }],
})

/** Every place in which another operation takes the name of a picture. */
const places: readonly (readonly [string, string, (name: string) => unknown, string])[] = [
  [
    'imgUrl of upload-paint',
    '/v1/tob/upload-paint',
    (name) => ({ model: 'v7', ...paint, imgUrl: name }),
    'imgUrl',
  ],
  [
    'mask.url of upload-paint',
    '/v1/tob/upload-paint',
    (name) => ({ model: 'v7', ...paint, imgUrl: 'https://example.com/cat.png', mask: { url: name } }),
    'mask.url',
  ],
  [
    'imgUrl of retexture',
    '/v1/tob/retexture',
    (name) => ({ model: 'v7', imgUrl: name, remixPrompt: 'in blue' }),
    'imgUrl',
  ],
  [
    'imgUrl of remove-background',
    '/v1/tob/remove-background',
    (name) => ({ model: 'v7', imgUrl: name }),
    'imgUrl',
  ],
  [
    'input_reference of videos',
    '/v1/videos',
    (name) => ({ prompt: 'a fox', input_reference: name }),
    'input_reference',
  ],
  [
    'input_reference.image_url of videos',
    '/v1/videos',
    (name) => ({ prompt: 'a fox', input_reference: { image_url: name } }),
    'input_reference.image_url',
  ],
  [
    'input_reference.file_id of videos',
    '/v1/videos',
    (name) => ({ prompt: 'a fox', input_reference: { file_id: name } }),
    'input_reference.file_id',
  ],
  [
    'image_url of chat',
    '/v1/chat/completions',
    (name) => ({
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'Look.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: name } },
          ],
        },
      ],
    }),
    'messages[1].content[1].image_url.url',
  ],
  [
    'source.url of messages',
    '/v1/messages',
    (name) => asking({ type: 'image', source: { type: 'url', url: name } }),
    'messages[0].content[0].source.url',
  ],
  [
    'source.file_id of messages',
    '/v1/messages',
    (name) => asking({ type: 'image', source: { type: 'file', file_id: name } }),
    'messages[0].content[0].source.file_id',
  ],
  [
    'a tool result of messages',
    '/v1/messages',
    (name) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 99,
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'image', source: { type: 'url', url: name } }],
            },
          ],
        },
      ],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    }),
    'messages[2].content[0].content[0].source.url',
  ],
  ...(
    [
      ['image', (image: object) => ({ image })],
      ['lastFrame', (lastFrame: object) => ({ lastFrame })],
      [
        'referenceImages[0].image',
        (image: object) => ({ referenceImages: [{ image, referenceType: 'asset' }] }),
      ],
    ] as const
  ).map(
    ([field, instance]) =>
      [
        `${field} of operations`,
        '/v1beta/models/veo-3:predictLongRunning',
        (name: string) => ({ instances: [{ prompt: 'a fox', ...instance({ gcsUri: name }) }] }),
        `instances[0].${field}.gcsUri`,
      ] as const,
  ),
]

async function uploaded(bytes: Uint8Array<ArrayBuffer> = png, type = 'image/png', more = {}) {
  const sim = simulator()
  const there = await target(inside(sim), 'images/big cat.png', more)
  await send(inside(sim), there, bytes, { 'content-type': type })
  return { sim, there }
}

async function refusal(
  sim: ReturnType<typeof simulator>,
  path: string,
  body: unknown,
): Promise<{ code: number; param: string; message: string }> {
  const response = await post(sim, path, body)
  expect(response.status).toBe(400)
  return ((await response.json()) as { error: { code: number; param: string; message: string } }).error
}

describe.each(places)('%s', (_, path, bodyWith, field) => {
  const code = path.startsWith('/v1/tob/') ? 2004 : 400

  it.each([
    ['path', ({ path: name }: Target) => name],
    ['visit_url', ({ visit_url: name }: Target) => name],
  ])('takes the %s of an uploaded picture', async (_name, nameOf) => {
    const { sim, there } = await uploaded()
    expect((await post(sim, path, bodyWith(nameOf(there)))).status).toBe(200)
  })

  it.each([' lead.png', '...', 'a / b.png', 'a%20b.png'])('takes %j by both of its names', async (name) => {
    const sim = simulator()
    const there = await target(inside(sim), name)
    await send(inside(sim), there, png)
    for (const given of [there.path, there.visit_url])
      expect((await post(sim, path, bodyWith(given))).status, given).toBe(200)
  })

  it('takes the path of the second provider', async () => {
    const { sim, there } = await uploaded(png, 'image/png', { storage_provider: 'OSS' })
    expect(there.path).toBe('oss://images/big cat.png')
    expect((await post(sim, path, bodyWith(there.path))).status).toBe(200)
  })

  it('refuses a path to which nothing was uploaded (400)', async () => {
    const sentence =
      'nothing was uploaded to "cos://images/cat.png" in the session "default": ask POST ' +
      '/v1/files/upload_url for an address and send the bytes there'
    expect(await refusal(simulator(), path, bodyWith('cos://images/cat.png'))).toMatchObject({
      code,
      param: field,
      message: `\`${field}\`: ${sentence}.`,
    })
  })

  it('refuses an uploaded file that is no picture (400)', async () => {
    const { sim, there } = await uploaded(
      new TextEncoder().encode('meow') as Uint8Array<ArrayBuffer>,
      'text/plain',
    )
    expect(await refusal(sim, path, bodyWith(there.path))).toMatchObject({
      code,
      param: field,
      message:
        `\`${field}\`: expected a picture, got the uploaded file "cos://images/big cat.png" (text/plain, 4 ` +
        'bytes), whose bytes are no picture.',
    })
  })

  it('refuses an uploaded picture that ends too early (400)', async () => {
    const { sim, there } = await uploaded(png.slice(0, -10))
    expect(await refusal(sim, path, bodyWith(there.path))).toMatchObject({
      code,
      param: field,
      message:
        `\`${field}\`: expected a whole picture, got the uploaded file "cos://images/big cat.png" ` +
        `(image/png, ${png.length - 10} bytes), a broken png file: the file ends too early.`,
    })
  })

  it('refuses the address of another session (400)', async () => {
    const { sim, there } = await uploaded()
    const message = (await refusal(sim, `/s/other${path}`, bodyWith(there.visit_url))).message
    expect(message).toContain('was made in another session than "other"')
  })
})

describe.each(places.filter(([, , , field]) => !field.endsWith('file_id')))(
  '%s',
  (_, path, bodyWith, field) => {
    it('refuses a scheme that no provider has (400)', async () => {
      const { param, message } = await refusal(simulator(), path, bodyWith('s3://images/cat.png'))
      expect([param, message]).toEqual([
        field,
        expect.stringMatching(/the `path` of an uploaded file.*, got .*"s3:\/\/images\/cat\.png"/),
      ])
    })
  },
)

it('a video from an uploaded GIF is refused, as one from a GIF of the form is (400)', async () => {
  const { sim, there } = await uploaded(gif, 'image/gif')
  expect((await refusal(sim, '/v1/videos', { prompt: 'a fox', input_reference: there.path })).message).toBe(
    '`input_reference`: expected a PNG, JPEG or WebP picture, got an uploaded GIF.',
  )
})

describeIntegrations('an uploaded file', (integration) => {
  it('is uploaded, read, and named by its path in an image job', async () => {
    const way = await integration.open(simulator({ settings: { imageJobs: { submitted: 'terminal' } } }))
    const there = await target(way)
    expect((await send(way, there, png)).status).toBe(200)
    expect(Buffer.from(await (await way.fetch(there.visit_url)).arrayBuffer()).equals(png)).toBe(true)
    const job = await way.fetch(`${way.url}/v1/tob/remove-background`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'v7', imgUrl: there.path }),
    })
    expect(await job.json()).toMatchObject({
      status: 2,
      urls: [expect.stringContaining(`${way.url}/media/image-jobs/`)],
    })
  })
})

describe('a picture of chat that was uploaded', () => {
  const tokensOf = async (bytes: Uint8Array<ArrayBuffer>, chatImageBytes: number, named: keyof Target) => {
    const sim = simulator({ settings: { limits: { chatImageBytes } } })
    const there = await target(inside(sim))
    await send(inside(sim), there, bytes)
    const counted = async (content: readonly object[]): Promise<number> => {
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content }] }
      const { usage } = (await (await post(sim, '/v1/chat/completions', body)).json()) as {
        usage: { prompt_tokens: number }
      }
      return usage.prompt_tokens
    }
    const text = { type: 'text', text: 'What is it?' }
    return (
      (await counted([text, { type: 'image_url', image_url: { url: there[named] } }])) -
      (await counted([text]))
    )
  }

  it.each(['path', 'visit_url'] as const)('counts up to the limit, named by %s', async (named) => {
    expect(await tokensOf(png, png.length, named)).toBe(765)
  })

  it.each(['path', 'visit_url'] as const)(
    'is discarded beyond it, as a data: URL is, named by %s',
    async (named) => {
      expect(await tokensOf(png, png.length - 1, named)).toBe(0)
    },
  )
})

it('an operation begins and ends with what was uploaded', async () => {
  const { sim, there } = await uploaded()
  const submitted = await post(sim, '/v1beta/models/veo-3:predictLongRunning', {
    instances: [{ prompt: 'a fox', image: { gcsUri: there.path }, lastFrame: { gcsUri: there.visit_url } }],
  })
  expect(submitted.status).toBe(200)
  const { id } = sim.state.list().resources[0] ?? { id: '' }
  const resource = sim.core.sessions.get('default').world.store.find('operation', id) as unknown as {
    readonly facts: { readonly stills: object }
  }
  expect(JSON.stringify(resource.facts.stills)).not.toContain('absent')
})
