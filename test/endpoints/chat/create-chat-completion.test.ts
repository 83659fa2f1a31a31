/**
 * chat.create as a call over HTTP: its envelopes of refusal, its whole response, and what beyond text it
 * says.
 */
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { get, post, simulator } from '../../_setup.ts'
import {
  answerTo,
  asking,
  type Body,
  chatSimulator,
  completed,
  envelope,
  model,
  only,
  path,
  weather,
} from './_chat.ts'

const count = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length
const url = `http://gateway.test${path}`
const keyed = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const asked = asking('Say "Hello there!"')

describe('chat.create', () => {
  it('answers with the whole completion', async () => {
    const response = await post(chatSimulator(), path, asked)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': expect.stringMatching(/^req_[0-9a-f]{32}$/),
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    })
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{29}$/),
      object: 'chat.completion',
      created: 1_767_225_600,
      model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello there!', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 3,
        total_tokens: 15,
        prompt_tokens_details: { audio_tokens: 0, cached_tokens: 0 },
        completion_tokens_details: {
          accepted_prediction_tokens: 0,
          audio_tokens: 0,
          reasoning_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      service_tier: 'default',
      system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
    })
  })

  it('has the headers of its family, on success and on refusal', async () => {
    const headers = {
      'x-request-id': expect.stringMatching(/^req_[0-9a-f]{32}$/),
      'openai-version': '2020-10-01',
      'openai-organization': 'gateway-sim',
      'openai-processing-ms': expect.stringMatching(/^\d+$/),
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
      'x-ratelimit-limit-tokens': '2000000',
      'x-ratelimit-remaining-tokens': '1999900',
      'x-ratelimit-reset-requests': '6ms',
      'x-ratelimit-reset-tokens': '3ms',
    }
    for (const body of [asked, { ...asked, temperature: 3 }])
      expect(Object.fromEntries((await post(chatSimulator(), path, body)).headers)).toMatchObject(headers)
  })

  it('is created at the virtual second of its call', async () => {
    const sim = simulator()
    const createdAt = async (): Promise<number> => (await completed(asked, sim)).created
    expect(await createdAt()).toBe(1_767_225_600)
    sim.clock.advance('1h999ms')
    expect(await createdAt()).toBe(1_767_229_200)
    sim.clock.advance('1ms')
    expect(await createdAt()).toBe(1_767_229_201)
  })
})

describe('refusals are whole envelopes', () => {
  const rejectedWith = async (response: Promise<Response>): Promise<unknown[]> =>
    response.then(async (response) => [response.status, await response.json()])
  const knowing = { settings: { models: { chat: [model] } } }
  const sent = (init: RequestInit): Promise<Response> =>
    chatSimulator(knowing).fetch(url, { method: 'POST', headers: keyed, ...init })
  const refusal = (code: number, type: string, message: unknown, param: string | null = null): unknown => [
    code,
    envelope({ type, code, message, param }),
  ]

  it('404 for a path beside it, with what to call instead', async () => {
    const message = 'Unknown path: GET /v1/completions. This gateway does not offer that API.'
    expect(await rejectedWith(get(chatSimulator(), '/v1/completions'))).toEqual(
      refusal(404, 'not_found_error', message),
    )
  })

  it('authentication comes before validation, validation before the model', async () => {
    const statusOf = async (body: unknown, headers: Record<string, string> = keyed): Promise<number> =>
      (await sent({ headers, body: JSON.stringify(body) })).status
    const wrong = { model: 'gpt-9', messages: [] }
    expect(await statusOf(wrong, { 'content-type': 'application/json' })).toBe(401)
    expect(await statusOf(wrong)).toBe(400)
    expect(await statusOf({ ...asking('Hi', { top_logprobs: 5 }), model: 'gpt-9' })).toBe(404)
  })
})

