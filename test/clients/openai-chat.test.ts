/**
 * The openai package, chat: one answer, several, streamed, in JSON, with log probabilities, spoken, and the
 * legacy forms.
 */
import { describe, expect, it } from 'vitest'
import { bodyOf, post, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration } from './_integrations.ts'
import { ask, only, openaiVia } from './_openai.ts'

const model = 'gpt-4o'
const start = 1_767_225_600

for (const integration of [...clientIntegrations, mswIntegration]) {
  describe(`openai, an answer in text, through ${integration.name}`, () => {
    it('creates a completion', async () => {
      const sim = simulator({ clock: 'auto' })
      const client = await openaiVia(integration, sim)
      const question = { model, messages: ask('Say "hello there"') }
      const completion = await client.chat.completions.create(question)
      expect(only(completion).message.content).toBe('hello there')
      const plain = post(simulator({ clock: 'auto' }), '/v1/chat/completions', question)
      expect(completion).toEqual(await bodyOf(plain))
    })

    it('streams the text that the plain body says, with its usage, chunk by chunk', async () => {
      const client = await openaiVia(integration)
      const question = { model, messages: ask('Tell me about foxes') }
      const plain = await client.chat.completions.create(question)
      const chunks = []
      for await (const chunk of await client.chat.completions.create({
        ...question,
        stream: true,
        stream_options: { include_usage: true },
      }))
        chunks.push(chunk)

      expect(chunks[0]).toMatchObject({
        object: 'chat.completion.chunk',
        created: start,
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
        usage: null,
      })
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
        only(plain).message.content,
      )
      expect(chunks.length).toBeGreaterThan(20)
      expect(chunks.at(-2)?.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }])
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: plain.usage })
      expect(new Set(chunks.map(({ id, system_fingerprint }) => `${id} ${system_fingerprint}`)).size).toBe(1)
    })
  })
}

