/** Writes strings of given lengths that match one or more patterns, independently of schemas and prompts. */
import type { Random } from '../../engine/random.ts'
import type { PatternPart } from '../pattern/characters.ts'
import type { Pattern } from '../pattern/read-pattern.ts'
import { codePointLength } from './json-value.ts'

/** Bit n is set if a string of n characters is possible (lookaheads and edges count as 0 characters). */
type Lengths = bigint

interface LengthTable {
  readonly cap: number
  of(part: PatternPart): Lengths
  /** The lengths of the remaining rounds of a repetition, after `done` rounds. */
  afterRounds(part: PatternPart & { kind: 'repeat' }, done: number): Lengths
  /** The lengths of the parts of a sequence from `index` on. */
  from(part: PatternPart & { kind: 'sequence' }, index: number): Lengths
}

/** A table for lengths up to `cap`, filled on demand. */
function lengthTable(cap: number): LengthTable {
  const mask = (1n << BigInt(cap + 1)) - 1n
  const known = new Map<PatternPart, readonly Lengths[]>()

  const both = (a: Lengths, b: Lengths): Lengths => {
    let sum = 0n
    let rest = b
    for (let shift = 0n; rest !== 0n; ) {
      const low = lowestBit(rest)
      shift += BigInt(low)
      sum |= a << shift
      rest >>= BigInt(low + 1)
      shift += 1n
    }
    return sum & mask
  }

  // For a sequence, the lengths from each part on. For a repetition, the lengths after each round; the last
  // one repeats.
  const tails = (part: PatternPart): readonly Lengths[] => {
    const before = known.get(part)
    if (before !== undefined) return before
    let made: readonly Lengths[]
    if (part.kind === 'character') made = [2n & mask]
    else if (part.kind === 'either') made = [part.parts.reduce((all, one) => all | head(one), 0n)]
    else if (part.kind === 'sequence') {
      const list: Lengths[] = [1n]
      for (let i = part.parts.length - 1; i >= 0; i--)
        list.unshift(both(list[0] as Lengths, head(part.parts[i] as PatternPart)))
      made = list
    } else if (part.kind === 'repeat') made = rounds(head(part.part), part.min, part.max)
    else made = [1n]
    known.set(part, made)
    return made
  }
  const head = (part: PatternPart): Lengths => tails(part)[0] as Lengths

  const rounds = (one: Lengths, min: number, max: number): readonly Lengths[] => {
    const least = Math.min(min, cap + 1)
    const most = max - least > cap ? Infinity : max - (min - least)
    const list: Lengths[] = []
    if (most === Infinity) {
      let star = one | 1n
      // Each round doubles the number of repetitions.
      for (let grown = both(star, star); grown !== star; grown = both(star, star)) star = grown
      list.push(star)
    } else {
      list.push(1n)
      for (let done = most - 1; done >= least; done--) list.unshift(both(list[0] as Lengths, one) | 1n)
    }
    for (let done = least - 1; done >= 0; done--) list.unshift(both(list[0] as Lengths, one))
    return list
  }

  return {
    cap,
    of: head,
    afterRounds(part, done) {
      const list = tails(part)
      return list[Math.min(done, list.length - 1)] as Lengths
    },
    from: (part, index) => tails(part)[index] as Lengths,
  }
}

/** The lengths of a set, shortest first, at most `most` of them. */
function listLengths(lengths: Lengths, most: number): number[] {
  const list: number[] = []
  let at = 0
  for (let rest = lengths; rest !== 0n && list.length < most; ) {
    const low = lowestBit(rest)
    at += low
    list.push(at)
    rest >>= BigInt(low + 1)
    at += 1
  }
  return list
}

const hasLength = (lengths: Lengths, length: number): boolean =>
  length >= 0 && ((lengths >> BigInt(length)) & 1n) === 1n

function lowestBit(bits: bigint): number {
  let at = 0
  for (let rest = bits; ; rest >>= 32n, at += 32) {
    const word = Number(rest & 0xffffffffn)
    if (word !== 0) return at + 31 - Math.clz32(word & -word)
  }
}

/** Patterns that a string must all match, with its allowed lengths. */
export interface PatternWriter {
  /** Whether a string matches every pattern, regardless of its length. */
  matchesAll(text: string): boolean
  /**
   * A string that matches and has an allowed length, for a try counted from 0; undefined if this try found
   * none.
   */
  write(random: Random, attempt: number): string | undefined
}

const LONGEST = 1_000
/** How freely characters are drawn, try by try. */
const VARIETY = [0, 1, 0, 2] as const

