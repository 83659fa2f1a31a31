/**
 * Bounds of a zod schema that SDKs move into descriptions, because the service takes them as no keywords: the
 * answer obeys them, as that of chat does, so that what the client parses is valid.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { generateObject } from 'ai'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { simulator } from '../../_setup.ts'
import { messageOf, request } from './_messages.ts'

const text = () => z.string()
const prompt = 'Tell me about foxes'
const key = { apiKey: 'sk-test', maxRetries: 0 }
const fetchOf = () => simulator({ clock: 'auto' }).fetch as typeof fetch

it.each<[string, z.ZodType]>([
  ['items', z.array(z.number()).min(10).max(12)],
  ['length', text().length(33)],
  ['regex with quotes and commas', text().regex(/^"a, b: c"; d: [0-9]\.$/)],
  ['startsWith', text().startsWith('ord_')],
  ['exclusive bounds', z.number().gt(0).lt(0.01)],
  ['multipleOf', z.number().multipleOf(7).min(50)],
  ['a description of its own', text().length(9).describe('What it is called, e.g. Paris.')],
  ['inside a union', z.union([z.int().min(500), z.object({ code: text().length(12) })])],
  ['the name of a keyword', z.object({ description: text().min(60) })],
])('bounds obeyed for @anthropic-ai/sdk and the AI SDK: %s', async (_, value) => {
  const schema = z.object({ value })
  const sdk = new Anthropic({ ...key, baseURL: 'http://gateway.test', fetch: fetchOf() })
  const { parsed_output } = await sdk.messages.parse({
    model: 'claude-opus-4-9',
    max_tokens: 4000,
    messages: [{ role: 'user', content: prompt }],
    output_config: { format: zodOutputFormat(schema) },
  })
  expect(schema.parse(parsed_output)).toBeDefined()
  const provider = createAnthropic({ apiKey: 'sk-test', baseURL: 'http://a.test/v1', fetch: fetchOf() })
  const model = provider('claude-sonnet-4-5')
  const asked = { model, schema, prompt, maxOutputTokens: 4000, maxRetries: 0 }
  const { object } = await generateObject(asked)
  expect(schema.parse(object)).toEqual(object)
})

it.each(['{pattern: "("}', '{minLength: "many"}', 'minimum: 3; because I say so.', '{}'])(
  'a description that cannot be followed is a description: %s',
  async (description) => {
    const properties = { a: { type: 'string', description } }
    const schema = { type: 'object', properties, required: ['a'] }
    const output_config = { format: { type: 'json_schema', schema } }
    const { content } = await messageOf(simulator(), request(prompt, { output_config }))
    expect(JSON.parse(content[0]?.text ?? '')).toEqual({ a: expect.any(String) as string })
  },
)
