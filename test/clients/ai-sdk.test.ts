import {
  embed,
  generateObject,
  generateText,
  type LanguageModel,
  NoObjectGeneratedError,
  Output,
  stepCountIs,
  streamObject,
  tool,
} from 'ai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Integration, simulator } from '../_setup.ts'
import { clientIntegrations, mswIntegration, rejectionOf, wayTo } from './_integrations.ts'
import { aiAnthropic, aiOpenai, type Way } from './_models.ts'

const person = z.object({ name: z.string(), age: z.number().int().min(0) })
const ada = { name: 'Ada Lovelace', age: 36 }
const prompt = 'My name is Ada Lovelace, I am 36 years old.'

/** One provider; what differs between the two. */
const providers = [
  {
    name: '@ai-sdk/openai',
    models: (way: Way) => (id: string) => aiOpenai(way).chat(id),
    model: 'gpt-4o',
    operation: 'chat.create',
    response: { id: expect.stringMatching(/^chatcmpl-/), timestamp: new Date('2026-01-01T00:00:00Z') },
    requestIdHeader: 'x-request-id',
    usage: { inputTokenDetails: { cacheReadTokens: 0 }, outputTokenDetails: { reasoningTokens: 0 } },
    objects: ['gpt-4o', 'gpt-3.5-turbo', 'my-own-model', 'gpt-5'],
    finishes: [
      ['sim-refusal', 'content-filter'],
      ['sim-length', 'length'],
      ['sim-content-filter', 'content-filter'],
    ],
  },
  {
    name: '@ai-sdk/anthropic',
    models: aiAnthropic,
    model: 'claude-3-haiku-20240307',
    operation: 'messages.create',
    response: { id: expect.stringMatching(/^msg_/) },
    requestIdHeader: 'request-id',
    usage: {},
    // The provider sends `output_config.format` for models that it knows to take it, and a tool named json
    // for others.
    objects: ['claude-3-haiku-20240307', 'claude-sonnet-4-5', 'my-own-model'],
    finishes: [
      ['sim-refusal', 'content-filter'],
      ['sim-length', 'length'],
    ],
  },
] as const

type Provider = (typeof providers)[number]

const modelsVia = async (
  { models }: Provider,
  integration: Integration,
  sim = simulator({ clock: 'auto' }),
): Promise<(id: string) => LanguageModel> => models(await wayTo(integration, sim))

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

const weather = tool({
  description: 'Looks up the weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: city.length }),
})

const ways = [...clientIntegrations, mswIntegration].flatMap((integration) =>
  providers.map((provider) => ({
    provider,
    integration,
    name: `${provider.name} through ${integration.name}`,
  })),
)

describe.each(ways)('AI SDK, $name', ({ provider, integration }) => {
  it('generateText', async () => {
    const sim = simulator({ clock: 'auto' })
    const models = await modelsVia(provider, integration, sim)
    const { text, finishReason, usage, response, warnings } = await generateText({
      model: models(provider.model),
      system: 'Be short.',
      prompt: 'Say "hello there"',
      temperature: 0.5,
      stopSequences: ['zzz'],
    })
    expect([text, finishReason, warnings]).toEqual(['hello there', 'stop', []])
    expect(usage).toMatchObject({ outputTokens: 2, ...provider.usage })
    expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + 2)
    expect(response).toMatchObject({ modelId: provider.model, ...provider.response })
    expect(response.headers?.[provider.requestIdHeader]).toBe(sim.journal()[0]?.cause.requestId)
  })

  it.each(provider.objects)(
    'generateObject, Output.object and streamObject with the model %s',
    async (id) => {
      const question = {
        model: (await modelsVia(provider, integration))(id),
        prompt,
        maxOutputTokens: 2000,
      }
      const { object, usage } = await generateObject({ ...question, schema: person })
      expect(object).toEqual(ada)
      if (provider.operation === 'chat.create')
        expect((usage.outputTokenDetails.reasoningTokens ?? 0) > 0).toBe(id === 'gpt-5')
      const output = Output.object({ schema: person })
      expect((await generateText({ ...question, output })).output).toEqual(ada)
      const streamed = streamObject({ ...question, schema: person })
      const partial = await listOf(streamed.partialObjectStream)
      expect(partial.length).toBeGreaterThan(1)
      expect(partial.at(-1)).toEqual(ada)
      expect(await streamed.object).toEqual(ada)
    },
  )

  it.each(provider.finishes)('%s finishes with %s', async (id, finishReason) => {
    const model = (await modelsVia(provider, integration))(id)
    const question = { model, prompt: 'Say "one two"', maxOutputTokens: 100 }
    expect((await generateText(question)).finishReason).toBe(finishReason)
    if (provider.operation !== 'chat.create') return
    const error = await rejectionOf(generateObject({ ...question, schema: person }))
    expect(NoObjectGeneratedError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ response: { modelId: id, id: provider.response.id } })
  })
})