describe('usage', () => {
  const usageOf = async (body: Body): Promise<{ prompt: number; audio: number }> => {
    const { usage } = await completed(body)
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
    return { prompt: usage.prompt_tokens, audio: usage.prompt_tokens_details.audio_tokens }
  }
  const prompt = async (body: Body): Promise<number> => (await usageOf(body)).prompt
  const messages = (...list: object[]): Body => ({ model, messages: list })
  const one = 3 + 4

  it.each(['Hello', 'Tell me about 👨‍👩‍👧‍👦 and 漢字', '<|endoftext|> <|im_start|>', 'a'.repeat(80), ''])(
    'counts a message by the tokenizer, with its framing: "%s"',
    async (content) => {
      expect(await prompt(asking(content))).toBe(one + count(content))
    },
  )

  it('counts every message, name, call and result', async () => {
    const named = { role: 'user', content: 'Hi', name: 'ada' }
    expect(await prompt(messages({ role: 'system', content: 'Be brief.' }, named))).toBe(
      3 + 4 + count('Be brief.') + 4 + count('Hi') + 1 + count('ada'),
    )
    const call = { name: 'get_weather', arguments: '{"city":"Paris"}' }
    const called = messages(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'call_1', content: '18 degrees' },
    )
    expect(await prompt(called)).toBe(
      3 + 3 * 4 + count('Hi') + 3 + count(call.name) + count(call.arguments) + count('18 degrees'),
    )
  })

  it('counts what tools and shapes take', async () => {
    const tools = [weather]
    expect(await prompt(asking('Hi', { tools }))).toBe(one + count('Hi') + count(JSON.stringify(tools)))
    const json_schema = { name: 'a', schema: { type: 'object' } }
    expect(await prompt(asking('Hi', { response_format: { type: 'json_schema', json_schema } }))).toBe(
      one + count('Hi') + count(JSON.stringify(json_schema)),
    )
  })

  const image = (address: string, detail?: string): Body =>
    asking([{ type: 'image_url', image_url: { url: address, detail } }])
  const base64 = (bytes: number): string =>
    `${'A'.repeat(Math.floor(bytes / 3) * 4)}${['', 'AA==', 'AAA='][bytes % 3]}`
  const imageOf = (bytes: number): Body => image(`data:image/png;base64,${base64(bytes)}`)

  it('counts an image by its detail, from an address or as data alike', async () => {
    expect(await prompt(image('https://a.example/b.png'))).toBe(one + 765)
    expect(await prompt(image('https://a.example/b.png', 'high'))).toBe(one + 765)
    expect(await prompt(image('https://a.example/b.png', 'low'))).toBe(one + 85)
    expect(await prompt(image('data:image/png;base64,AAAA', 'low'))).toBe(one + 85)
  })

  const limit = 8 * 1024 * 1024
  it.each([
    ['counts an image of exactly 8 MB', limit, one + 765],
    ['does not count an image of a byte more, which is discarded', limit + 1, one],
  ])('%s', async (_, bytes, tokens) => {
    expect(await prompt(imageOf(bytes))).toBe(tokens)
  })

  it('counts sound by its length, and says so', async () => {
    // One second of 24,000 samples of 16 bits.
    const input_audio = { data: Buffer.alloc(48_000).toString('base64'), format: 'wav' }
    expect(await usageOf(asking([{ type: 'input_audio', input_audio }]))).toEqual({
      prompt: one + 10,
      audio: 10,
    })
  })

  it('counts nothing as cached, whatever the cache key is and however often it is asked', async () => {
    const sim = chatSimulator()
    const cached = async (): Promise<number> =>
      (await completed(asking('Tell me about trains', { prompt_cache_key: 'k' }), sim)).usage
        .prompt_tokens_details.cached_tokens
    expect([await cached(), await cached()]).toEqual([0, 0])
  })

  it('counts the answer by the tokenizer', async () => {
    const { usage, message } = await answerTo('Tell me about trains')
    expect(usage.completion_tokens).toBe(count(message.content as string))
  })
})

const aloud = (format: string, voice: unknown = 'alloy'): Body => ({
  modalities: ['text', 'audio'],
  audio: { voice, format },
})

describe('speech', () => {
  const spoken = (format: string, extra: Body = {}): Body =>
    asking('Say "Hello there"', { ...aloud(format), ...extra })

  it.each([
    ['wav', 'RIFF'],
    ['mp3', '\u00ff'],
    ['flac', 'fLaC'],
    ['opus', 'OggS'],
    ['aac', '\u00ff'],
    ['pcm16', ''],
  ])('comes as %s, with what it says', async (format, magic) => {
    const { message, finish_reason } = only(await completed(spoken(format)))
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      annotations: [],
      audio: {
        id: expect.stringMatching(/^audio_[0-9a-f]{32}$/),
        expires_at: 1_767_225_600 + 3600,
        data: expect.any(String),
        transcript: 'Hello there',
      },
    })
    expect(finish_reason).toBe('stop')
    const bytes = Buffer.from(message.audio?.data ?? '', 'base64')
    expect(bytes.length).toBeGreaterThan(100)
    expect(bytes.toString('latin1').startsWith(magic)).toBe(true)
  })

  it('takes a voice by id', async () => {
    const { message } = await answerTo('Say "Hello there"', aloud('wav', { id: 'voice_1' }))
    expect(message.audio?.transcript).toBe('Hello there')
  })

  it('is counted as sound', async () => {
    expect((await completed(spoken('wav'))).usage).toMatchObject({
      completion_tokens: 2,
      completion_tokens_details: { audio_tokens: 2 },
    })
  })
})
