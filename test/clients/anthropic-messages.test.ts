/**
 * The @anthropic-ai/sdk package: whatever is asked, its stream helper puts together what one body says. What
 * every client does alike is in matrix.test.ts.
 */
import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { simulator } from '../_setup.ts'
import { anthropicVia, ask, mailTool, model, packages, weatherTool } from './_anthropic.ts'
import { clientIntegrations, mswIntegration, rejectionOf } from './_integrations.ts'

const person = z.object({ name: z.string(), age: z.number().int() })
const ada = { name: 'Ada Lovelace', age: 36 }
const tools = [weatherTool, mailTool]
const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
const thought = {
  type: 'thinking',
  thinking: expect.stringContaining('Paris'),
  signature: expect.stringMatching(/=$/),
}
const weatherOf = (city: string) => ({
  type: 'tool_use',
  id: expect.stringMatching(/^toolu_/),
  name: 'get_weather',
  input: { city },
})
const trip = {
  name: 'plan_trip',
  description: 'Plans a trip',
  input_schema: { type: 'object' as const, properties: { to: { const: 'Rome' } }, required: ['to'] },
}

/** What is asked beside a prompt, and the end of its answer. */
const questions: readonly (readonly [string, Partial<Anthropic.MessageCreateParamsNonStreaming>, object])[] =
  [
    [
      'a text',
      { ...ask('Say "hello there"'), system: 'Be short.' },
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text: 'hello there' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { output_tokens: 2 },
      },
    ],
    [
      'two tool calls',
      { ...ask('What is the weather in Paris and London?'), tools },
      { stop_reason: 'tool_use', content: [weatherOf('Paris'), weatherOf('London')] },
    ],
    [
      'a thought and a tool call',
      { ...ask('What is the weather in Paris?'), max_tokens: 2000, thinking, tools },
      { content: [thought, weatherOf('Paris')] },
    ],
    [
      'a tool call that a limit cuts',
      { ...ask('Plan a trip'), max_tokens: 8, tools: [trip], tool_choice: { type: 'any' } },
      { stop_reason: 'max_tokens', content: [{ type: 'tool_use', name: 'plan_trip', input: {} }] },
    ],
  ]

/** Without the ids, which differ. */
const compared = (content: readonly object[]): unknown =>
  JSON.parse(JSON.stringify(content), (key, value: unknown) => (key === 'id' ? undefined : value))

for (const { version, Sdk, zodOutputFormat, betaZodTool } of packages) {
  describe.each([...clientIntegrations, mswIntegration])(
    `@anthropic-ai/sdk ${version}, through $name`,
    (integration) => {
      it.each(questions)('gets %s, and the same from the stream helper', async (_, asked, expected) => {
        const sim = simulator({ clock: 'auto' })
        const client = await anthropicVia(Sdk, integration, sim)
        const question = asked as Anthropic.MessageCreateParamsNonStreaming
        const plain = await client.messages.create(question)
        expect(plain).toMatchObject(expected)
        expect(plain._request_id).toBe(sim.journal()[0]?.cause.requestId)
        const stream = client.messages.stream(question)
        const streamed = await stream.finalMessage()
        expect(compared(streamed.content)).toEqual(compared(plain.content))
        expect([streamed.stop_reason, streamed.usage]).toEqual([plain.stop_reason, plain.usage])
        expect(stream.request_id).toBe(sim.journal()[1]?.cause.requestId)
      })
    },
  )

  describe.each(clientIntegrations)(
    `@anthropic-ai/sdk ${version}, what its helpers do, through $name`,
    (integration) => {
      it('the stream helper throws what went wrong, with what had come', async () => {
        const { messages } = await anthropicVia(Sdk, integration)
        const counted = ask('Say "one two three"')
        const failed = messages.stream({ ...counted, model: 'sim-error-after-4' })
        expect(await rejectionOf(failed.finalMessage())).toMatchObject({
          error: { error: { type: 'api_error' } },
        })
        expect(failed.currentMessage?.content).toMatchObject([{ type: 'text', text: 'one' }])
        const endless = messages.stream({ ...counted, model: 'sim-missing-end' })
        expect(await rejectionOf(endless.finalMessage())).toBeInstanceOf(Sdk.AnthropicError)
      })

      it('the tool runner runs functions to the end', async () => {
        const sim = simulator({ clock: 'auto' })
        const client = await anthropicVia(Sdk, integration, sim)
        const tool = betaZodTool({
          name: 'get_weather',
          description: 'Looks up the weather of a city',
          inputSchema: z.object({ city: z.string() }),
          run: ({ city }) => `${city.length} degrees`,
        })
        const question = { ...ask('What is the weather in Paris and London?'), tools: [tool] }
        const { content } = await client.beta.messages.toolRunner(question)
        expect(JSON.stringify(content)).toMatch(/returned: 5 degrees.*returned: 6 degrees/)
        // Today's package asks for a thread first, and goes on without one when it hears that there are none.
        const [statuses, path] =
          version === '1.x' ? [[400, 200, 200], '/v1/messages'] : [[200, 200], '/v1/messages?beta=true']
        expect(sim.journal().map((entry) => [entry.response?.status, entry.request.url])).toEqual(
          statuses.map((status) => [status, path]),
        )
      })

      it('messages.parse and a parsed stream give what the zod schema says', async () => {
        const client = await anthropicVia(Sdk, integration)
        const question = {
          ...ask('My name is Ada Lovelace, I am 36 years old.'),
          output_config: { format: zodOutputFormat(person) },
        }
        expect((await client.messages.parse(question)).parsed_output).toEqual(ada)
        expect((await client.messages.stream(question).finalMessage()).parsed_output).toEqual(ada)
      })

      it('takes its thinking back', async () => {
        const client = await anthropicVia(Sdk, integration)
        const question = { ...ask('What is the weather in Paris?'), max_tokens: 2000, thinking, tools }
        const { content } = await client.messages.create(question)
        const { id } = content[1] as Anthropic.ToolUseBlock
        const answer = await client.messages.create({
          ...question,
          messages: [
            ...question.messages,
            { role: 'assistant', content },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] },
          ],
        })
        expect(answer.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
      })
    },
  )
}

describe('@anthropic-ai/sdk, what is sent', () => {
  it.each([
    ['1.x', 'authorization', '2026-10-21'],
    ['0.x', 'x-api-key', '2023-06-01'],
  ])('%s sends its key in %s and the version %s', async (version, header, date) => {
    const { Sdk } = packages.find((one) => one.version === version) as (typeof packages)[number]
    const sim = simulator({ clock: 'auto' })
    let sent = new Headers()
    const client = new Sdk({
      apiKey: 'sk-test',
      baseURL: 'http://gateway.test',
      fetch: (url: string | URL | Request, init?: RequestInit) => {
        sent = new Headers(init?.headers)
        return sim.fetch(url, init)
      },
    })
    expect((await client.messages.create(ask('Say "done"'))).content).toMatchObject([{ text: 'done' }])
    expect(['authorization', 'x-api-key'].filter((name) => sent.has(name))).toEqual([header])
    expect(sent.get('anthropic-version')).toBe(date)
  })
})
