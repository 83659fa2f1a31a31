/**
 * Reserved values that reject a request or break a stream, for every API that takes them, as a model id and
 * inside the prompt. What else they mean for texts and jobs is in the folders of the APIs.
 */
import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import { jsonCall, simulator } from '../_setup.ts'
import { form } from './_openai-family.ts'
import { fileOf, png, undrawn } from './images/_images.ts'
import { good } from './systemone/_evaluations.ts'

interface Api {
  readonly path: string
  body(prompt: string, model: string): object
  /** The id of a model that it answers. */
  readonly model: string
  readonly overloaded?: number
  /** What a rate limit says, where it is another one. */
  readonly busy?: string
}

const messages = (content: string) => [{ role: 'user', content }]
const apis: Readonly<Record<string, Api>> = {
  'chat.create': {
    path: '/v1/chat/completions',
    body: (prompt, model) => ({ model, messages: messages(prompt) }),
    model: 'gpt-4o',
  },
  'messages.create': {
    path: '/v1/messages',
    body: (prompt, model) => ({ model, max_tokens: 99, messages: messages(prompt) }),
    model: 'claude-4',
    overloaded: 529,
  },
  'images.generate': {
    path: '/v1/images/generations',
    body: (prompt, model) => ({ model, prompt }),
    model: 'dall-e-2',
  },
  'images.edit': {
    path: '/v1/images/edits',
    body: (prompt, model) => form(['image', fileOf(png())], ['prompt', prompt], ['model', model]),
    model: 'dall-e-2',
  },
  'imageJobs.create': {
    path: '/v1/tob/diffusion',
    body: (text, model) => ({ model, text }),
    model: 'v7',
    busy: 'Too many active image jobs: wait until a job finishes',
  },
  'videos.create': { path: '/v1/videos', body: (prompt, model) => ({ model, prompt }), model: 'sora-2' },
  'videoOperations.submit': {
    path: '/v1beta/models/MODEL:predictLongRunning',
    body: (prompt) => ({ instances: [{ prompt }] }),
    model: 'veo-3.0',
  },
  'systemone.evaluate': {
    path: '/v1/systemone',
    body: (state, model) => ({ ...good, model, state }),
    model: 'jev-latest',
  },
}

const headers = { authorization: 'Bearer sk-test', 'anthropic-version': '2023-06-01' }

function send(sim: Simulator, { path, body }: Api, prompt: string, model: string): Promise<Response> {
  const sent = body(prompt, model)
  const call = sent instanceof FormData ? { method: 'POST', headers, body: sent } : jsonCall(sent, headers)
  return sim.fetch(`http://gateway.test${path.replace('MODEL', model)}`, call)
}

const ways: readonly (readonly [string, (sim: Simulator, api: Api, word: string) => Promise<Response>])[] = [
  ['as the model', (sim, api, word) => send(sim, api, 'a fox', `sim-${word}`)],
  ['in the prompt', (sim, api, word) => send(sim, api, `a fox [sim:${word}]`, api.model)],
]
const cases = Object.keys(apis).flatMap((operation) =>
  ways.map(([way, ask]) => [operation, way, ask] as const),
)

describe.each(cases)('%s rejects what is reserved %s:', (operation, _, ask) => {
  const api = apis[operation] as Api

  it.each([
    ['rate-limit', 429, 'rate_limit_error', 'Rate limit reached: retry after 1 s'],
    ['overloaded', 503, 'overloaded_error', 'The engine is currently overloaded, please try again later'],
    ['server-error', 500, 'api_error', 'The server had an error while processing your request'],
    ['forbidden', 403, 'permission_error', 'No access permission for this request'],
  ])('%s every time', async (word, usual, type, words) => {
    const status = word === 'overloaded' ? (api.overloaded ?? usual) : usual
    const sim = simulator({ clock: 'auto' })
    for (let time = 0; time < 2; time++) {
      const response = await ask(sim, api, word)
      const { error } = (await response.json()) as { error: object }
      const reason = word === 'rate-limit' ? (api.busy ?? words) : words
      expect([response.status, error]).toMatchObject([
        status,
        { type, message: `${reason} (reserved value ${word}).` },
      ])
      const waits = ['retry-after', 'retry-after-ms'].map((name) => response.headers.get(name))
      expect(waits).toEqual(word === 'rate-limit' ? ['1', '1000'] : [null, null])
    }
  })

  it.each([
    ['rate-limit-once', 429],
    ['server-error-once', 500],
  ])('%s the first time', async (word, status) => {
    const sim = simulator({ clock: 'auto' })
    undrawn(sim)
    expect([(await ask(sim, api, word)).status, (await ask(sim, api, word)).status]).toEqual([status, 200])
  })
})

