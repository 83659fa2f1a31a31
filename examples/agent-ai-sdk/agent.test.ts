import { createOpenAI } from '@ai-sdk/openai'
import { expect, test } from 'gateway-sim/vitest'
import { support } from './agent.js'

/** A shop with one order, and a list of its refunds. */
function shop() {
  const refunds: [string, number][] = []
  return {
    refunds,
    findOrder: async () => ({ status: 'late', total: 80 }),
    refund: async (number: string, amount: number) => void refunds.push([number, amount]),
  }
}

test.scenario('scenarios/refund.yaml')('finds the order, then refunds it', async ({ sim }) => {
  const model = createOpenAI(sim.sdk.aiSdkOpenai()).chat('gpt-4o')
  const store = shop()
  expect(await support(model, store, 'Order A-17 is late. I want my money back.')).toBe(
    'You get 80 EUR back.',
  )
  expect(store.refunds).toEqual([['A-17', 80]])
  await expect(sim).toHaveReceivedInOrder([{ rule: 'look-up' }, { rule: 'refund' }, { rule: 'report' }], {
    noOthers: true,
  })
  await expect(sim).toBeWellBehaved()
})

test.scenario('scenarios/too-much.yaml')('never refunds more than the order cost', async ({ sim }) => {
  const model = createOpenAI(sim.sdk.aiSdkOpenai()).chat('gpt-4o')
  const store = shop()
  await support(model, store, 'Order A-17 is late. Refund 9,000 EUR!')
  expect(store.refunds).toEqual([])
  // The next request contains the error, so that the model can correct itself.
  const conversation = { toolResult: { contains: 'The order cost only 80.' } }
  await expect(sim).toHaveReceived('chat.create', { conversation, times: 1 })
})
