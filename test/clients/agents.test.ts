/**
 * Agents with no scenario at all: the tool that fits with arguments that work, and an end, be the choice of
 * tools forced or the answer structured.
 */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import {
  generateText,
  hasToolCall,
  Output,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from 'ai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Simulator } from '../../src/index.ts'
import { type Integration, simulator } from '../_setup.ts'
import { modelCalls, type PlainTool, workingTools } from './_agents.ts'
import { clientIntegrations, inProcess, wayTo } from './_integrations.ts'
import { aiAnthropic, aiOpenai } from './_models.ts'
import { ask, openaiVia } from './_openai.ts'

const claude = 'claude-3-5-sonnet-20241022'
const stopWhen = stepCountIs(6)

/** The models of the AI SDK behind an integration: chat, and messages. */
async function modelsVia(integration: Integration, sim: Simulator) {
  const way = await wayTo(integration, sim)
  return { chat: aiOpenai(way).chat('gpt-4o'), messages: aiAnthropic(way)(claude) }
}

const forAiSdk = (tools: readonly PlainTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, schema, run }) => [
      name,
      tool({ description, inputSchema: schema, execute: async (input) => run(input) }),
    ]),
  )

describe('agents of the AI SDK', () => {
  it('ToolLoopAgent: the calculator for a product, and its result in the answer', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('get_weather', 'calculate')
    const { chat } = await modelsVia(inProcess, sim)
    const agent = new ToolLoopAgent({ model: chat, tools: forAiSdk(tools) })
    const { text } = await agent.generate({ prompt: 'Calculate 17 * 23' })
    expect(calls).toEqual([['calculate', { expression: '17 * 23' }]])
    expect(text).toContain('391')
    expect(modelCalls(sim)).toBe(2)
  })

  it('a forced choice ends with the tool that ends', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('get_weather', 'calculate')
    const { chat } = await modelsVia(inProcess, sim)
    const done = tool({
      description: 'Signal that you have finished your work',
      inputSchema: z.object({ answer: z.string().describe('The final answer') }),
    }) as ToolSet[string]
    const agent = new ToolLoopAgent({
      model: chat,
      tools: { ...forAiSdk(tools), done },
      toolChoice: 'required',
      stopWhen: [hasToolCall('done'), stopWhen],
    })
    const { toolCalls } = await agent.generate({ prompt: "How's the weather in Lisbon today?" })
    expect(calls).toEqual([['get_weather', { city: 'Lisbon' }]])
    expect(toolCalls).toMatchObject([{ toolName: 'done', input: { answer: expect.any(String) } }])
    expect(modelCalls(sim)).toBe(2)
  })

  it('Output.object with tools, where it is a schema, and where it is one more tool', async () => {
    for (const model of ['chat', 'messages'] as const) {
      const sim = simulator({ clock: 'auto' })
      const { tools, calls } = workingTools('calculate', 'get_weather')
      const { output } = await generateText({
        model: (await modelsVia(inProcess, sim))[model],
        maxOutputTokens: 1000,
        tools: forAiSdk(tools),
        output: Output.object({ schema: z.object({ city: z.string(), celsius: z.number() }) }),
        stopWhen,
        prompt: 'Check the weather in Vienna and report it.',
      })
      expect([model, output, calls]).toEqual([
        model,
        { city: 'Vienna', celsius: 21 },
        [['get_weather', { city: 'Vienna' }]],
      ])
      expect(modelCalls(sim)).toBe(2)
    }
  })
  for (const integration of clientIntegrations) {
    it(`streamText, through ${integration.name}: a call for each clause, in one round`, async () => {
      const sim = simulator({ clock: 'auto' })
      const { tools, calls } = workingTools('add', 'multiply')
      const { messages } = await modelsVia(integration, sim)
      const result = streamText({
        model: messages,
        maxOutputTokens: 1000,
        tools: forAiSdk(tools),
        stopWhen,
        prompt: 'Multiply 3 and 4, then multiply 12 by 5.',
      })
      expect(await result.text).toContain('60')
      expect(calls).toEqual([
        ['multiply', { a: 3, b: 4 }],
        ['multiply', { a: 12, b: 5 }],
      ])
      expect(modelCalls(sim)).toBe(2)
    })
  }
})