describe.each(['moderation_blocked', 'content_policy_violation'])('%s', (type) => {
  it.each(['images.generate', 'images.edit'])('in a prompt of %s, 400', async (operation) => {
    const word = `a hat [sim:${type.replaceAll('_', '-')}]`
    const response = await send(simulator(), apis[operation] as Api, word, 'dall-e-2')
    const { error } = (await response.json()) as { error: object }
    expect([response.status, error]).toMatchObject([400, { type, message: expect.stringContaining(type) }])
  })
})

const failure = 'The server had an error while streaming (reserved value error-after).'
const envelope = `"error":{"type":"api_error","code":500,"message":"${failure}","param":null,"details":[],"trace_id":"X"}`

/** Each stream: what is asked, the event of an error, and how many events come at first and then. */
const streams = [
  {
    operation: 'chat.create',
    asked: { ...apis['chat.create'], model: 'gpt-4o' } as Api,
    error: `data: {${envelope}}`,
    paced: [0, 1, 1, 2, 5],
  },
  {
    operation: 'messages.create',
    asked: apis['messages.create'] as Api,
    error: `event: error\ndata: {"type":"error","error":{"type":"api_error","message":"${failure}"}}`,
    paced: [0, 3, 3, 4, 8],
  },
  {
    operation: 'images.generate',
    asked: { ...apis['images.generate'], model: 'gpt-image-1' } as Api,
    error: `event: error\ndata: {"type":"error",${envelope}}`,
    paced: [0, 1, 1, 2, 4],
  },
]
const streamed = streams.flatMap((stream) => ways.map(([way, ask]) => ({ ...stream, way, ask })))

describe.each(streamed)(
  'a stream of $operation, with what is reserved $way:',
  ({ asked, error, paced, ask }) => {
    const api: Api = {
      ...asked,
      body: (prompt, model) => ({
        ...asked.body(prompt.replace('a fox', 'Say "one two"'), model),
        stream: true,
        ...(asked.path.includes('images') && { partial_images: 3 }),
      }),
    }
    const begin = async (word: string, clock: 'auto' | 'manual' = 'auto') => {
      const sim = simulator({ clock })
      undrawn(sim)
      return { sim, response: await ask(sim, api, word) }
    }
    /** The frames of a text, without what depends on the request. */
    const framesOf = (text: string): string[] =>
      text
        .replace(/"(id|model|b64_json|trace_id)":"[^"]*"/g, '"$1":"X"')
        .replace(/"(\w+_tokens)":\d+/g, '"$1":0')
        .split('\n\n')
        .slice(0, -1)
    const whole = async () => framesOf(await (await begin('unheard-of')).response.text())
    it.each<[string, (whole: readonly string[]) => readonly string[], string]>([
      ['error-after-2', (whole) => [...whole.slice(0, 2), error], 'completed'],
      ['missing-end', (whole) => whole.slice(0, -1), 'completed'],
      ['disconnect-after-2', (whole) => whole.slice(0, 2), 'disconnected'],
      ['stall-after-2', (whole) => whole.slice(0, 2), 'open'],
    ])('%s', async (word, expected, ended) => {
      const { sim, response } = await begin(word)
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      const decoder = new TextDecoder()
      const frames = expected(await whole())
      let text = ''
      while (ended !== 'open' || framesOf(text).length < frames.length) {
        const part = await reader.read().catch(() => undefined)
        if (part === undefined || part.done) break
        text += decoder.decode(part.value, { stream: true })
      }
      expect(framesOf(text)).toEqual(frames)
      expect(sim.journal()[0]?.ended).toBe(ended)
      await reader.cancel().catch(() => undefined)
    })

    it('slow: the first event after 10 s, then one per second', async () => {
      const { sim, response } = await begin('slow', 'manual')
      const counts = [9_999, 1, 999, 1, 3_600_000].map((ms) => {
        sim.clock.advance(ms)
        return sim.journal()[0]?.response?.eventCount
      })
      expect(counts).toEqual(paced)
      expect(framesOf(await response.text())).toEqual(await whole())
    })
  },
)
