/**
 * Agents with no scenario at all: the tool that fits with arguments that work, and an end, be the choice of
 * tools forced or the answer structured.
 */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import {
  hasToolCall,
  type LanguageModel,
  Output,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from 'ai'
import { createAgent, tool as langchainTool, providerStrategy, toolStrategy } from 'langchain'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { expect, it } from 'vitest'
import * as z from 'zod'
import type { Simulator } from '../../src/index.ts'
import { simulator } from '../_setup.ts'
import { inProcess } from './_integrations.ts'
import { aiAnthropic, aiOpenai, langchainAnthropic, langchainOpenai, type Way } from './_models.ts'
import { ask, openaiVia } from './_openai.ts'

interface PlainTool {
  readonly name: string
  readonly description: string
  readonly schema: z.ZodObject
  readonly run: (input: any) => unknown
}

const numbers = z.object({ a: z.number(), b: z.number() })

const available: readonly PlainTool[] = [
  {
    name: 'get_weather',
    description: 'Get the current weather for a city',
    schema: z.object({ city: z.string().describe('The name of the city') }),
    run: ({ city }) => ({ city, celsius: 21 }),
  },
  {
    name: 'calculate',
    description: 'Evaluates a mathematical expression, e.g. "1.2 * (7 + 4.5)"',
    schema: z.object({ expression: z.string() }),
    run({ expression }) {
      const [, a, b] = /^\s*([\d.]+)\s*\*\s*([\d.]+)\s*$/.exec(expression) ?? []
      return Number(a) * Number(b)
    },
  },
  { name: 'add', description: 'Add two numbers', schema: numbers, run: ({ a, b }) => a + b },
  { name: 'multiply', description: 'Multiply two numbers', schema: numbers, run: ({ a, b }) => a * b },
]

type Calls = readonly (readonly [name: string, input: object])[]

/** The tools of these names, in this order; each run is noted in `calls`. */
function workingTools(names: readonly string[]) {
  const calls: [name: string, input: unknown][] = []
  const tools = names.map((name): PlainTool => {
    const found = available.find((one) => one.name === name) as PlainTool
    return { ...found, run: (input) => (calls.push([name, input]), found.run(input)) }
  })
  return { tools, calls }
}

/** Runs an agent to its end: its last text, or its answer in the shape of `report`. */
type Agent = (sim: Simulator, prompt: string, tools: readonly PlainTool[], shaped: boolean) => unknown

const report = z.object({ city: z.string(), celsius: z.number() })
const claude = 'claude-3-5-sonnet-20241022'
const stopWhen = stepCountIs(6)
const wayOf = ({ fetch }: Simulator): Way => ({ url: 'http://gateway.test', fetch: fetch as never })
const json =
  ({ run }: PlainTool) =>
  (input: unknown) =>
    JSON.stringify(run(input))

const forAiSdk = (tools: readonly PlainTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, schema, run }) => [
      name,
      tool({ description, inputSchema: schema, execute: async (input) => run(input) }),
    ]),
  )

const toolLoop =
  (modelOf: (way: Way) => LanguageModel): Agent =>
  async (sim, prompt, tools, shaped) => {
    const model = modelOf(wayOf(sim))
    const options = { model, tools: forAiSdk(tools), stopWhen, maxOutputTokens: 1000 }
    if (!shaped) return (await new ToolLoopAgent(options).generate({ prompt })).text
    const agent = new ToolLoopAgent({ ...options, output: Output.object({ schema: report }) })
    return (await agent.generate({ prompt })).output
  }

const streamed: Agent = async (sim, prompt, tools) => {
  const model = aiAnthropic(wayOf(sim))(claude)
  return streamText({ model, prompt, tools: forAiSdk(tools), stopWhen, maxOutputTokens: 1000 }).text
}

const runTools: Agent = async (sim, prompt, tools, shaped) => {
  const client = await openaiVia(inProcess, sim)
  const runner = client.chat.completions.runTools({
    model: 'gpt-4o',
    messages: ask(prompt),
    tools: tools.map((one) =>
      zodFunction({
        name: one.name,
        description: one.description,
        parameters: one.schema,
        function: json(one),
      }),
    ),
    ...(shaped ? { response_format: zodResponseFormat(report, 'report') } : {}),
  })
  const text = (await runner.finalContent()) ?? ''
  return shaped ? JSON.parse(text) : text
}

const betaTools = (tools: readonly PlainTool[]) =>
  tools.map((one) =>
    betaZodTool({
      name: one.name,
      description: one.description,
      inputSchema: one.schema,
      run: json(one),
    }),
  )
const anthropic = ({ fetch }: Simulator): Anthropic =>
  new Anthropic({ apiKey: 'sk-test', baseURL: 'http://gateway.test', maxRetries: 0, fetch })
const asking = (content: string) => ({
  model: claude,
  max_tokens: 1000,
  thread: false as const,
  messages: [{ role: 'user' as const, content }],
})

const toolRunner: Agent = async (sim, prompt, tools) => {
  const question = { ...asking(prompt), tools: betaTools(tools) }
  return JSON.stringify((await anthropic(sim).beta.messages.toolRunner(question)).content)
}

interface Said {
  readonly messages: readonly { readonly text: string }[]
}

type LangchainModel = ReturnType<typeof langchainOpenai | typeof langchainAnthropic>

