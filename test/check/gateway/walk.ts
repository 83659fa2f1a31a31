/**
 * A client of the gateway of the tests that uses all it has, as the contract says, and records every
 * exchange.
 */
import { asBody, type Exchange } from '../../../src/exchange/exchange.ts'
import type { Gateway } from './gateway.ts'
import { png } from './images.ts'

type Json = Readonly<Record<string, unknown>>

interface Sending {
  readonly key?: false
  readonly body?: Json | FormData | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests one after the other, at times that are a second apart. */
class Recorder {
  readonly exchanges: Exchange[] = []
  readonly #gateway: Gateway

  constructor(gateway: Gateway) {
    this.#gateway = gateway
  }

  async send(method: string, path: string, { key, body, headers = {} }: Sending = {}): Promise<Json> {
    const isPlain = body !== undefined && !(body instanceof FormData) && !(body instanceof Uint8Array)
    const request = new Request(path.startsWith('http') ? path : `${this.#gateway.baseUrl}${path}`, {
      method,
      headers: {
        ...(key === false ? {} : this.#credentials(path)),
        ...(isPlain ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isPlain ? JSON.stringify(body) : (body as FormData) }),
    })
    const sent = new Uint8Array(await request.clone().arrayBuffer())
    const response = await this.#gateway.fetch(request)
    const bytes = new Uint8Array(await response.arrayBuffer())
    this.exchanges.push({
      seq: this.exchanges.length,
      source: `walk, entry ${this.exchanges.length + 1}`,
      at: 1_770_000_000_000 + this.exchanges.length * 1000,
      firstByteAfter: 10,
      endedAfter: 20,
      request: { method, url: request.url, headers: [...request.headers], body: asBody(sent) },
      response: { status: response.status, headers: [...response.headers], body: asBody(bytes) },
      ended: 'completed',
      key: key === false ? undefined : 'key-1',
      redacted: [],
    })
    try {
      return JSON.parse(new TextDecoder().decode(bytes)) as Json
    } catch {
      return {}
    }
  }

  #credentials(path: string): Record<string, string> {
    const { apiKey } = this.#gateway
    return path === '/v1/messages'
      ? { 'x-api-key': apiKey, 'vendor-version': '2026-01-01' }
      : { authorization: `Bearer ${apiKey}` }
  }
}

/** What the gateway answers to a client that uses everything, or some parts, and errs now and then. */
export async function walk(gateway: Gateway, only = Object.keys(parts)): Promise<readonly Exchange[]> {
  const recorder = new Recorder(gateway)
  const post = (path: string, body: Json): Promise<Json> => recorder.send('POST', path, { body })
  for (const [name, part] of Object.entries(parts)) if (only.includes(name)) await part(recorder, post)
  return recorder.exchanges
}

const parts: Readonly<Record<string, (recorder: Recorder, post: Post) => Promise<unknown>>> = {
  chats,
  messages,
  images,
  jobs,
  videos,
  operations,
  files,
  decisions,
}

/** The names of its parts. */
export const partNames: readonly string[] = Object.keys(parts)

type Post = (path: string, body: Json) => Promise<Json>

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

async function chats(recorder: Recorder, post: Post): Promise<void> {
  const path = '/v1/chat/completions'
  const plain = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Tell me about rivers' }] }
  const tool = { ...plain, tools: [weather], tool_choice: 'required' }
  await post(path, plain)
  await post(path, { ...plain, n: 2, max_completion_tokens: 3 })
  await post(path, { ...plain, logprobs: true, top_logprobs: 2 })
  await post(path, tool)
  await post(path, { ...plain, stream: true, stream_options: { include_usage: true } })
  await post(path, { ...plain, stream: true, n: 2 })
  await post(path, { ...tool, stream: true })
  // Rarer members of the response; a gateway that has none answers as ever.
  const audio = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } }
  const { name, parameters } = weather.function
  for (const stream of [false, true]) {
    await post(path, { ...plain, stream, model: 'gpt-4o-audio-preview', ...audio })
    await post(path, { ...plain, stream, model: 'gpt-4o-search-preview', web_search_options: {} })
    await post(path, { ...plain, stream, functions: [{ name, parameters }], function_call: { name } })
  }
  await post(path, { ...plain, stream: true, logprobs: true, top_logprobs: 1 })
  await post(path, { ...plain, n: 0 })
  await post(path, { ...plain, messages: [] })
  await recorder.send('POST', path, { body: plain, key: false })
}

async function messages(_recorder: Recorder, post: Post): Promise<void> {
  const path = '/v1/messages'
  const plain = { model: 'claude-1', max_tokens: 100, messages: [{ role: 'user', content: 'Rivers?' }] }
  const { name, parameters } = weather.function
  const tool = { ...plain, tools: [{ name, input_schema: parameters }], tool_choice: { type: 'any' } }
  await post(path, plain)
  await post(path, { ...plain, stop_sequences: ['seeds'] })
  await post(path, tool)
  await post(path, { ...plain, stream: true })
  await post(path, { ...tool, stream: true })
  await post(path, { ...plain, max_tokens: 9000 })
}