describe.each(clientIntegrations)('AI SDK with @ai-sdk/openai alone, through $name', (integration) => {
  it('openai(id) and embeddings say what to write in their place', async () => {
    const openai = aiOpenai(await wayTo(integration, simulator({ clock: 'auto' })))
    const advice = {
      statusCode: 404,
      isRetryable: false,
      message: expect.stringContaining('use `openai.chat(modelId)` in the AI SDK'),
    }
    expect(await rejectionOf(generateText({ model: openai('gpt-4o'), prompt: 'Hi' }))).toMatchObject(advice)
    const shaped = generateObject({ model: openai.responses('gpt-4o'), schema: person, prompt })
    expect(await rejectionOf(shaped)).toMatchObject(advice)
    const embedded = embed({ model: openai.embedding('text-embedding-3-small'), value: 'Hi' })
    expect(await rejectionOf(embedded)).toMatchObject({
      statusCode: 404,
      isRetryable: false,
      message: expect.stringContaining('This gateway does not offer that API'),
    })
  })
})

describe.each(clientIntegrations)('AI SDK with @ai-sdk/anthropic alone, through $name', (integration) => {
  const anthropicVia = async (sim = simulator({ clock: 'auto' })) =>
    aiAnthropic(await wayTo(integration, sim))
  const thinking = {
    maxOutputTokens: 2000,
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
  }

  it('shows what was thought, with its signature, and sends it back through a loop of tools', async () => {
    const anthropic = await anthropicVia()
    const { reasoningText, reasoning, text, steps } = await generateText({
      model: anthropic('claude-sonnet-4-5'),
      ...thinking,
      tools: { weather },
      stopWhen: stepCountIs(3),
      prompt: 'What is the weather in Paris?',
    })
    expect(steps).toHaveLength(2)
    expect(steps[0]?.reasoningText).toContain('What is the weather in Paris?')
    expect(reasoningText).toContain('What is the weather in Paris?')
    expect(reasoning[0]?.providerMetadata?.['anthropic']?.['signature']).toMatch(/=$/)
    expect(text).toContain('weather returned: {"city":"Paris","degrees":5}')
  })

  it('a model that it does not know asks for more tokens than the contract allows, unless the settings do', async () => {
    const question = { prompt: 'Say "hi"', maxRetries: 0 }
    const strict = await anthropicVia()
    expect(
      await rejectionOf(generateText({ ...question, model: strict('claude-sonnet-4-5') })),
    ).toMatchObject({
      statusCode: 400,
      message: '`max_tokens`: expected at most 8192 (setting messages.maxTokens), got 64000.',
    })
    const settings = { messages: { maxTokens: 64_000 } }
    const generous = await anthropicVia(simulator({ clock: 'auto', settings }))
    expect((await generateText({ ...question, model: generous('claude-sonnet-4-5') })).text).toBe('hi')
  })
})
