/**
 * The openai package, tools: chosen, forced, several at once, streamed, and the loop that runs real
 * functions.
 */
import { zodFunction } from 'openai/helpers/zod'
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { simulator } from '../_setup.ts'
import { clientIntegrations } from './_integrations.ts'
import { ask, mailTool, only, openaiVia, weatherTool } from './_openai.ts'

const model = 'gpt-4o'
const tools = [weatherTool, mailTool]
const paris = {
  id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
}

for (const integration of clientIntegrations) {
  describe(`openai tools, through ${integration.name}`, () => {
    it('auto: calls the tool that the prompt is about, and none for a prompt that is about nothing', async () => {
      const client = await openaiVia(integration)
      const called = only(
        await client.chat.completions.create({
          model,
          tools,
          messages: ask('What is the weather in Paris?'),
        }),
      )
      expect(called).toMatchObject({
        finish_reason: 'tool_calls',
        message: { role: 'assistant', content: null, tool_calls: [paris] },
      })
      const talked = only(await client.chat.completions.create({ model, tools, messages: ask('Say "hi"') }))
      expect(talked).toMatchObject({ finish_reason: 'stop', message: { content: 'hi' } })
      expect(talked.message).not.toHaveProperty('tool_calls')
    })

    it('makes two calls for two places, one when parallel calls are off', async () => {
      const client = await openaiVia(integration)
      const question = { model, tools, messages: ask('What is the weather in Paris and London?') }
      const { message } = only(await client.chat.completions.create(question))
      expect(message.tool_calls?.map((call) => call.type === 'function' && call.function.arguments)).toEqual([
        '{"city":"Paris"}',
        '{"city":"London"}',
      ])
      expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(2)
      expect(
        only(await client.chat.completions.create({ ...question, parallel_tool_calls: false })).message
          .tool_calls,
      ).toHaveLength(1)
    })

    it('streams calls: the helper puts together the ones that the plain body has', async () => {
      const client = await openaiVia(integration)
      const question = { model, tools, messages: ask('What is the weather in Paris and London?') }
      const deltas: Record<number, string> = {}
      const done: string[] = []
      const stream = client.chat.completions
        .stream(question)
        .on(
          'tool_calls.function.arguments.delta',
          ({ index, arguments_delta }) => void (deltas[index] = `${deltas[index] ?? ''}${arguments_delta}`),
        )
        .on(
          'tool_calls.function.arguments.done',
          ({ name, index, arguments: whole }) => void done.push(`${index} ${name} ${whole}`),
        )
      const streamed = only(await stream.finalChatCompletion())
      expect(streamed).toMatchObject({
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [
            paris,
            { ...paris, function: { name: 'get_weather', arguments: '{"city":"London"}' } },
          ],
        },
      })
      expect(deltas).toEqual({ 0: '{"city":"Paris"}', 1: '{"city":"London"}' })
      expect(done).toEqual(['0 get_weather {"city":"Paris"}', '1 get_weather {"city":"London"}'])
      expect(await stream.finalFunctionToolCall()).toMatchObject({
        name: 'get_weather',
        arguments: '{"city":"London"}',
      })
    })

    it('parses the arguments of a zod function', async () => {
      const client = await openaiVia(integration)
      const search = zodFunction({
        name: 'search_flights',
        description: 'Searches flights',
        parameters: z.object({
          destination: z.string(),
          passengers: z.number().int().min(1).max(9),
          cabin: z.enum(['economy', 'business']),
        }),
      })
      const completion = await client.chat.completions.parse({
        model,
        tools: [search],
        tool_choice: 'required',
        messages: ask('Search business flights to Rome for 3 passengers'),
      })
      expect(only(completion).message.tool_calls?.[0]?.function.parsed_arguments).toEqual({
        destination: 'Rome',
        passengers: 3,
        cabin: 'business',
      })
    })

    for (const stream of [false, true]) {
      it(`runs the tool loop to the final answer, ${stream ? 'streamed' : 'in plain bodies'}`, async () => {
        const sim = simulator({ clock: 'auto' })
        const client = await openaiVia(integration, sim)
        const asked: string[] = []
        const runnable: RunnableToolFunctionWithParse<{ city: string }> = {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Looks up the weather of a city',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            parse: (text) => JSON.parse(text) as { city: string },
            function({ city }) {
              asked.push(city)
              return `${city.length} degrees in ${city}`
            },
          },
        }
        const question = {
          model,
          messages: ask('What is the weather in Paris and London?'),
          tools: [runnable],
        }
        const runner = stream
          ? client.chat.completions.runTools({ ...question, stream: true })
          : client.chat.completions.runTools(question)
        const answer = await runner.finalContent()
        expect(asked).toEqual(['Paris', 'London'])
        expect(answer).toContain('get_weather returned: 5 degrees in Paris')
        expect(answer).toContain('get_weather returned: 6 degrees in London')
        expect(runner.messages.map(({ role }) => role)).toEqual([
          'user',
          'assistant',
          'tool',
          'tool',
          'assistant',
        ])
        expect(sim.journal().map(({ operation, status }) => `${operation} ${status}`)).toEqual([
          'chat.create 200',
          'chat.create 200',
        ])
      })
    }
  })
}