async function images(recorder: Recorder, post: Post): Promise<void> {
  const path = '/v1/images/generations'
  await post(path, { model: 'dall-e-2', prompt: 'A river', n: 2 })
  await post(path, { model: 'gpt-image-1', prompt: 'A river' })
  await post(path, { model: 'gpt-image-1', prompt: 'A river', stream: true, partial_images: 2 })
  const form = new FormData()
  form.set('model', 'gpt-image-1')
  form.set('prompt', 'A wider river')
  form.set('image', new File([Buffer.from(png, 'base64')], 'river.png', { type: 'image/png' }))
  await recorder.send('POST', '/v1/images/edits', { body: form })
}

const polls = 5

async function poll(recorder: Recorder, path: string): Promise<Json> {
  let last: Json = {}
  for (let at = 0; at < polls; at += 1) last = await recorder.send('GET', path)
  return last
}

async function jobs(recorder: Recorder, post: Post): Promise<void> {
  const source = { model: 'v7', imgUrl: 'https://images.test/cat.png' }
  const first = await post('/v1/tob/retexture', { ...source, remixPrompt: 'in blue' })
  const done = await poll(recorder, `/v1/tob/job/${first['id']}`)
  const [image] = Array.isArray(done['urls']) ? done['urls'] : []
  if (typeof image === 'string') await recorder.send('GET', image, { key: false })
  await post('/v1/tob/remove-background', source)
  await post('/v1/tob/upload-paint', {
    ...source,
    remixPrompt: 'a hat',
    mask: { areas: [{ width: 100, height: 100, points: [0, 0, 50, 0, 50, 50] }] },
    canvas: { width: 100, height: 100 },
    imgPos: { width: 100, height: 100, x: 0, y: 0 },
  })
  const from = { jobId: first['id'], imageNo: 0, remixPrompt: 'more' }
  await post('/v1/tob/pan', { ...from, direction: 1, scale: 1.5 })
  await post('/v1/tob/variation', { ...from, type: 1 })
  const failing = await post('/v1/tob/diffusion', { model: 'v7', text: 'a cat', remixPrompt: 'fail' })
  await poll(recorder, `/v1/tob/job/${failing['id']}`)
  await post('/v1/tob/retexture', { ...source, remixPrompt: '' })
  await post('/v1/tob/retexture', { ...source, remixPrompt: 'in blue', callback: 'https://me.test/done' })
  await recorder.send('GET', '/v1/tob/job/nobody')
}

async function videos(recorder: Recorder, post: Post): Promise<void> {
  const film = async (prompt: string): Promise<Json> => {
    const form = new FormData()
    form.set('model', 'sora-2')
    form.set('prompt', prompt)
    return recorder.send('POST', '/v1/videos', { body: form })
  }
  const video = await film('A river')
  const path = `/v1/videos/${video['id']}`
  await recorder.send('GET', `${path}/content`)
  await poll(recorder, path)
  await recorder.send('GET', `${path}/content`)
  const remix = await post(`${path}/remix`, { model: 'sora-2', prompt: 'At night' })
  await poll(recorder, `/v1/videos/${remix['id']}`)
  await poll(recorder, `/v1/videos/${(await film('They fail'))['id']}`)
}

async function operations(recorder: Recorder, post: Post): Promise<void> {
  for (const prompt of ['A river', 'They fail']) {
    const { name } = await post('/v1beta/models/veo-2:predictLongRunning', { instances: [{ prompt }] })
    if (typeof name === 'string') await poll(recorder, `/v1beta/${name}`)
  }
}

async function files(recorder: Recorder, post: Post): Promise<void> {
  const target = await post('/v1/files/upload_url', { path: 'cats/one.png', storage_provider: 'COS' })
  const [to, at] = [String(target['upload_url']), String(target['visit_url'])]
  const headers = { 'content-type': 'image/png' }
  await recorder.send('PUT', to, { key: false, body: Buffer.from(png, 'base64'), headers })
  await recorder.send('GET', at, { key: false })
}

async function decisions(_recorder: Recorder, post: Post): Promise<void> {
  await post('/v1/systemone', {
    model: 'jev-latest',
    state: 'The box is red.',
    questions: {
      first: { type: 'noul', instructions: 'Is it red?' },
      second: { type: 'choice', instructions: 'Which?', criteria: { red: 'red', blue: null, other: 'else' } },
      third: { type: 'score', instructions: 'How red?', criteria: ['not', 'a bit', 'very'] },
    },
  })
}
