/** Agents of LangChain with no scenario at all: they end, with tools called and the answer structured. */
import { createAgent, providerStrategy, tool, toolStrategy } from 'langchain'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Simulator } from '../../src/index.ts'
import { simulator } from '../_setup.ts'
import { modelCalls, type PlainTool, workingTools } from './_agents.ts'
import { langchainAnthropic, langchainOpenai } from './_models.ts'

const url = 'http://gateway.test'
const chat = (sim: Simulator) => langchainOpenai({ url, fetch: sim.fetch as typeof fetch }, 'gpt-4o')
const messages = (sim: Simulator) =>
  langchainAnthropic({ url, fetch: sim.fetch as typeof fetch }, 'claude-3-5-sonnet-20241022')
const forLangchain = (tools: readonly PlainTool[]) =>
  tools.map(({ name, description, schema, run }) =>
    tool((input) => JSON.stringify(run(input as Record<string, unknown>)), { name, description, schema }),
  )
// As many steps as six calls of the model and of tools take.
const within = { recursionLimit: 13 }
const asks = (content: string) => ({ messages: [{ role: 'user', content }] })

const report = z.object({ city: z.string(), celsius: z.number() })

describe('createAgent', () => {
  it('a tool strategy, which forces a choice at every turn, ends in the structured answer', async () => {
    for (const model of [chat, messages]) {
      const sim = simulator({ clock: 'auto' })
      const { tools, calls } = workingTools('calculate', 'get_weather')
      const agent = createAgent({
        model: model(sim),
        tools: forLangchain(tools),
        responseFormat: toolStrategy(report),
      })
      const { structuredResponse } = await agent.invoke(asks('What is the weather in Oslo?'), within)
      expect([calls, structuredResponse]).toEqual([
        [['get_weather', { city: 'Oslo' }]],
        { city: 'Oslo', celsius: 21 },
      ])
      expect(modelCalls(sim)).toBe(2)
    }
  })

  it('a provider strategy: tools first, then the schema', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('get_weather', 'add')
    const agent = createAgent({
      model: chat(sim),
      tools: forLangchain(tools),
      responseFormat: providerStrategy(report),
    })
    const { structuredResponse } = await agent.invoke(asks("How's the weather in Cairo?"), within)
    expect([calls, structuredResponse]).toEqual([
      [['get_weather', { city: 'Cairo' }]],
      { city: 'Cairo', celsius: 21 },
    ])
  })

  it('each clause of the request calls its tool, in one round', async () => {
    const sim = simulator({ clock: 'auto' })
    const { tools, calls } = workingTools('multiply', 'add')
    const agent = createAgent({ model: messages(sim), tools: forLangchain(tools) })
    const { messages: said } = await agent.invoke(asks('First add 21 and 9, then multiply 30 by 6.'), within)
    expect(calls).toEqual([
      ['add', { a: 21, b: 9 }],
      ['multiply', { a: 30, b: 6 }],
    ])
    expect(said.at(-1)?.text).toContain('180')
    expect(modelCalls(sim)).toBe(2)
  })
})