const langchain =
  (modelOf: (way: Way) => LangchainModel, strategy: typeof toolStrategy | typeof providerStrategy): Agent =>
  async (sim, prompt, tools, shaped) => {
    const agent = createAgent({
      model: modelOf(wayOf(sim)),
      tools: tools.map((one) => langchainTool(json(one), one)),
      ...(shaped ? { responseFormat: strategy(report) as never } : {}),
    })
    // As many steps as six calls of the model and of tools take.
    const question = { messages: [{ role: 'user', content: prompt }] }
    const ended: Record<string, unknown> & Said = await agent.invoke(question, { recursionLimit: 13 })
    return shaped ? ended['structuredResponse'] : ended.messages.at(-1)?.text
  }

const aiChat = toolLoop((way) => aiOpenai(way).chat('gpt-4o'))
const aiMessages = toolLoop((way) => aiAnthropic(way)(claude))
const langchainChat = (way: Way) => langchainOpenai(way, 'gpt-4o')
const langchainMessages = (way: Way) => langchainAnthropic(way, claude)
const weather = (city: string) => ['get_weather', { city }] as const
const weatherIn = (...cities: string[]): Calls => cities.map(weather)

it.each<[name: string, agent: Agent, tools: string, prompt: string, calls: Calls, end: unknown]>([
  [
    'ToolLoopAgent of the AI SDK, with chat',
    aiChat,
    'get_weather calculate',
    'Calculate 17 * 23',
    [['calculate', { expression: '17 * 23' }]],
    expect.stringContaining('391'),
  ],
  [
    'streamText of the AI SDK, with messages: a call for each clause, in one round',
    streamed,
    'add multiply',
    'Multiply 3 and 4, then multiply 12 by 5.',
    [
      ['multiply', { a: 3, b: 4 }],
      ['multiply', { a: 12, b: 5 }],
    ],
    expect.stringContaining('60'),
  ],
  [
    'runTools of openai: two places in one question are two calls',
    runTools,
    'add get_weather',
    'What is the weather in San Francisco, and in Tokyo?',
    weatherIn('San Francisco', 'Tokyo'),
    expect.stringContaining('Tokyo'),
  ],
  [
    'the tool runner of @anthropic-ai/sdk: one question for two tools',
    toolRunner,
    'get_weather add',
    "What's the weather like in Paris? Also add 15 and 27.",
    [weather('Paris'), ['add', { a: 15, b: 27 }]],
    expect.stringContaining('42'),
  ],
  [
    'createAgent of LangChain, with messages: each clause calls its tool',
    langchain(langchainMessages, toolStrategy),
    'multiply add',
    'First add 21 and 9, then multiply 30 by 6.',
    [
      ['add', { a: 21, b: 9 }],
      ['multiply', { a: 30, b: 6 }],
    ],
    expect.stringContaining('180'),
  ],
])('%s', async (_, agent, names, prompt, calls, end) => {
  const sim = simulator({ clock: 'auto' })
  const working = workingTools(names.split(' '))
  expect(await agent(sim, prompt, working.tools, false)).toEqual(end)
  expect(working.calls).toEqual(calls)
  expect(sim.journal()).toHaveLength(2)
})

it.each<[name: string, agent: Agent]>([
  ['Output.object of the AI SDK, where it is a schema', aiChat],
  ['Output.object of the AI SDK, where it is one more tool', aiMessages],
  ['a response format of openai', runTools],
  ['a tool strategy of LangChain with chat', langchain(langchainChat, toolStrategy)],
  ['a tool strategy of LangChain with messages', langchain(langchainMessages, toolStrategy)],
  ['a provider strategy of LangChain', langchain(langchainChat, providerStrategy)],
])('%s is filled from what a tool returns', async (_, agent) => {
  const sim = simulator({ clock: 'auto' })
  const { tools, calls } = workingTools(['calculate', 'get_weather'])
  const answer = await agent(sim, 'Check the weather in Vienna and report it.', tools, true)
  expect([answer, calls]).toEqual([{ city: 'Vienna', celsius: 21 }, weatherIn('Vienna')])
})

it('a forced choice of the AI SDK ends with the tool that ends', async () => {
  const sim = simulator({ clock: 'auto' })
  const { tools, calls } = workingTools(['get_weather', 'calculate'])
  const done = tool({
    description: 'Signal that you have finished your work',
    inputSchema: z.object({ answer: z.string().describe('The final answer') }),
  }) as ToolSet[string]
  const agent = new ToolLoopAgent({
    model: aiOpenai(wayOf(sim)).chat('gpt-4o'),
    tools: { ...forAiSdk(tools), done },
    toolChoice: 'required',
    stopWhen: [hasToolCall('done'), stopWhen],
  })
  const { toolCalls } = await agent.generate({ prompt: "How's the weather in Lisbon today?" })
  expect(calls).toEqual(weatherIn('Lisbon'))
  expect(toolCalls).toMatchObject([{ toolName: 'done', input: { answer: expect.any(String) } }])
})

it('any of @anthropic-ai/sdk: the tool that looks up, then the one that records, then the caller stops', async () => {
  const { tools, calls } = workingTools(['get_weather'])
  const recorded: unknown[] = []
  const record = betaZodTool({
    name: 'record_summary',
    description: 'Record summary of the weather using well-structured JSON.',
    inputSchema: z.object({ city: z.string(), summary: z.string() }),
    run: (input) => (recorded.push(input), 'recorded'),
  })
  const runner = anthropic(simulator({ clock: 'auto' })).beta.messages.toolRunner({
    ...asking('Is it raining in Hamburg?'),
    max_iterations: 6,
    tool_choice: { type: 'any' },
    tools: [...betaTools(tools), record],
  })
  for await (const message of runner) if (recorded.length > 0 || message.stop_reason === 'end_turn') break
  expect(calls).toEqual(weatherIn('Hamburg'))
  expect(recorded).toEqual([{ city: 'Hamburg', summary: expect.any(String) }])
})
