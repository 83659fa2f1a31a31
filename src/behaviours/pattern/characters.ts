/** Sets of characters, as patterns write them: tells members, and picks one that reads well. */
import type { AST } from '@eslint-community/regexpp'
import type { Random } from '../../engine/random.ts'

export interface CharacterSet {
  has(character: string): boolean
  /**
   * A member; undefined when none was found. Variety 0 picks what reads best, 1 picks from lower case,
   * upper case, digits and symbols alike, 2 also from one script or set of symbols beyond ASCII.
   */
  pick(random: Random, variety: 0 | 1 | 2): string | undefined
}

type Group = readonly string[]

const GROUPS: readonly Group[] = [
  [...'abcdefghijklmnopqrstuvwxyz'],
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [...'0123456789'],
  [...' -_.,!?@#$%&*+/=:;\'"()[]{}<>|\\^~`'],
]

/** Where to look for a member of a set that has none in ASCII: one range per script, then symbols. */
const BEYOND: readonly (readonly [number, number])[] = [
  [0x00e0, 0x00ff],
  [0x0100, 0x017f],
  [0x03b1, 0x03c9],
  [0x0430, 0x044f],
  [0x05d0, 0x05ea],
  [0x0627, 0x064a],
  [0x0905, 0x0939],
  [0x0e01, 0x0e2e],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
  [0x4e00, 0x4e80],
  [0xac00, 0xac80],
  [0x1f600, 0x1f640],
  [0x1f300, 0x1f5ff],
  [0x1f1e6, 0x1f1ff],
  [0x00a0, 0x00bf],
  [0x2000, 0x206f],
  [0x20a0, 0x20bf],
  [0x2190, 0x21ff],
  [0x2600, 0x27bf],
  [0x0000, 0x001f],
]

/** The set of one character. */
export function oneCharacter(character: string): CharacterSet {
  return { has: (other) => other === character, pick: () => character }
}

/**
 * The set of a class or an escape, tested by the platform's own regular expressions, one character at a
 * time.
 */
export function charactersOf(element: AST.CharacterClass | AST.CharacterSet, flags: string): CharacterSet {
  const one = new RegExp(`^${element.raw}$`, flags)
  const has = (character: string): boolean => one.test(character)
  let plain: readonly Group[] | undefined
  let beyond: readonly Group[] | undefined
  return {
    has,
    pick(random, variety) {
      plain ??= GROUPS.map((group) => group.filter(has)).filter((group) => group.length > 0)
      if (plain.length === 0 || variety === 2)
        beyond ??= beyondAscii(has, element.type === 'CharacterClass' ? element.elements : [])
      const groups = variety === 2 ? [...plain, ...(beyond ?? [])] : plain.length > 0 ? plain : (beyond ?? [])
      if (groups.length === 0) return undefined
      if (variety > 0) return random.pick(random.pick(groups))
      const digits =
        groups.length > 1 && random.chance(3, 10) ? groups.find((group) => group.includes('7')) : undefined
      return random.pick(digits ?? (groups[0] as Group))
    },
  }
}

function beyondAscii(
  has: (character: string) => boolean,
  written: readonly AST.CharacterClassElement[],
): readonly Group[] {
  const ranges = written.map((part) =>
    part.type === 'CharacterClassRange'
      ? ([part.min.value, part.max.value] as const)
      : part.type === 'Character'
        ? ([part.value, part.value] as const)
        : undefined,
  )
  for (const range of [...ranges, ...BEYOND]) {
    if (range === undefined) continue
    const found: string[] = []
    for (let point = range[0]; point <= range[1] && point < range[0] + 200; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const character = String.fromCodePoint(point)
      if (has(character)) found.push(character)
    }
    if (found.length > 0) return [found]
  }
  return []
}

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
