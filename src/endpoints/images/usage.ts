/** The tokens of images of kind A, by the rates that the upstream of this family publishes. */
import type { Tokens } from '../../behaviours/tokens/tokens.ts'
import type { ImageFacts } from '../../protocol/call.ts'
import type { ImageOrder } from './order.ts'

/** Contract 2.8. */
export interface ImageUsage {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly image_tokens: number; readonly text_tokens: number }
  readonly output_tokens: number
  readonly total_tokens: number
}

const perPicture = {
  low: { square: 272, portrait: 408, landscape: 400 },
  medium: { square: 1056, portrait: 1584, landscape: 1568 },
  high: { square: 4160, portrait: 6240, landscape: 6208 },
} as const
const perPartial = 100

// A source image costs a base and a rate for each tile of 512 pixels, after scaling it down to fit.
const tile = { side: 512, tokens: 129, base: 65, longest: 2048 } as const
const highFidelity = { square: 4160, other: 6240 } as const

/** What is sent with an edit. */
export interface SourceCosts {
  readonly pictures: readonly Pick<ImageFacts, 'width' | 'height'>[]
  readonly fidelity: 'low' | 'high'
}

/** The usage of finished and partial images of an order. Source images count once. */
export function usageOf(
  order: ImageOrder,
  finished: number,
  steps: number,
  prompt: string,
  sent: SourceCosts,
  tokens: Tokens,
): ImageUsage {
  const { width, height } = order.images
  const shape = width === height ? 'square' : width < height ? 'portrait' : 'landscape'
  const textTokens = tokens.count(prompt)
  const imageTokens = sent.pictures.reduce((sum, picture) => sum + sentTokens(picture, sent.fidelity), 0)
  const outputTokens = finished * perPicture[order.quality][shape] + steps * perPartial
  return {
    input_tokens: textTokens + imageTokens,
    input_tokens_details: { image_tokens: imageTokens, text_tokens: textTokens },
    output_tokens: outputTokens,
    total_tokens: textTokens + imageTokens + outputTokens,
  }
}

function sentTokens(
  { width, height }: Pick<ImageFacts, 'width' | 'height'>,
  fidelity: 'low' | 'high',
): number {
  const fitting = Math.min(1, tile.longest / Math.max(width, height))
  const factor = fitting * Math.min(1, tile.side / (fitting * Math.min(width, height)))
  const tiles = Math.ceil((width * factor) / tile.side) * Math.ceil((height * factor) / tile.side)
  const fine = fidelity === 'low' ? 0 : width === height ? highFidelity.square : highFidelity.other
  return tile.base + tiles * tile.tokens + fine
}
