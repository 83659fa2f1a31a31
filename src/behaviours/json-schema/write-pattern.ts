/** Writes texts that match one or more patterns within given lengths; knows nothing of schemas or prompts. */
import type { Random } from '../../engine/random.ts'
import type { PatternPart } from '../pattern/characters.ts'
import type { Pattern } from '../pattern/read-pattern.ts'
import { codePointLength } from './json-value.ts'

/** Patterns that a text has to match all at once, with the lengths it may have. */
export interface PatternWriter {
  /** Whether a text matches every pattern (its length is not looked at). */
  matchesAll(text: string): boolean
  /**
   * A text that matches and has an allowed length, for a try counted from 0; undefined when this try found
   * none.
   */
  write(random: Random, attempt: number): string | undefined
}

/** Characters. */
const LONGEST = 10_000
/** How freely characters are drawn, try by try. */
const VARIETY = [0, 1, 0, 2] as const

/** A writer for `patterns` (at least one). */
export function patternWriter(
  patterns: readonly Pattern[],
  minLength: number,
  maxLength: number,
): PatternWriter {
  const matchesAll = (text: string): boolean => patterns.every((pattern) => pattern.matches(text))
  const allowed = (text: string): boolean => {
    const length = codePointLength(text)
    return length >= minLength && length <= maxLength && matchesAll(text)
  }
  const fromOne = (pattern: Pattern, random: Random, attempt: number): string | undefined => {
    const shortest = shortestOf(pattern.root)
    const least = Math.min(Math.max(minLength, shortest), LONGEST)
    const most = Math.min(maxLength, least + (attempt < 4 ? 8 : 64))
    const spare = random.integer(least, Math.max(least, most)) - shortest
    const draft: Draft = {
      random,
      variety: VARIETY[attempt % 4] as 0 | 1 | 2,
      greedy: attempt % 2 === 1,
      pieces: [],
      spare,
    }
    if (spare < 0 || !write(pattern.root, draft)) return undefined
    const text = draft.pieces.join('')
    const missing = minLength - codePointLength(text)
    if (missing > 0) {
      if (!pattern.toEnd) return text + padding(missing)
      return pattern.fromStart ? undefined : padding(missing) + text
    }
    // A format or another pattern may require something around it: later tries put letters there.
    if (attempt < 8 || maxLength - codePointLength(text) < 4) return text
    return (pattern.fromStart ? '' : pick(random)) + text + (pattern.toEnd ? '' : pick(random))
  }

  return {
    matchesAll,
    write(random, attempt) {
      for (const pattern of patterns) {
        const text = fromOne(pattern, random, attempt)
        if (text !== undefined && allowed(text)) return text
      }
      if (patterns.length === 1) return undefined
      // "Starts with", "contains" and "ends with" come as separate patterns: their texts are combined in
      // that order.
      const ordered = [...patterns].sort((a, b) => rank(a) - rank(b))
      const joined = ordered.map((pattern) => fromOne(pattern, random, attempt) ?? '').join('')
      return allowed(joined) ? joined : undefined
    },
  }
}

const rank = (pattern: Pattern): number => (pattern.toEnd ? 1 : 0) - (pattern.fromStart ? 1 : 0)
const pick = (random: Random): string => random.pick(['a', 'e', 'o', 'ta', '1'])
const padding = (length: number): string => 'text'.repeat(Math.ceil(length / 4)).slice(0, length)

/** How many characters the shortest text of a part has. */
function shortestOf(part: PatternPart): number {
  switch (part.kind) {
    case 'character':
      return 1
    case 'sequence':
      return part.parts.reduce((sum, inner) => sum + shortestOf(inner), 0)
    case 'either':
      return Math.min(...part.parts.map(shortestOf))
    case 'repeat':
      return part.min * shortestOf(part.part)
    default:
      return 0
  }
}

/** A text in the making. */
interface Draft {
  readonly random: Random
  readonly variety: 0 | 1 | 2
  /** Whether each repetition takes all that it can. */
  readonly greedy: boolean
  readonly pieces: string[]
  /** How many characters it may have beyond the shortest text. */
  spare: number
}

/** Appends a text of a part; false when a character set turned out to be empty. */
function write(part: PatternPart, draft: Draft): boolean {
  const { random } = draft
  switch (part.kind) {
    case 'character': {
      const character = part.set.pick(random, draft.variety)
      if (character !== undefined) draft.pieces.push(character)
      return character !== undefined
    }
    case 'sequence':
      return part.parts.every((inner) => write(inner, draft))
    case 'either': {
      const shortest = shortestOf(part)
      const able = part.parts.filter((inner) => shortestOf(inner) - shortest <= draft.spare)
      const chosen = random.pick(able)
      draft.spare -= shortestOf(chosen) - shortest
      return write(chosen, draft)
    }
    case 'repeat':
      return writeRounds(part, draft)
    default:
      return true
  }
}

function writeRounds({ part, min, max }: PatternPart & { kind: 'repeat' }, draft: Draft): boolean {
  const each = shortestOf(part)
  const keeps = draft.greedy ? 0 : draft.random.integer(0, draft.spare)
  for (let done = 0; done < max; done++) {
    if (done >= min) {
      if (draft.spare <= keeps || draft.spare < each) break
      draft.spare -= each
    }
    const before = draft.pieces.length
    if (!write(part, draft)) return false
    // Further rounds of nothing add nothing.
    if (draft.pieces.length === before) break
  }
  return true
}
