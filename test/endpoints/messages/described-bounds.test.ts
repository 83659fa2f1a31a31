/**
 * Bounds of a zod schema that SDKs move into descriptions, because the service takes them as no keywords: the
 * answer obeys them, as that of chat does, so that what the client parses is valid.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import Yesterday from '@anthropic-ai/sdk-0'
import { zodOutputFormat as zodOutputFormatOfYesterday } from '@anthropic-ai/sdk-0/helpers/zod'
import { generateObject } from 'ai'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { simulator } from '../../_setup.ts'
import { messageOf, request } from './_messages.ts'

// Anew each time: a schema that is used twice is sent by reference, and the SDK drops what stands beside it.
const text = () => z.string()
const cases: Readonly<Record<string, z.ZodType>> = {
  'array min(5)': z.array(text()).min(5),
  'array min and max': z.array(z.number()).min(10).max(12),
  'string min': text().min(120),
  'string max': text().min(3).max(6),
  'string length': text().length(33),
  regex: text().regex(/^[A-Z]{2}-\d{4}$/),
  'regex with quotes and commas': text().regex(/^"a, b: c"; d: [0-9]\.$/),
  startsWith: text().startsWith('ord_'),
  'number bounds': z.number().min(7.5).max(7.75),
  exclusive: z.number().gt(0).lt(0.01),
  int: z.int().min(1990).max(1993),
  multipleOf: z.number().multipleOf(7).min(50),
  'with a description': text().length(9).describe('What it is called, e.g. Paris.'),
  'inside a list': z.array(z.object({ code: text().regex(/^\d{6}$/) })).min(3),
  'inside a union': z.union([z.int().min(500), z.object({ code: text().length(12) })]),
  nullable: text().length(21).nullable(),
  'a name of a keyword': z.object({ description: text().min(60), items: z.array(text()).length(2) }),
}
const words = 'Tell me about foxes'
const key = { apiKey: 'sk-test', maxRetries: 0 }
const fetchOf = () => simulator({ clock: 'auto' }).fetch as typeof fetch

describe.each(Object.entries(cases))('%s', (_, value) => {
  const schema = z.object({ value })
  const message = (Sdk: typeof Anthropic, format: typeof zodOutputFormat) =>
    new Sdk({ ...key, baseURL: 'http://gateway.test', fetch: fetchOf() }).messages.parse({
      model: 'claude-opus-4-9',
      max_tokens: 4000,
      messages: [{ role: 'user', content: words }],
      output_config: { format: format(schema) },
    })

  it('messages.parse() of @anthropic-ai/sdk', async () => {
    expect(schema.parse((await message(Anthropic, zodOutputFormat)).parsed_output)).toBeDefined()
    const { parsed_output } = await message(
      Yesterday as unknown as typeof Anthropic,
      zodOutputFormatOfYesterday as unknown as typeof zodOutputFormat,
    )
    expect(schema.parse(parsed_output)).toBeDefined()
  })

  it('generateObject() of the AI SDK', async () => {
    const anthropic = createAnthropic({ apiKey: 'sk-test', baseURL: 'http://a.test/v1', fetch: fetchOf() })
    const { object } = await generateObject({
      model: anthropic('claude-sonnet-4-5'),
      schema,
      prompt: words,
      maxOutputTokens: 4000,
      maxRetries: 0,
    })
    expect(schema.parse(object)).toEqual(object)
  })

  it('chat.completions.parse() of openai', async () => {
    const { choices } = await new OpenAI({
      ...key,
      baseURL: 'http://gateway.test/v1',
      fetch: fetchOf(),
    }).chat.completions.parse({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: words }],
      response_format: zodResponseFormat(schema, 'answer'),
    })
    expect(schema.parse(choices[0]?.message.parsed)).toBeDefined()
  })
})

async function inShape(schema: object): Promise<unknown> {
  const output_config = { format: { type: 'json_schema', schema } }
  const { content } = await messageOf(simulator(), request(words, { output_config }))
  return JSON.parse(content[0]?.text ?? '')
}

it('bounds in the words of the Python SDK, which has no quotes', async () => {
  const schema = {
    type: 'object',
    properties: {
      code: { type: 'string', description: 'A code\n\n{minLength: 4, pattern: ^x+$, maxLength: 5}' },
      list: { type: 'array', items: { type: 'integer' }, description: '{minItems: 4, uniqueItems: true}' },
    },
    required: ['code', 'list'],
  }
  const { code, list } = (await inShape(schema)) as { code: string; list: number[] }
  expect([code, new Set(list).size >= 4]).toEqual([expect.stringMatching(/^x{4,5}$/), true])
})

it.each([
  '{pattern: "("}',
  '{minLength: "many"}',
  'minimum: 3; because I say so.',
  '{minLength: 1, whatever}',
  '{}',
  '.',
])('a description that cannot be followed is a description: %s', async (description) => {
  const properties = { a: { type: 'string', description } }
  expect(await inShape({ type: 'object', properties, required: ['a'] })).toEqual({
    a: expect.any(String) as string,
  })
})

it.each(['tool_search_tool_bm25_20251119', 'web_search_20250305', 'text_editor_20250728'])(
  'the dated type of a tool of the service may have digits in its name: %s',
  async (type) => {
    const { stop_reason } = await messageOf(simulator(), request('Hi', { tools: [{ type, name: 'a' }] }))
    expect(stop_reason).toBe('end_turn')
  },
)
