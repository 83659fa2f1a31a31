/** An agent that refunds orders with two tools. */
import { generateText, type LanguageModel, stepCountIs, tool } from 'ai'
import { z } from 'zod'

export interface Shop {
  findOrder(number: string): Promise<{ status: string; total: number }>
  refund(number: string, amount: number): Promise<void>
}

export async function support(model: LanguageModel, shop: Shop, prompt: string): Promise<string> {
  const tools = {
    find_order: tool({
      description: 'Look up an order',
      inputSchema: z.object({ number: z.string() }),
      execute: ({ number }) => shop.findOrder(number),
    }),
    refund: tool({
      description: 'Refund an amount of an order',
      inputSchema: z.object({ number: z.string(), amount: z.number() }),
      async execute({ number, amount }) {
        const { total } = await shop.findOrder(number)
        // The model can invent arguments: never trust an amount.
        if (amount > total) throw new Error(`The order cost only ${total}.`)
        await shop.refund(number, amount)
        return 'refunded'
      },
    }),
  }
  const { text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(5) })
  return text
}
