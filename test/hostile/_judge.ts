/**
 * What every hostile request must get: a planned status, a readable refusal, and a simulator that goes on
 * answering.
 */
import { expect } from 'vitest'
import type { Simulator, SimulatorOptions } from '../../src/index.ts'
import { simulator } from '../_setup.ts'
import { type Answer, problemOf } from './_envelope.ts'

export { type Answer, planned, problemOf } from './_envelope.ts'

/** Reads a response whole. */
export async function answerOf(response: Response): Promise<Answer> {
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await textOf(response),
  }
}

/** The text, or the beginning of the feed of events, which never ends. */
async function textOf(response: Response): Promise<string> {
  const isFeed = response.headers.get('cache-control') === 'no-cache, no-transform'
  if (!isFeed || response.body === null) return response.text()
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

/** Reads a response and holds it against the plan. */
export async function judged(response: Response, what: string): Promise<Answer> {
  const answer = await answerOf(response)
  expect(problemOf(answer, what)).toBeUndefined()
  return answer
}

export type Target = Simulator & { readonly warnings: string[] }

/**
 * A simulator for hostile requests: nobody moves time, nothing waits, and limits do not hide what lies behind
 * them.
 */
export function target(options: SimulatorOptions = {}): Target {
  return simulator({
    clock: 'auto',
    ...options,
    settings: { ...options.settings, limits: { activeImageJobs: 1_000_000, ...options.settings?.limits } },
  })
}

const goodBody = JSON.stringify({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Still there?' }],
})

/** The good call that must work whatever came before it. */
export async function stillAnswers(call: typeof fetch, url: string): Promise<void> {
  const response = await call(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-good', 'content-type': 'application/json' },
    body: goodBody,
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ object: 'chat.completion' })
  expect(polluted(), 'Object.prototype').toEqual([])
}

const original = new Set(Reflect.ownKeys(Object.prototype))

/** What somebody has put into Object.prototype. */
function polluted(): PropertyKey[] {
  return Reflect.ownKeys(Object.prototype).filter((key) => !original.has(key))
}