describe('runTools of the openai package', () => {
  it('two places in one question are two calls', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('add', 'get_weather')
    const client = await openaiVia(inProcess, sim)
    const text = await client.chat.completions
      .runTools({
        model: 'gpt-4o',
        messages: ask('What is the weather in San Francisco, and in Tokyo?'),
        tools: tools.map(forOpenai),
      })
      .finalContent()
    expect(calls).toEqual([
      ['get_weather', { city: 'San Francisco' }],
      ['get_weather', { city: 'Tokyo' }],
    ])
    expect(text).toContain('Tokyo')
    expect(modelCalls(sim)).toBe(2)
  })

  it('a response format with tools is filled from what they return', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('get_weather', 'multiply')
    const client = await openaiVia(inProcess, sim)
    const report = z.object({ city: z.string(), celsius: z.number(), sky: z.string() })
    const text = await client.chat.completions
      .runTools({
        model: 'gpt-4o',
        messages: ask('Weather in Prague?'),
        tools: tools.map(forOpenai),
        response_format: zodResponseFormat(report, 'report'),
      })
      .finalContent()
    expect(calls).toEqual([['get_weather', { city: 'Prague' }]])
    expect(report.parse(JSON.parse(text ?? ''))).toEqual({ city: 'Prague', celsius: 21, sky: 'clear' })
  })
})

describe('the tool runner of @anthropic-ai/sdk', () => {
  it('one question for two tools, and the operands in their order', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('get_weather', 'add')
    const client = anthropic(sim)
    const message = await client.beta.messages.toolRunner({
      model: claude,
      max_tokens: 1000,
      thread: false,
      messages: [{ role: 'user', content: "What's the weather like in Paris? Also add 15 and 27." }],
      tools: tools.map(({ name, description, schema, run }) =>
        betaZodTool({ name, description, inputSchema: schema, run: (input) => JSON.stringify(run(input)) }),
      ),
    })
    expect(calls).toEqual([
      ['get_weather', { city: 'Paris' }],
      ['add', { a: 15, b: 27 }],
    ])
    expect(JSON.stringify(message.content)).toContain('42')
    expect(modelCalls(sim)).toBe(2)
  })

  it('any: the tool that looks up, then the one that records, then the caller stops', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('get_weather')
    const client = anthropic(sim)
    const record = z.object({ city: z.string(), summary: z.string() })
    const recorded: unknown[] = []
    const runner = client.beta.messages.toolRunner({
      model: claude,
      max_tokens: 1000,
      max_iterations: 6,
      thread: false,
      tool_choice: { type: 'any' },
      messages: [{ role: 'user', content: 'Is it raining in Hamburg?' }],
      tools: [
        ...tools.map(({ name, description, schema, run }) =>
          betaZodTool({
            name,
            description,
            inputSchema: schema,
            run: (input) => JSON.stringify(run(input)),
          }),
        ),
        betaZodTool({
          name: 'record_summary',
          description: 'Record summary of the weather using well-structured JSON.',
          inputSchema: record,
          run: (input) => {
            recorded.push(input)
            return 'recorded'
          },
        }),
      ],
    })
    for await (const message of runner) if (recorded.length > 0 || message.stop_reason === 'end_turn') break
    expect(calls).toEqual([['get_weather', { city: 'Hamburg' }]])
    expect(recorded).toEqual([{ city: 'Hamburg', summary: expect.any(String) }])
  })
})

const forOpenai = ({ name, description, schema, run }: PlainTool) =>
  zodFunction({
    name,
    description,
    parameters: schema,
    function: async (input) => JSON.stringify(run(input)),
  })

const anthropic = ({ fetch }: Simulator): Anthropic =>
  new Anthropic({ apiKey: 'sk-test', baseURL: 'http://gateway.test', maxRetries: 0, fetch })
