import { expect, test } from 'gateway-sim/vitest'
import OpenAI from 'openai'

test('answers', async ({ sim }) => {
  const messages = [{ role: 'user', content: 'Reply with exactly: pong' }]
  const { choices } = await new OpenAI(sim.sdk.openai()).chat.completions.create({
    model: 'gpt-4o',
    messages,
  })
  expect(choices[0].message.content).toBe('pong')
  await expect(sim).toBeWellBehaved()
})