/** A writer for `patterns` (at least one). It keeps what it derives from them for the next string. */
export function patternWriter(
  patterns: readonly Pattern[],
  minLength: number,
  maxLength: number,
): PatternWriter {
  const cap = Math.min(maxLength, LONGEST, Math.max(64, minLength + 64))
  let table: LengthTable | undefined

  const matchesAll = (text: string): boolean => patterns.every((pattern) => pattern.matches(text))
  const allowed = (text: string): boolean => {
    const length = codePointLength(text)
    return length >= minLength && length <= maxLength && matchesAll(text)
  }
  const fromOne = (pattern: Pattern, random: Random, attempt: number): string | undefined => {
    table ??= lengthTable(cap)
    const possible = table.of(pattern.root)
    const lengths = listLengths((possible >> BigInt(Math.min(minLength, cap + 1))) << BigInt(minLength), 200)
    // If no string has the wanted length, take the longest, and pad it where the pattern allows.
    const length =
      lengths.length === 0 ? listLengths(possible, LONGEST).at(-1) : nearShortest(lengths, random, attempt)
    if (length === undefined) return undefined
    const characters: string[] = []
    if (!write(pattern.root, length, table, random, VARIETY[attempt % 4] as 0 | 1 | 2, characters))
      return undefined
    const text = characters.join('')
    const missing = minLength - codePointLength(text)
    // A format or another pattern may require surrounding characters: later tries add letters.
    if (missing <= 0 && attempt >= 8) {
      const room = Math.min(4, maxLength - codePointLength(text))
      return room < 2
        ? text
        : (pattern.fromStart ? '' : pick(random)) + text + (pattern.toEnd ? '' : pick(random))
    }
    if (missing <= 0) return text
    if (!pattern.toEnd) return text + padding(missing)
    return pattern.fromStart ? undefined : padding(missing) + text
  }

  return {
    matchesAll,
    write(random, attempt) {
      for (const pattern of patterns) {
        const text = fromOne(pattern, random, attempt)
        if (text !== undefined && allowed(text)) return text
      }
      if (patterns.length === 1) return undefined
      // "Starts with", "contains" and "ends with" are separate patterns: their strings are combined in that
      // order.
      const ordered = [...patterns].sort((a, b) => rank(a) - rank(b))
      const joined = ordered.map((pattern) => fromOne(pattern, random, attempt) ?? '').join('')
      return allowed(joined) ? joined : undefined
    },
  }
}

const rank = (pattern: Pattern): number => (pattern.toEnd ? 1 : 0) - (pattern.fromStart ? 1 : 0)
const pick = (random: Random): string => random.pick(['a', 'e', 'o', 'ta', '1'])
const padding = (length: number): string => 'text'.repeat(Math.ceil(length / 4)).slice(0, length)

function nearShortest(lengths: readonly number[], random: Random, attempt: number): number {
  const shortest = lengths[0] as number
  const usual = attempt < 4 ? lengths.filter((length) => length > 0 && length <= shortest + 8) : lengths
  return usual.length === 0 ? shortest : random.pick(usual)
}

/** Appends exactly `length` characters for this part; false if a character set is empty. */
function write(
  part: PatternPart,
  length: number,
  table: LengthTable,
  random: Random,
  variety: 0 | 1 | 2,
  characters: string[],
): boolean {
  switch (part.kind) {
    case 'edge':
    case 'look':
      return true
    case 'character': {
      const character = part.set.pick(random, variety)
      if (character === undefined) return false
      characters.push(character)
      return true
    }
    case 'either': {
      const able = part.parts.filter((one) => hasLength(table.of(one), length))
      return able.length > 0 && write(random.pick(able), length, table, random, variety, characters)
    }
    case 'sequence': {
      let left = length
      for (const [index, inner] of part.parts.entries()) {
        const share = shareOf(table.of(inner), table.from(part, index + 1), left, random)
        if (share === undefined || !write(inner, share, table, random, variety, characters)) return false
        left -= share
      }
      return true
    }
    case 'repeat': {
      let left = length
      for (let done = 0; ; done++) {
        if (left === 0) return true
        const share = shareOf(table.of(part.part) & ~1n, table.afterRounds(part, done + 1), left, random)
        if (share === undefined || !write(part.part, share, table, random, variety, characters)) return false
        left -= share
      }
    }
  }
}

/** The characters of `left` for this part, such that the rest can still be written. */
function shareOf(mine: Lengths, rest: Lengths, left: number, random: Random): number | undefined {
  if (mine === 2n) return hasLength(rest, left - 1) ? 1 : undefined
  const shares = listLengths(mine & ((1n << BigInt(left + 1)) - 1n), LONGEST).filter((share) =>
    hasLength(rest, left - share),
  )
  return shares.length === 0 ? undefined : random.pick(shares)
}
