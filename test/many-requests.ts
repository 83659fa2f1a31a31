/** Many different requests to every operation that can be called cold; no two share a limit or a counter. */

import { signedQuery } from '../src/endpoints/files/signed-url.ts'
import { defaultStart } from '../src/engine/clock.ts'
import { sessionTag } from '../src/engine/random.ts'
import { createSimulator } from '../src/index.ts'

export interface Sent {
  readonly path: string
  readonly init: RequestInit
}

const post = (path: string, body: unknown, key: string): Sent => ({
  path,
  init: {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  },
})

function form(path: string, fields: Readonly<Record<string, string | File>>, key: string): Sent {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return { path, init: { method: 'POST', headers: { authorization: `Bearer ${key}` }, body } }
}

const chat = '/v1/chat/completions'
const model = 'image-job-v7'
const image = (name: string | number): string => `https://pictures.example/${name}.png`

const ask = (text: string, more: Record<string, unknown> = {}): unknown => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: text }],
  ...more,
})

const message = (text: string, key: string, more: Record<string, unknown> = {}): Sent => {
  const { path, init } = post(
    '/v1/messages',
    {
      model: 'claude-3-5-haiku-20241022',
      max_tokens: 400,
      messages: [{ role: 'user', content: text }],
      ...more,
    },
    key,
  )
  return { path, init: { ...init, headers: { ...init.headers, 'anthropic-version': '2023-06-01' } } }
}

/** An upload to an address that was handed out at the start of time: the same seed signs it the same. */
function upload(key: string, body: string, seed: string): Sent {
  const bucket = `cos-${sessionTag('default')}-local`
  const from = defaultStart / 1000
  return {
    path: `/storage/${bucket}/${key}?${signedQuery({ method: 'PUT', scheme: 'cos', bucket, key }, { from, until: from + 7200 }, seed)}`,
    init: { method: 'PUT', headers: { 'content-type': 'text/plain' }, body },
  }
}

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Current weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 14 } },
      required: ['city'],
    },
  },
}
const person = {
  type: 'json_schema',
  json_schema: {
    name: 'person',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: 'integer' },
        email: { type: 'string', format: 'email' },
      },
      required: ['name', 'age', 'email'],
      additionalProperties: false,
    },
  },
}

// A PNG of one clear pixel.
const clear = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAACklEQVR4XmMAAQAABQABmzsGegAAAABJRU5ErkJggg=='),
  (letter) => letter.charCodeAt(0),
)

/** Bodies of JSON, by the number of the request. */
const bodies: readonly (readonly [path: string, body: (i: number) => unknown])[] = [
  [chat, (i) => ask(`Tell me about subject ${i}`)],
  [chat, (i) => ask(`Stream about subject ${i}`, { stream: true, stream_options: { include_usage: true } })],
  [
    chat,
    (i) => ask(`What is the weather in Paris for ${i % 14} days?`, { tools: [weather], user: `user-${i}` }),
  ],
  [chat, (i) => ask(`Invent person number ${i}`, { response_format: person, stream: i % 2 === 0 })],
  [
    chat,
    (i) => {
      const limits = { n: 2, logprobs: true, top_logprobs: 3, max_completion_tokens: 600 }
      return ask(`Think hard about ${i}`, { model: 'gpt-5', ...limits })
    },
  ],
  [chat, (i) => ask(`Cut off ${i}`, { max_tokens: 5, temperature: 0.1 * (i % 20) })],
  [chat, (i) => ask(`Too hot ${i}`, { temperature: 3 })],
  ['/v1/tob/diffusion', (i) => ({ model, text: `a lighthouse number ${i}` })],
  ['/v1/tob/retexture', (i) => ({ model, imgUrl: image(i), remixPrompt: 'in blue' })],
  ['/v1/tob/remove-background', (i) => ({ model, imgUrl: image(i) })],
  [
    '/v1/tob/upload-paint',
    (i) => {
      const canvas = { canvas: { width: 64, height: 64 }, imgPos: { width: 32, height: 32, x: 0, y: 0 } }
      return { model, imgUrl: image(i), mask: { url: image('mask') }, ...canvas, remixPrompt: 'a hat' }
    },
  ],
  ['/v1/videos', (i) => ({ model: 'video-1', prompt: `a sunset number ${i}`, seconds: '4' })],
  ['/v1beta/models/veo-3.0:predictLongRunning', (i) => ({ instances: [{ prompt: `a river number ${i}` }] })],
  [
    '/v1/systemone',
    (i) => ({
      model: 'jev-latest',
      state: `The customer of order ${i} wants a refund`,
      questions: {
        angry: { type: 'noul', instructions: 'Is the customer angry?' },
        topic: { type: 'choice', criteria: { refund: null, exchange: null } },
        mood: { type: 'score', criteria: ['calm', 'angry'] },
      },
      include_cost: true,
    }),
  ],
  [
    '/v1/images/generations',
    (i) => {
      const format = i % 3 === 0 ? {} : { response_format: 'b64_json' }
      return { prompt: `a fox number ${i}`, size: '256x256', n: 1 + (i % 2), ...format }
    },
  ],
  [
    '/v1/images/generations',
    (i) => {
      // The images of the newest models are large; a few of them are enough.
      const stream = { stream: true, partial_images: 1, ...(i < 40 ? {} : { size: '256x256' }) }
      return { prompt: `a fox in the snow ${i}`, model: 'gpt-image-1', ...stream }
    },
  ],
  [
    '/v1/files/upload_url',
    (i) => ({ path: `images/${i}.png`, storage_provider: i % 2 === 0 ? 'COS' : 'OSS' }),
  ],
]

const kinds: readonly ((index: number, key: string) => Sent)[] = [
  ...bodies.map(
    ([path, body]) =>
      (i: number, key: string) =>
        post(path, body(i), key),
  ),
  (i, key) => message(`Tell me about subject ${i}`, key),
  (i, key) => message(`Stream about subject ${i}`, key, { stream: true, thinking: { type: 'adaptive' } }),
  (i, key) =>
    message(`What is the weather in Rome for ${i % 14} days?`, key, {
      stream: i % 2 === 0,
      tools: [{ name: 'get_weather', input_schema: weather.function.parameters }],
    }),
  (i, key) => form('/v1/videos', { model: 'video-1', prompt: `a wave number ${i}` }, key),
  (i, key) =>
    form(
      '/v1/images/edits',
      {
        prompt: `a hat number ${i}`,
        size: '256x256',
        response_format: 'b64_json',
        'image[]': new File([clear], 'a.png', { type: 'image/png' }),
      },
      key,
    ),
  (i) => upload(`notes/${i}.txt`, `note ${i}`, 'gateway-sim'),
  (i) => upload(`notes/${i}.txt`, `note ${i}`, 'another seed'),
  (i, key) => ({
    path: `/v1/videos/video_unknown${i}`,
    init: { headers: { authorization: `Bearer ${key}` } },
  }),
]

// What an endpoint gives as its own example takes part by itself.
const ofEndpoints = createSimulator().routes.flatMap(({ endpoint: { path, example } }) => {
  if (example === undefined) return []
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => example.params?.[name] ?? name)
  return [(_i: number, key: string) => post(filled, example.json, key)]
})

/** `count` requests, no two alike; every one has a key of its own. */
export function manyRequests(count: number): Sent[] {
  const all = [...kinds, ...ofEndpoints]
  return Array.from({ length: count }, (_, index) =>
    (all[index % all.length] as (typeof kinds)[number])(index, `sk-many-${index}`),
  )
}
