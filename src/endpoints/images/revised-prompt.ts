/** The revised prompt of C: the caller's own words with some of the model's (wire-formats section 4). */
import type { Random } from '../../engine/random.ts'
import { clip } from '../../protocol/wording.ts'

const endings = {
  vivid: [
    'The colours are bold and the light is dramatic.',
    'Every detail stands out, as in a scene from a film.',
    'The contrast is high and the mood is intense.',
  ],
  natural: [
    'The colours are soft and the light is even.',
    'It looks like a photograph taken on a quiet day.',
    'Nothing is exaggerated; the mood is calm.',
  ],
} as const

const maxLength = 2000

/** The same for the same request and seed. */
export function revisedPrompt(prompt: string, style: keyof typeof endings, content: Random): string {
  // The private-use characters mark images and addresses in a reply, so a prompt must not have them.
  const own = clip(prompt.replace(/[\uE0F1\uE0F2]/g, '').trim(), maxLength).replace(/[.!?\s]+$/, '')
  return `A picture of the following: ${own}. ${content.fork('revised prompt').pick(endings[style])}`
}
