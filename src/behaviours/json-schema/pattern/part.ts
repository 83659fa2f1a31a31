/** A regular expression as a tree of the few forms that it comes down to; neither matches nor writes. */
import type { CharacterSet } from './characters.ts'

/** Groups are gone, and so is what only captures. */
export type Part =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'either'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end' | 'word' | 'no word' }
  | { readonly kind: 'ahead'; readonly part: Part; readonly negate: boolean }
