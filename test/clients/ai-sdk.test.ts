/** The AI SDK (`ai` with `@ai-sdk/openai`) against chat: text, streams, tools, objects, errors. */
import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai'
import {
  APICallError,
  embed,
  generateObject,
  generateText,
  NoObjectGeneratedError,
  Output,
  RetryError,
  stepCountIs,
  streamObject,
  streamText,
  type TextStreamPart,
  type ToolSet,
  tool,
} from 'ai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, refusalOf, until } from './_integrations.ts'

const start = new Date('2026-01-01T00:00:00Z')
const person = z.object({ name: z.string(), age: z.number().int().min(0) })
const ada = { name: 'Ada Lovelace', age: 36 }
const prompt = 'My name is Ada Lovelace, I am 36 years old.'

async function providerVia(integration: Integration, sim: Simulator): Promise<OpenAIProvider> {
  const { fetch, url } = await integration.open(sim)
  return createOpenAI({
    apiKey: 'sk-test',
    baseURL: `${url}/v1`,
    ...(integration.name === 'fetch' ? { fetch } : {}),
  })
}

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** A part of a full stream in a word. */
function word(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta') return `text-delta ${JSON.stringify(part.text)}`
  if (part.type === 'tool-call') return `tool-call ${part.toolName} ${JSON.stringify(part.input)}`
  if (part.type === 'tool-result') return `tool-result ${JSON.stringify(part.output)}`
  if (part.type === 'finish') return `finish ${part.finishReason}`
  return part.type
}

for (const integration of [...clientIntegrations, mswIntegration]) {
  describe(`AI SDK, text, through ${integration.name}`, () => {
    it('generateText', async () => {
      const sim = simulator({ clock: 'auto' })
      const openai = await providerVia(integration, sim)
      const { text, finishReason, usage, response } = await generateText({
        model: openai.chat('gpt-4o'),
        system: 'Be short.',
        prompt: 'Say "hello there"',
      })
      expect([text, finishReason]).toEqual(['hello there', 'stop'])
      expect(usage).toMatchObject({
        outputTokens: 2,
        inputTokenDetails: { cacheReadTokens: 0 },
        outputTokenDetails: { textTokens: 2, reasoningTokens: 0 },
      })
      expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + 2)
      expect(response).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-/),
        modelId: 'gpt-4o',
        timestamp: start,
      })
      expect(response.headers?.['x-request-id']).toBe(sim.journal()[0]?.requestId)
    })

    it('streamText: the text that generateText gives, as deltas and as a full stream with usage', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const question = { model: openai.chat('gpt-4o'), prompt: 'Tell me about foxes' }
      const plain = await generateText(question)
      const streamed = streamText(question)
      expect((await listOf(streamed.textStream)).join('')).toBe(plain.text)
      expect(await streamed.usage).toEqual(plain.usage)
      expect(await streamed.finishReason).toBe('stop')

      const parts = await listOf(
        streamText({ model: question.model, prompt: 'Say "one two three"' }).fullStream,
      )
      expect(parts.map(word)).toEqual([
        'start',
        'start-step',
        'text-start',
        'text-delta "one"',
        'text-delta " two"',
        'text-delta " three"',
        'text-end',
        'finish-step',
        'finish stop',
      ])
      expect(parts.at(-1)).toMatchObject({ totalUsage: { outputTokens: 3 } })
    })

    it('an error event in a stream is a part of it, after the text that came before', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const errors: unknown[] = []
      const parts = await listOf(
        streamText({
          model: openai.chat('sim-error-after-2'),
          prompt: 'Say "one two three"',
          onError: ({ error }) => void errors.push(error),
        }).fullStream,
      )
      expect(parts.map(word)).toEqual([
        'start',
        'start-step',
        'text-start',
        'text-delta "one"',
        'error',
        'text-end',
        'finish-step',
        'finish error',
      ])
      expect(errors).toEqual([
        {
          message: 'The server had an error while streaming (reserved value error-after).',
          type: 'api_error',
          code: 500,
          param: null,
        },
      ])
    })

    it('a cut connection throws after the text that came before', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const seen: string[] = []
      const reading = (async () => {
        for await (const part of streamText({
          model: openai.chat('sim-cut-after-3'),
          prompt: 'Say "one two three"',
          onError: () => undefined,
        }).fullStream)
          seen.push(word(part))
      })()
      expect(await refusalOf(reading)).toMatchObject({
        name: 'AI_APICallError',
        statusCode: 200,
        cause: expect.objectContaining({ message: 'terminated' }),
      })
      expect(seen).toEqual(['start', 'start-step', 'text-start', 'text-delta "one"', 'text-delta " two"'])
    })
  })
}

