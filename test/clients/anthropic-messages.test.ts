/** The @anthropic-ai/sdk package: messages, streams, thinking, tools, parsed answers. */
import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { simulator } from '../_setup.ts'
import { anthropicVia, ask, mailTool, model, packages, weatherTool } from './_anthropic.ts'
import { clientIntegrations, mswIntegration } from './_integrations.ts'

const person = z.object({ name: z.string(), age: z.number().int() })
const ada = { name: 'Ada Lovelace', age: 36 }
const tools = [weatherTool, mailTool]

for (const { version, Sdk, zodOutputFormat, betaZodTool } of packages) {
  for (const integration of [...clientIntegrations, mswIntegration]) {
    describe(`@anthropic-ai/sdk ${version}, through ${integration.name}`, () => {
      it('messages.create', async () => {
        const sim = simulator({ clock: 'auto' })
        const client = await anthropicVia(Sdk, integration, sim)
        const message = await client.messages.create({ ...ask('Say "hello there"'), system: 'Be short.' })
        expect(message).toMatchObject({
          id: expect.stringMatching(/^msg_/),
          type: 'message',
          role: 'assistant',
          model,
          content: [{ type: 'text', text: 'hello there' }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { output_tokens: 2 },
        })
        expect(message._request_id).toBe(sim.journal()[0]?.requestId)
        expect(sim.journal()[0]).toMatchObject({ operation: 'messages.create', status: 200 })
      })

      it('messages.create with stream: true', async () => {
        const client = await anthropicVia(Sdk, integration)
        const types: string[] = []
        let text = ''
        for await (const event of await client.messages.create({
          ...ask('Say "one two three"'),
          stream: true,
        })) {
          types.push(event.type)
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
            text += event.delta.text
        }
        // The package keeps pings to itself.
        expect(types).toEqual([
          ...['message_start', 'content_block_start', ...Array(3).fill('content_block_delta')],
          ...['content_block_stop', 'message_delta', 'message_stop'],
        ])
        expect(text).toBe('one two three')
      })

      it('messages.stream: what create gives, under an id of its own', async () => {
        const client = await anthropicVia(Sdk, integration)
        const plain = await client.messages.create(ask('Tell me about foxes'))
        const chunks: string[] = []
        const stream = client.messages
          .stream(ask('Tell me about foxes'))
          .on('text', (chunk) => void chunks.push(chunk))
        const { id, content, stop_reason, usage } = await stream.finalMessage()
        expect(content).toMatchObject(plain.content)
        expect([stop_reason, usage]).toEqual([plain.stop_reason, plain.usage])
        expect(id).not.toBe(plain.id)
        expect([chunks.join(''), await stream.finalText()]).toEqual([
          (plain.content[0] as Anthropic.TextBlock).text,
          chunks.join(''),
        ])
        expect(stream.request_id).toMatch(/^req_/)
      })
    })
  }

  for (const integration of clientIntegrations) {
    describe(`@anthropic-ai/sdk ${version} tools and shapes, through ${integration.name}`, () => {
      it('calls tools, plain and streamed alike', async () => {
        const client = await anthropicVia(Sdk, integration)
        const question = { ...ask('What is the weather in Paris and London?'), tools }
        const plain = await client.messages.create(question)
        expect(plain.stop_reason).toBe('tool_use')
        expect(plain.content).toEqual(
          ['Paris', 'London'].map((city) => ({
            type: 'tool_use',
            id: expect.stringMatching(/^toolu_/),
            name: 'get_weather',
            input: { city },
          })),
        )
        const inputs: unknown[] = []
        const streamed = await client.messages
          .stream(question)
          .on('inputJson', (_, snapshot) => void inputs.push(snapshot))
          .finalMessage()
        expect(streamed.content).toMatchObject([
          { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } },
          { type: 'tool_use', name: 'get_weather', input: { city: 'London' } },
        ])
        expect(inputs).toContainEqual({ city: 'Paris' })
      })

      it('puts a cut call together as the plain body has it, wherever it is cut', async () => {
        const client = await anthropicVia(Sdk, integration)
        const trip = {
          name: 'plan_trip',
          description: 'Plans a trip',
          input_schema: {
            type: 'object' as const,
            properties: { to: { const: 'Rome' }, days: { const: [1, 20] }, cheap: { const: true } },
            required: ['to', 'days', 'cheap'],
          },
        }
        const question = { ...ask('Plan a trip'), tools: [trip], tool_choice: { type: 'any' as const } }
        const whole = await client.messages.create(question)
        expect(whole.content).toMatchObject([{ input: { to: 'Rome', days: [1, 20], cheap: true } }])
        for (let max_tokens = 1; max_tokens < whole.usage.output_tokens; max_tokens++) {
          const plain = await client.messages.create({ ...question, max_tokens })
          const streamed = await client.messages.stream({ ...question, max_tokens }).finalMessage()
          expect(plain.stop_reason).toBe('max_tokens')
          // The SDK completes the cut JSON of a stream; the plain body has no input then.
          expect(inputsOf(streamed).length).toBe(inputsOf(plain).length)
        }
      })

      it('the tool runner runs functions to the end', async () => {
        const sim = simulator({ clock: 'auto' })
        const client = await anthropicVia(Sdk, integration, sim)
        const asked: string[] = []
        const tool = betaZodTool({
          name: 'get_weather',
          description: 'Looks up the weather of a city',
          inputSchema: z.object({ city: z.string() }),
          run({ city }) {
            asked.push(city)
            return `${city.length} degrees`
          },
        })
        const final = await client.beta.messages.toolRunner({
          ...ask('What is the weather in Paris and London?'),
          tools: [tool],
        })
        expect(asked).toEqual(['Paris', 'London'])
        expect(final.content).toMatchObject([
          {
            type: 'text',
            text: expect.stringMatching(/get_weather returned: 5 degrees\nget_weather returned: 6 degrees$/),
          },
        ])
        // Today's package asks for a thread first, and goes on without one when it hears that there are none.
        expect(sim.journal().map(({ status }) => status)).toEqual(
          version === '1.x' ? [400, 200, 200] : [200, 200],
        )
        expect(new Set(sim.journal().map(({ path }) => path))).toEqual(
          new Set([version === '1.x' ? '/v1/messages' : '/v1/messages?beta=true']),
        )
      })

      it('messages.parse and a parsed stream give what the zod schema says', async () => {
        const client = await anthropicVia(Sdk, integration)
        const question = {
          ...ask('My name is Ada Lovelace, I am 36 years old.'),
          output_config: { format: zodOutputFormat(person) },
        }
        const { parsed_output, content } = await client.messages.parse(question)
        expect(parsed_output).toEqual(ada)
        expect(JSON.parse((content[0] as Anthropic.TextBlock).text)).toEqual(ada)
        expect((await client.messages.stream(question).finalMessage()).parsed_output).toEqual(ada)
      })

      it('thinks when asked, and takes its thinking back', async () => {
        const client = await anthropicVia(Sdk, integration)
        const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
        const question = { ...ask('What is the weather in Paris?'), max_tokens: 2000, thinking, tools }
        const plain = await client.messages.create(question)
        expect(plain.content).toEqual([
          {
            type: 'thinking',
            thinking: expect.stringContaining('Paris'),
            signature: expect.stringMatching(/=$/),
          },
          { type: 'tool_use', id: expect.any(String), name: 'get_weather', input: { city: 'Paris' } },
        ])
        const thoughts: string[] = []
        const stream = client.messages
          .stream(question)
          .on('thinking', (thought) => void thoughts.push(thought))
        const streamed = await stream.finalMessage()
        expect(streamed.content[0]).toMatchObject(plain.content[0] as object)
        expect(thoughts.join('')).toBe((plain.content[0] as Anthropic.ThinkingBlock).thinking)
        const id = (plain.content[1] as Anthropic.ToolUseBlock).id
        const answer = await client.messages.create({
          ...question,
          messages: [
            ...question.messages,
            { role: 'assistant', content: plain.content },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] },
          ],
        })
        expect(answer.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
      })
    })
  }
}

const inputsOf = ({
  content,
}: {
  readonly content: readonly { readonly type: string; readonly input?: unknown }[]
}): unknown[] => content.map(({ type, input }) => [type, input])
