/** A regular expression as a tree of the few forms that it comes down to; neither matches nor writes. */
import type { CharacterSet } from './characters.ts'

/** Groups are gone, and so is what only captures. */
export type PatternPart =
  | { readonly kind: 'character'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternPart[] }
  | { readonly kind: 'either'; readonly parts: readonly PatternPart[] }
  | { readonly kind: 'repeat'; readonly part: PatternPart; readonly min: number; readonly max: number }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end' | 'word' | 'no word' }
  | {
      readonly kind: 'look'
      readonly part: PatternPart
      /** Whether it looks back. */
      readonly behind: boolean
      readonly negate: boolean
    }
