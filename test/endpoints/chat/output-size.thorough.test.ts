/** The largest answers of chat: log probabilities for every token of every choice. */
import { expect, it } from 'vitest'
import { limitTraffic } from '../../_setup.ts'
import { asking, chatSimulator, completed } from './_chat.ts'

const long = 'word '.repeat(40_000)

it('likely tokens count too: many choices with all of them end earlier', async () => {
  const sim = chatSimulator()
  limitTraffic(sim, { responseBytes: 64 * 1024 * 1024 })
  const asked = asking(`Say ${long}`, { n: 100, logprobs: true, top_logprobs: 19 })
  const { choices, usage } = await completed(asked, sim)
  expect(usage.completion_tokens).toBe(100 * 300)
  expect(choices[99]?.logprobs?.content).toHaveLength(300)
})
