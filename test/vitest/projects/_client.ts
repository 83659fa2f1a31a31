/** What the tests of the small projects do: calls of a client that knows nothing of simulators. */
import OpenAI from 'openai'
import type { TestSession } from '../../../src/vitest.ts'

/** What the model says, or the status with which it rejects. */
export async function ask(sim: TestSession, content: string, model = 'gpt-4o'): Promise<string> {
  const client = new OpenAI({ ...sim.sdk.openai(), maxRetries: 0 })
  try {
    const { choices } = await client.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    return choices[0]?.message.content ?? ''
  } catch (error) {
    if (error instanceof OpenAI.APIError) return String(error.status)
    throw error
  }
}

/** A scenario with one rule: a model that is overloaded. */
export const overloaded = (id: string, model: string) =>
  ({
    title: `${model} is overloaded`,
    rules: [{ id, when: { operation: 'chat.create', model }, then: { error: { status: 503 } } }],
  }) as const
