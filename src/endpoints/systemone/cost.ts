/** What an evaluation costs at the configured price (contract 4.9). */
import type { TokenUsage } from '../../behaviours/refusals/upstream.ts'
import type { Settings } from '../../protocol/settings.ts'

/** Amounts in `currency`; `discount` is the share (0..1) that is taken off input and output together. */
export interface Cost {
  readonly currency: string
  readonly input: number
  readonly output: number
  readonly discount: number
  readonly total: number
}

/**
 * The amount that `include_cost` returns. The contract says only that the extension keeps the existing
 * amount-returning behaviour; the shape is ours. Prices are per million tokens; output is free by default.
 */
export function costOf(usage: TokenUsage, { price, discount }: Settings['systemone']): Cost {
  const input = (usage.input_tokens * price.input) / 1_000_000
  const output = (usage.output_tokens * price.output) / 1_000_000
  return {
    currency: price.currency,
    input: tidy(input),
    output: tidy(output),
    discount,
    total: tidy((input + output) * (1 - discount)),
  }
}

// Rounds off the digits that binary fractions leave behind.
const tidy = (amount: number): number => Number(amount.toFixed(12))