for (const integration of clientIntegrations) {
  describe(`openai, more of an answer, through ${integration.name}`, () => {
    it('puts a stream together with the stream helper', async () => {
      const client = await openaiVia(integration)
      const question = { model, messages: ask('Tell me about foxes') }
      const plain = await client.chat.completions.create(question)
      const seen: string[] = []
      const stream = client.chat.completions
        .stream({ ...question, stream_options: { include_usage: true } })
        .on('content', (delta) => void seen.push(delta))
      const whole = await stream.finalChatCompletion()
      expect(only(whole)).toMatchObject({
        finish_reason: 'stop',
        message: { role: 'assistant', content: only(plain).message.content, refusal: null },
      })
      expect(seen.join('')).toBe(only(plain).message.content)
      expect(await stream.finalContent()).toBe(only(plain).message.content)
      expect(whole.usage).toEqual(plain.usage)
      expect(await stream.totalUsage()).toMatchObject({
        prompt_tokens: plain.usage?.prompt_tokens,
        completion_tokens: plain.usage?.completion_tokens,
        total_tokens: plain.usage?.total_tokens,
      })
    })

    it('gives n different choices, plain and streamed alike, and bills all', async () => {
      const client = await openaiVia(integration)
      const question = { model, messages: ask('Tell me about foxes'), n: 3 }
      const { choices, usage } = await client.chat.completions.create(question)
      const texts = choices.map(({ message }) => message.content)
      expect(choices.map(({ index, finish_reason }) => `${index} ${finish_reason}`)).toEqual([
        '0 stop',
        '1 stop',
        '2 stop',
      ])
      expect(new Set(texts).size).toBe(3)

      const streamed = ['', '', '']
      const finished: number[] = []
      for await (const { choices: parts } of await client.chat.completions.create({
        ...question,
        stream: true,
      })) {
        for (const { index, delta, finish_reason } of parts) {
          streamed[index] += delta.content ?? ''
          if (finish_reason === 'stop') finished.push(index)
        }
      }
      expect(streamed).toEqual(texts)
      expect(finished.toSorted()).toEqual([0, 1, 2])

      const one = await client.chat.completions.create({ ...question, n: 1 })
      expect(only(one).message.content).toBe(texts[0])
      expect(usage?.completion_tokens).toBeGreaterThan(2 * (one.usage?.completion_tokens ?? 0))
    })

    it('gives a log probability per token, plain and through the stream helper', async () => {
      const client = await openaiVia(integration)
      const question = { model, messages: ask('Say "naïve café 🦊"'), logprobs: true, top_logprobs: 2 }
      const { logprobs, message } = only(await client.chat.completions.create(question))
      const tokens = logprobs?.content ?? []
      expect(message.content).toBe('naïve café 🦊')
      expect(tokens.map(({ token }) => token).join('')).toBe(message.content)
      expect(Buffer.from(tokens.flatMap(({ bytes }) => bytes ?? [])).toString()).toBe(message.content)
      for (const { token, logprob, top_logprobs } of tokens) {
        expect(logprob).toBeLessThanOrEqual(0)
        expect(top_logprobs).toHaveLength(2)
        expect(top_logprobs[0]).toMatchObject({ token, logprob })
      }
      expect(logprobs?.refusal).toBeNull()
      expect(
        only(await client.chat.completions.stream(question).finalChatCompletion()).logprobs?.content,
      ).toEqual(tokens)
    })

    it('speaks, in one body and as a stream', async () => {
      const client = await openaiVia(integration)
      const question = {
        model: 'gpt-4o-audio-preview',
        messages: ask('Say "good morning"'),
        modalities: ['text', 'audio'],
        audio: { voice: 'alloy', format: 'wav' },
      } satisfies Parameters<typeof client.chat.completions.stream>[0]
      const plain = only(await client.chat.completions.create(question)).message
      expect(plain).toMatchObject({
        content: null,
        audio: { id: expect.stringMatching(/^audio_/), transcript: 'good morning', expires_at: start + 3600 },
      })
      const sound = Buffer.from(plain.audio?.data ?? '', 'base64')
      expect(sound.subarray(0, 4).toString()).toBe('RIFF')
      expect(sound.readUInt32LE(4)).toBe(sound.length - 8)

      const streamed = only(await client.chat.completions.stream(question).finalChatCompletion())
      expect(streamed.finish_reason).toBe('stop')
      expect(streamed.message.audio).toEqual({ ...plain.audio, id: expect.stringMatching(/^audio_/) })
    })

    it('calls a legacy function, plain and streamed', async () => {
      const client = await openaiVia(integration)
      const question = {
        model,
        messages: ask('What is the weather in Paris?'),
        functions: [
          {
            name: 'get_weather',
            description: 'The weather of a city',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        ],
      }
      const call = { name: 'get_weather', arguments: '{"city":"Paris"}' }
      expect(only(await client.chat.completions.create(question))).toMatchObject({
        finish_reason: 'function_call',
        message: { content: null, function_call: call },
      })
      expect(only(await client.chat.completions.stream(question).finalChatCompletion())).toMatchObject({
        finish_reason: 'function_call',
        message: { content: null, function_call: call },
      })
    })

    it('names the request in the answer, in the headers and in the journal', async () => {
      const sim = simulator({ clock: 'auto' })
      const client = await openaiVia(integration, sim)
      const { data, response, request_id } = await client.chat.completions
        .create({ model, messages: ask('Hi') })
        .withResponse()
      const [entry] = sim.journal()
      expect(request_id).toMatch(/^req_[0-9a-f]{32}$/)
      expect(data).toHaveProperty('_request_id', request_id)
      expect([response.headers.get('x-request-id'), entry?.requestId]).toEqual([request_id, request_id])
      expect(response.status).toBe(200)
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('9999')

      const again = await client.chat.completions.create({ model, messages: ask('Hi') })
      expect(again._request_id).not.toBe(request_id)
      expect(only(again).message).toEqual(only(data).message)
    })
  })
}
