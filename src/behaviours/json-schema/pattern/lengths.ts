/**
 * The lengths that each part of a pattern can have, as sets of bits, so that a text of a given length is
 * written without search.
 */
import type { PatternPart } from '../../pattern/part.ts'

/** Bit n is set when a text of n characters is possible (lookaheads and edges counted as nothing). */
export type Lengths = bigint

export interface LengthTable {
  readonly cap: number
  of(part: PatternPart): Lengths
  /** Of what is still to come in a repetition after `done` rounds. */
  afterRounds(part: PatternPart & { kind: 'repeat' }, done: number): Lengths
  /** Of the parts of a sequence from `index` on. */
  from(part: PatternPart & { kind: 'sequence' }, index: number): Lengths
}

/** A table for lengths up to `cap`; filled as it is asked. */
export function lengthTable(cap: number): LengthTable {
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

  // For a sequence: the lengths from each part on. For a repetition: the lengths after each round; the
  // last one repeats.
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
export function listLengths(lengths: Lengths, most: number): number[] {
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

export const hasLength = (lengths: Lengths, length: number): boolean =>
  length >= 0 && ((lengths >> BigInt(length)) & 1n) === 1n

function lowestBit(bits: bigint): number {
  let at = 0
  for (let rest = bits; ; rest >>= 32n, at += 32) {
    const word = Number(rest & 0xffffffffn)
    if (word !== 0) return at + 31 - Math.clz32(word & -word)
  }
}
