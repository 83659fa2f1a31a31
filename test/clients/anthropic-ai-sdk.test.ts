/**
 * The AI SDK (`ai` with `@ai-sdk/anthropic`) against messages: text, streams, tools, objects, reasoning,
 * errors.
 */
import { type AnthropicProvider, type AnthropicProviderSettings, createAnthropic } from '@ai-sdk/anthropic'
import {
  APICallError,
  generateObject,
  generateText,
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
import { clientIntegrations, mswIntegration, refusalOf } from './_integrations.ts'

const person = z.object({ name: z.string(), age: z.number().int().min(0) })
const ada = { name: 'Ada Lovelace', age: 36 }
const prompt = 'My name is Ada Lovelace, I am 36 years old.'
const haiku = 'claude-3-haiku-20240307'

async function providerVia(
  integration: Integration,
  sim: Simulator,
  settings: AnthropicProviderSettings = {},
): Promise<AnthropicProvider> {
  const { fetch, url } = await integration.open(sim)
  return createAnthropic({
    apiKey: 'sk-test',
    baseURL: `${url}/v1`,
    ...(integration.name === 'fetch' ? { fetch } : {}),
    ...settings,
  })
}

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** A part of a full stream in a word. */
function word(part: TextStreamPart<ToolSet>): string {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta')
    return `${part.type} ${JSON.stringify(part.text)}`
  if (part.type === 'tool-call') return `tool-call ${part.toolName} ${JSON.stringify(part.input)}`
  if (part.type === 'tool-result') return `tool-result ${JSON.stringify(part.output)}`
  if (part.type === 'finish') return `finish ${part.finishReason}`
  return part.type
}

for (const integration of [...clientIntegrations, mswIntegration]) {
  describe(`AI SDK with @ai-sdk/anthropic, text, through ${integration.name}`, () => {
    it('generateText', async () => {
      const sim = simulator({ clock: 'auto' })
      const anthropic = await providerVia(integration, sim)
      const { text, finishReason, usage, response, warnings } = await generateText({
        model: anthropic(haiku),
        system: 'Be short.',
        prompt: 'Say "hello there"',
        temperature: 0.5,
        topK: 3,
        stopSequences: ['zzz'],
      })
      expect([text, finishReason]).toEqual(['hello there', 'stop'])
      expect(warnings).toEqual([])
      expect(usage).toMatchObject({ outputTokens: 2, inputTokens: expect.any(Number) })
      expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + 2)
      expect(response).toMatchObject({ id: expect.stringMatching(/^msg_/), modelId: haiku })
      expect(response.headers?.['request-id']).toBe(sim.journal()[0]?.requestId)
    })

    it('streamText: the text that generateText gives, as deltas and as a full stream with usage', async () => {
      const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
      const question = { model: anthropic(haiku), prompt: 'Tell me about foxes' }
      const plain = await generateText(question)
      const streamed = streamText(question)
      expect((await listOf(streamed.textStream)).join('')).toBe(plain.text)
      expect(await streamed.usage).toMatchObject({
        inputTokens: plain.usage.inputTokens,
        outputTokens: plain.usage.outputTokens,
      })
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
      const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
      const parts = await listOf(
        streamText({
          model: anthropic('sim-error-after-4'),
          prompt: 'Say "one two three"',
          maxOutputTokens: 100,
          onError: () => undefined,
        }).fullStream,
      )
      expect(parts.map(word)).toEqual(expect.arrayContaining(['text-delta "one"', 'error']))
      expect(parts.find(({ type }) => type === 'error')).toMatchObject({
        error: expect.objectContaining({
          message: expect.stringContaining(
            'The server had an error while streaming (reserved value error-after).',
          ),
        }),
      })
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

  describe(`AI SDK with @ai-sdk/anthropic, tools, through ${integration.name}`, () => {
    it('runs the tools of a step and comes to a final answer', async () => {
      const sim = simulator({ clock: 'auto' })
      const anthropic = await providerVia(integration, sim)
      const asked: string[] = []
      const { text, steps } = await generateText({
        model: anthropic(haiku),
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
      expect(sim.journal().map(({ operation, status }) => [operation, status])).toEqual([
        ['messages.create', 200],
        ['messages.create', 200],
      ])
    })

    it('the same loop as a stream', async () => {
      const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
      const asked: string[] = []
      const streamed = streamText({
        model: anthropic(haiku),
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
      const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
      const mail = tool({
        description: 'Sends an email',
        inputSchema: z.object({ to: z.email(), urgent: z.boolean() }),
        execute: ({ to }) => `sent to ${to}`,
      })
      const { toolCalls, toolResults, finishReason } = await generateText({
        model: anthropic(haiku),
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

  describe(`AI SDK with @ai-sdk/anthropic, objects, through ${integration.name}`, () => {
    // The provider sends `output_config.format` for models that it knows to take it, and a tool named json
    // for others.
    for (const id of [haiku, 'claude-sonnet-4-5', 'my-own-model']) {
      it(`generateObject, Output.object and streamObject with the model id ${id}`, async () => {
        const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
        const question = { model: anthropic(id), prompt, maxOutputTokens: 500 }
        expect((await generateObject({ ...question, schema: person })).object).toEqual(ada)
        expect(
          (await generateText({ ...question, output: Output.object({ schema: person }) })).output,
        ).toEqual(ada)
        const streamed = streamObject({ ...question, schema: person })
        expect((await listOf(streamed.partialObjectStream)).at(-1)).toEqual(ada)
        expect(await streamed.object).toEqual(ada)
      })
    }
  })

  describe(`AI SDK with @ai-sdk/anthropic, reasoning, through ${integration.name}`, () => {
    const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } }

    it('shows what was thought, with its signature, and sends it back through a loop of tools', async () => {
      const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
      const { reasoningText, reasoning, text, steps } = await generateText({
        model: anthropic('claude-sonnet-4-5'),
        maxOutputTokens: 2000,
        providerOptions: thinking,
        tools: { weather: weather([]) },
        stopWhen: stepCountIs(3),
        prompt: 'What is the weather in Paris?',
      })
      expect(steps).toHaveLength(2)
      expect(steps[0]?.reasoningText).toContain('What is the weather in Paris?')
      expect(reasoningText).toContain('The tools have answered')
      expect(reasoning[0]?.providerMetadata?.['anthropic']?.['signature']).toMatch(/=$/)
      expect(text).toContain('weather returned: {"city":"Paris","degrees":5}')
    })

    it('streams it before the text', async () => {
      const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
      const streamed = streamText({
        model: anthropic('claude-sonnet-4-5'),
        maxOutputTokens: 2000,
        providerOptions: thinking,
        prompt: 'Say "yes"',
      })
      const words = (await listOf(streamed.fullStream)).map(word).map((said) => said.split(' ')[0])
      expect(words.filter((said, at) => said !== words[at - 1])).toEqual([
        'start',
        'start-step',
        'reasoning-start',
        'reasoning-delta',
        'reasoning-end',
        'text-start',
        'text-delta',
        'text-end',
        'finish-step',
        'finish',
      ])
      expect(await streamed.text).toBe('yes')
    })
  })

  describe(`AI SDK with @ai-sdk/anthropic, errors, through ${integration.name}`, () => {
    for (const [id, statusCode, isRetryable, type, message] of [
      ['no-such-model', 404, false, 'not_found_error', 'model: no-such-model'],
      [
        'sim-forbidden',
        403,
        false,
        'permission_error',
        'No access permission for this request (reserved value forbidden).',
      ],
      [
        'sim-rate-limit',
        429,
        true,
        'rate_limit_error',
        'Rate limit reached: retry after 1 s (reserved value rate-limit).',
      ],
      [
        'sim-overloaded',
        529,
        true,
        'overloaded_error',
        'The engine is currently overloaded, please try again later (reserved value overloaded).',
      ],
    ] as const) {
      it(`${statusCode}: ${id} throws APICallError with the message of the gateway`, async () => {
        const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
        const error = await refusalOf(
          generateText({ model: anthropic(id), prompt: 'Hi', maxOutputTokens: 100, maxRetries: 0 }),
        )
        expect(APICallError.isInstance(error)).toBe(true)
        expect(error).toMatchObject({
          message,
          statusCode,
          isRetryable,
          data: { type: 'error', error: { type, message } },
        })
      })
    }

    it('a model that it does not know asks for more tokens than the contract allows, unless the settings do', async () => {
      const question = { prompt: 'Say "hi"', maxRetries: 0 }
      const strict = await providerVia(integration, simulator({ clock: 'auto' }))
      expect(
        await refusalOf(generateText({ ...question, model: strict('claude-sonnet-4-5') })),
      ).toMatchObject({
        statusCode: 400,
        message: '`max_tokens`: expected at most 8192 (setting messages.maxTokens), got 64000.',
      })
      const generous = await providerVia(
        integration,
        simulator({ clock: 'auto', settings: { messages: { maxTokens: 64_000 } } }),
      )
      expect((await generateText({ ...question, model: generous('claude-sonnet-4-5') })).text).toBe('hi')
    })

    it('a key in the other header works as well', async () => {
      const anthropic = await providerVia(
        integration,
        simulator({ clock: 'auto', settings: { keys: { 'sk-alice': {} } } }),
        { apiKey: undefined as never, authToken: 'sk-alice' } as AnthropicProviderSettings,
      )
      expect((await generateText({ model: anthropic(haiku), prompt: 'Say "hi"' })).text).toBe('hi')
    })

    it.each([
      ['sim-refusal', 'content-filter'],
      ['sim-length', 'length'],
    ] as const)('%s finishes with %s', async (id, finishReason) => {
      const anthropic = await providerVia(integration, simulator({ clock: 'auto' }))
      expect(
        (await generateText({ model: anthropic(id), prompt: 'Say "one two"', maxOutputTokens: 100 }))
          .finishReason,
      ).toBe(finishReason)
    })
  })
}

describe('AI SDK with @ai-sdk/anthropic, retries, in-process, on a clock of the test', () => {
  async function napping(model: string, maxRetries: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sim = simulator({ clock: 'auto' })
    await sim.preload()
    const anthropic = createAnthropic({
      apiKey: 'sk-test',
      baseURL: 'http://gateway.test/v1',
      fetch: sim.fetch as typeof fetch,
    })
    const answer = generateText({
      model: anthropic(model),
      prompt: 'Say "done"',
      maxOutputTokens: 100,
      maxRetries,
    })
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
    const { answer, statuses } = await napping('sim-overloaded', 1)
    await vi.advanceTimersByTimeAsync(2000)
    const error = await refusalOf(answer)
    expect(RetryError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({
      reason: 'maxRetriesExceeded',
      errors: [{ statusCode: 529 }, { statusCode: 529 }],
    })
    expect(statuses()).toEqual([529, 529])
  })
})
