/** The largest answers of chat: log probabilities for every token of every choice. */
import { expect, it } from 'vitest'
import { asking, chatSimulator, completed } from './_chat.ts'

const long = 'word '.repeat(40_000)

it('likely tokens count too: many choices with all of them end earlier', async () => {
  const { choices, usage } = await completed(
    asking(`Say ${long}`, { n: 100, logprobs: true, top_logprobs: 19 }),
    chatSimulator({ settings: { traffic: { responseBytes: 64 * 1024 * 1024 } } }),
  )
  expect(usage.completion_tokens).toBe(100 * 300)
  expect(choices[99]?.logprobs?.content).toHaveLength(300)
})