for (const integration of clientIntegrations) {
  const weather = (asked: string[]) =>
    tool({
      description: 'Looks up the weather of a city',
      inputSchema: z.object({ city: z.string() }),
      async execute({ city }) {
        asked.push(city)
        return { city, degrees: city.length }
      },
    })

  describe(`AI SDK, tools, through ${integration.name}`, () => {
    it('runs the tools of a step and comes to a final answer', async () => {
      const sim = simulator({ clock: 'auto' })
      const openai = await providerVia(integration, sim)
      const asked: string[] = []
      const { text, steps, totalUsage } = await generateText({
        model: openai.chat('gpt-4o'),
        tools: { weather: weather(asked) },
        stopWhen: stepCountIs(5),
        prompt: 'What is the weather in Paris and London?',
      })
      expect(asked).toEqual(['Paris', 'London'])
      expect(
        steps.map(({ finishReason, toolCalls }) => [
          finishReason,
          toolCalls.map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`),
        ]),
      ).toEqual([
        ['tool-calls', ['weather {"city":"Paris"}', 'weather {"city":"London"}']],
        ['stop', []],
      ])
      expect(text).toContain('weather returned: {"city":"Paris","degrees":5}')
      expect(text).toContain('weather returned: {"city":"London","degrees":6}')
      expect(totalUsage.totalTokens).toBe(steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0))
      expect(sim.journal().map(({ operation }) => operation)).toEqual(['chat.create', 'chat.create'])
    })

    it('the same loop as a stream', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const asked: string[] = []
      const streamed = streamText({
        model: openai.chat('gpt-4o'),
        tools: { weather: weather(asked) },
        stopWhen: stepCountIs(5),
        prompt: 'What is the weather in Paris?',
      })
      const words = (await listOf(streamed.fullStream)).map((part) => word(part as TextStreamPart<ToolSet>))
      expect(words.filter((said) => /^(?:tool-call|tool-result|finish)/.test(said))).toEqual([
        'tool-call weather {"city":"Paris"}',
        'tool-result {"city":"Paris","degrees":5}',
        'finish-step',
        'finish-step',
        'finish stop',
      ])
      expect(words.filter((said) => said === 'tool-input-delta').length).toBeGreaterThan(2)
      expect(await streamed.text).toContain('weather returned: {"city":"Paris","degrees":5}')
      expect(asked).toEqual(['Paris'])
    })

    it('calls the tool that toolChoice names', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const mail = tool({
        description: 'Sends an email',
        inputSchema: z.object({ to: z.email(), urgent: z.boolean() }),
        execute: ({ to }) => `sent to ${to}`,
      })
      const { toolCalls, toolResults, finishReason } = await generateText({
        model: openai.chat('gpt-4o'),
        tools: { weather: weather([]), mail },
        toolChoice: { type: 'tool', toolName: 'mail' },
        prompt: 'What is the weather in Paris?',
      })
      expect(finishReason).toBe('tool-calls')
      expect(toolCalls).toMatchObject([
        { toolName: 'mail', input: { to: expect.stringContaining('@'), urgent: expect.any(Boolean) } },
      ])
      expect(toolResults.map(({ output }) => output)).toEqual([
        `sent to ${(toolCalls[0]?.input as { to: string } | undefined)?.to}`,
      ])
    })
  })

  describe(`AI SDK, objects, through ${integration.name}`, () => {
    for (const id of ['gpt-4o', 'gpt-3.5-turbo', 'my-own-model', 'gpt-5']) {
      it(`generateObject and Output.object with the model id ${id}`, async () => {
        const openai = await providerVia(integration, simulator({ clock: 'auto' }))
        const model = openai.chat(id)
        const { object, usage, warnings } = await generateObject({ model, schema: person, prompt })
        expect(object).toEqual(ada)
        expect(warnings).toEqual([])
        expect(
          id === 'gpt-5'
            ? (usage.outputTokenDetails.reasoningTokens ?? 0) > 0
            : usage.outputTokenDetails.reasoningTokens === 0,
        ).toBe(true)
        const { output } = await generateText({ model, output: Output.object({ schema: person }), prompt })
        expect(output).toEqual(ada)
      })
    }

    it('arrays, choices and objects without a schema', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const model = openai.chat('gpt-4o')
      const { object: people } = await generateObject({
        model,
        output: 'array',
        schema: person,
        prompt: 'List 3 people',
      })
      expect(z.array(person).min(1).parse(people)).toEqual(people)
      const { object: mood } = await generateObject({
        model,
        output: 'enum',
        enum: ['happy', 'sad'],
        prompt: 'I feel sad today',
      })
      expect(mood).toBe('sad')
      const { object: free } = await generateObject({
        model,
        output: 'no-schema',
        prompt: 'Answer in JSON with the keys "city" and "country".',
      })
      expect(free).toEqual({ city: expect.any(String), country: expect.any(String) })
    })

    it('streamObject grows into the object that generateObject gives', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const streamed = streamObject({ model: openai.chat('gpt-4o'), schema: person, prompt })
      const partial = await listOf(streamed.partialObjectStream)
      expect(partial[0]).toEqual({})
      expect(partial).toContainEqual({ name: ada.name })
      expect(partial.at(-1)).toEqual(ada)
      expect(await streamed.object).toEqual(ada)
    })

    for (const [id, finishReason] of [
      ['sim-refusal', 'content-filter'],
      ['sim-length', 'length'],
      ['sim-content-filter', 'content-filter'],
    ] as const) {
      it(`says that there is no object for ${id}`, async () => {
        const openai = await providerVia(integration, simulator({ clock: 'auto' }))
        const error = await refusalOf(generateObject({ model: openai.chat(id), schema: person, prompt }))
        expect(NoObjectGeneratedError.isInstance(error)).toBe(true)
        expect((error as NoObjectGeneratedError).response).toMatchObject({
          modelId: id,
          id: expect.stringMatching(/^chatcmpl-/),
        })
        expect((error as NoObjectGeneratedError).finishReason).toBe(finishReason)
      })
    }
  })

  describe(`AI SDK, errors, through ${integration.name}`, () => {
    for (const [id, statusCode, isRetryable, message] of [
      [
        'no-such-model',
        404,
        false,
        'The model `no-such-model` does not exist or you do not have access to it.',
      ],
      ['sim-forbidden', 403, false, 'No access permission for this request (reserved value forbidden).'],
      ['sim-rate-limit', 429, true, 'Rate limit reached: retry after 1 s (reserved value rate-limit).'],
      [
        'sim-overloaded',
        503,
        true,
        'The engine is currently overloaded, please try again later (reserved value overloaded).',
      ],
    ] as const) {
      it(`${statusCode}: ${id} throws APICallError with the message of the gateway`, async () => {
        const openai = await providerVia(integration, simulator({ clock: 'auto' }))
        const error = await refusalOf(generateText({ model: openai.chat(id), prompt: 'Hi', maxRetries: 0 }))
        expect(APICallError.isInstance(error)).toBe(true)
        expect(error).toMatchObject({
          message,
          statusCode,
          isRetryable,
          data: { error: { message, code: statusCode } },
        })

        const errors: unknown[] = []
        const parts = await listOf(
          streamText({
            model: openai.chat(id),
            prompt: 'Hi',
            maxRetries: 0,
            onError: ({ error: heard }) => void errors.push(heard),
          }).fullStream,
        )
        expect(parts.map(word)).toEqual(['start', 'error'])
        expect(errors).toMatchObject([{ message, statusCode }])
      })
    }

    it('openai(id) and embeddings say what to write in their place', async () => {
      const openai = await providerVia(integration, simulator({ clock: 'auto' }))
      const advice = {
        statusCode: 404,
        isRetryable: false,
        message: expect.stringContaining(
          'with the AI SDK write `openai.chat(modelId)` in the place of `openai(modelId)`',
        ),
      }
      expect(await refusalOf(generateText({ model: openai('gpt-4o'), prompt: 'Hi' }))).toMatchObject(advice)
      expect(
        await refusalOf(generateObject({ model: openai.responses('gpt-4o'), schema: person, prompt })),
      ).toMatchObject(advice)
      expect(
        await refusalOf(embed({ model: openai.embedding('text-embedding-3-small'), value: 'Hi' })),
      ).toMatchObject({
        statusCode: 404,
        isRetryable: false,
        message: expect.stringContaining('This gateway does not offer that API'),
      })
    })

    it('an abort between two chunks ends the stream on both sides', async () => {
      const sim = simulator({
        clock: 'manual',
        settings: { chat: { firstTokenAfter: '200ms', tokenEvery: '50ms' } },
      })
      const openai = await providerVia(integration, sim)
      const leave = new AbortController()
      const seen: string[] = []
      const reading = (async () => {
        for await (const part of streamText({
          model: openai.chat('gpt-4o'),
          prompt: 'Say "one two three"',
          abortSignal: leave.signal,
        }).fullStream) {
          seen.push(word(part))
          if (part.type === 'text-delta') leave.abort()
        }
      })()
      await until(() => sim.journal().length === 1)
      await sim.settled()
      sim.clock.advance(299)
      await reading
      expect(seen).toEqual(['start', 'start-step', 'text-start', 'text-delta "one"', 'abort'])
      await until(() => sim.journal()[0]?.ended !== 'open')
      expect(sim.journal()[0]).toMatchObject({ ended: 'aborted', events: 2 })
    })
  })
}

describe('AI SDK retries, in-process, on a clock of the test', () => {
  async function napping(model: string, maxRetries: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sim = simulator({ clock: 'auto' })
    await sim.preload()
    const openai = createOpenAI({
      apiKey: 'sk-test',
      baseURL: 'http://gateway.test/v1',
      fetch: sim.fetch as typeof fetch,
    })
    const answer = generateText({ model: openai.chat(model), prompt: 'Say "done"', maxRetries })
    answer.catch(() => undefined)
    return { answer, statuses: () => sim.journal().map(({ status }) => status) }
  }

  it('waits as long as retry-after-ms says', async () => {
    const { answer, statuses } = await napping('sim-rate-limit-once', 2)
    await vi.advanceTimersByTimeAsync(999)
    expect(statuses()).toEqual([429])
    await vi.advanceTimersByTimeAsync(1)
    expect((await answer).text).toBe('done')
    expect(statuses()).toEqual([429, 200])
  })

  it('throws RetryError with every refusal when it gives up', async () => {
    const { answer, statuses } = await napping('sim-server-error', 1)
    await vi.advanceTimersByTimeAsync(2000)
    const error = await refusalOf(answer)
    expect(RetryError.isInstance(error)).toBe(true)
    const message = 'The server had an error while processing your request (reserved value server-error).'
    expect(error).toMatchObject({
      reason: 'maxRetriesExceeded',
      message: `Failed after 2 attempts. Last error: ${message}`,
      errors: [
        { statusCode: 500, message },
        { statusCode: 500, message },
      ],
    })
    expect(statuses()).toEqual([500, 500])
  })
})
