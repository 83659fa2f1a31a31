/**
 * The openai package, structured output: zod schemas parsed by the client, refusals, and answers that broke
 * off.
 */
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/error'
import { zodResponseFormat } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { clientIntegrations, rejectionOf } from './_integrations.ts'
import { ask, only, openaiVia } from './_openai.ts'

const model = 'gpt-4o'
const person = z.object({
  name: z.string(),
  age: z.number().int().min(0).max(120),
  hobbies: z.array(z.string()).min(1).max(4),
  level: z.enum(['beginner', 'expert']),
  address: z.object({ city: z.string(), zip: z.string().regex(/^\d{5}$/) }).nullable(),
})
const messages = ask('My name is Ada Lovelace, I am 36 years old, an expert, and live in London.')

for (const integration of clientIntegrations) {
  describe(`openai structured output, through ${integration.name}`, () => {
    it('parses into the type of the schema, with what the prompt says', async () => {
      const client = await openaiVia(integration)
      const { message, finish_reason } = only(
        await client.chat.completions.parse({
          model,
          messages,
          response_format: zodResponseFormat(person, 'person'),
        }),
      )
      expect(finish_reason).toBe('stop')
      expect(message.refusal).toBeNull()
      expect(person.parse(message.parsed)).toEqual(message.parsed)
      expect(message.parsed).toMatchObject({
        name: 'Ada Lovelace',
        age: 36,
        level: 'expert',
        address: { city: 'London' },
      })
    })

    it('streams the same object, and partial ones on the way', async () => {
      const client = await openaiVia(integration)
      const question = { model, messages, response_format: zodResponseFormat(person, 'person') }
      const plain = only(await client.chat.completions.parse(question)).message.parsed
      const partial: unknown[] = []
      const stream = client.chat.completions
        .stream(question)
        .on('content.delta', ({ parsed }) => void partial.push(structuredClone(parsed)))
      const { parsed } = only(await stream.finalChatCompletion()).message
      expect(parsed).toEqual(plain)
      expect(partial.length).toBeGreaterThan(5)
      expect(partial.at(-1)).toEqual(plain)
      expect(partial).toContainEqual({ name: 'Ada Lovelace' })
    })

    it('follows a recursive schema', async () => {
      interface Comment {
        text: string
        responses: Comment[]
      }
      const comment: z.ZodType<Comment> = z.lazy(() =>
        z.object({ text: z.string(), responses: z.array(comment) }),
      )
      const thread = z.object({ title: z.string(), comments: z.array(comment) })
      const client = await openaiVia(integration)
      const { parsed } = only(
        await client.chat.completions.parse({
          model,
          messages: ask('A thread about foxes'),
          response_format: zodResponseFormat(thread, 'thread'),
        }),
      ).message
      expect(thread.parse(parsed)).toEqual(parsed)
    })

    it('rejects in the place of an answer', async () => {
      const client = await openaiVia(integration)
      const question = {
        model: 'sim-refusal',
        messages,
        response_format: zodResponseFormat(person, 'person'),
      }
      const rejected = {
        finish_reason: 'stop',
        message: { content: null, parsed: null, refusal: "I'm sorry, but I can't help with that." },
      }
      expect(only(await client.chat.completions.parse(question))).toMatchObject(rejected)
      const said: string[] = []
      const stream = client.chat.completions
        .stream(question)
        .on('refusal.delta', ({ delta }) => void said.push(delta))
      expect(only(await stream.finalChatCompletion()).message.refusal).toBe(rejected.message.refusal)
      expect(said.join('')).toBe(rejected.message.refusal)
    })

    for (const [reserved, thrown] of [
      ['sim-length', LengthFinishReasonError],
      ['sim-content-filter', ContentFilterFinishReasonError],
    ] as const) {
      it(`throws ${thrown.name} for ${reserved}, plain and streamed`, async () => {
        const client = await openaiVia(integration)
        const question = { model: reserved, messages, response_format: zodResponseFormat(person, 'person') }
        expect(await rejectionOf(client.chat.completions.parse(question))).toBeInstanceOf(thrown)
        expect(
          await rejectionOf(client.chat.completions.stream(question).finalChatCompletion()),
        ).toBeInstanceOf(thrown)
      })
    }

    it('throws LengthFinishReasonError at a real token limit', async () => {
      const client = await openaiVia(integration)
      const cut = client.chat.completions.parse({
        model,
        messages,
        max_completion_tokens: 5,
        response_format: zodResponseFormat(person, 'person'),
      })
      expect(await rejectionOf(cut)).toBeInstanceOf(LengthFinishReasonError)
    })
  })
}
