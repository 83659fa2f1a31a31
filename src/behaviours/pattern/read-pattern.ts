/** Reads a `pattern` into parts that can be both matched and written; knows nothing of schemas. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { charactersOf, oneCharacter, type PatternPart } from './characters.ts'

// RegExp backtracks without bound ((a+)+$ on forty a's hangs), and texts and schemas come from anyone. So it
// is asked only where it cannot take many steps; elsewhere all places of the pattern are followed at once.

/** How many steps one text may cost: tenths of a second. */
const MOST_STEPS = 2_000_000
/** How many steps the platform takes in the time of one of ours. */
const FASTER = 50

/** At most how many ways backtracking can try from one place of a text of this length. */
function waysThrough(part: PatternPart, length: number): number {
  switch (part.kind) {
    case 'character':
    case 'edge':
      return 1
    case 'look':
      return waysThrough(part.part, length)
    case 'sequence':
      return part.parts.reduce((ways, inner) => ways * waysThrough(inner, length), 1)
    case 'either':
      return part.parts.reduce((ways, inner) => ways + waysThrough(inner, length), 0)
    case 'repeat': {
      const most = Math.min(part.max, Math.max(part.min, length))
      const counts = most - part.min + 1
      const ways = waysThrough(part.part, length)
      return ways <= 1 ? counts : counts * ways ** most
    }
  }
}

/** How many parts a pattern has: what one character of a text can cost. */
function sizeOf(part: PatternPart): number {
  const inner = 'parts' in part ? part.parts : 'part' in part ? [part.part] : []
  return inner.reduce((size, one) => size + sizeOf(one), 1)
}

type Places = ReadonlySet<number>

class TooManySteps extends Error {}

/** One text, searched by the set of places at which each part of a pattern may end. */
class Search {
  readonly #characters: readonly string[]
  /** For each lookbehind, the places where it holds. */
  readonly #behind = new Map<PatternPart, Places>()
  #left: number

  constructor(characters: readonly string[], steps: number) {
    this.#characters = characters
    this.#left = steps
  }

  /** Whether the pattern matches, from the start or from anywhere; false when that takes too many steps. */
  finds(root: PatternPart, fromStart: boolean): boolean {
    try {
      return this.#ends(root, fromStart ? new Set([0]) : this.#everywhere()).size > 0
    } catch (error) {
      if (error instanceof TooManySteps) return false
      throw error
    }
  }

  #everywhere(): Places {
    return new Set([...this.#characters.keys(), this.#characters.length])
  }

  /** Where a part may end that begins at one of these places. */
  #ends(part: PatternPart, from: Places): Places {
    this.#left -= from.size + 1
    if (this.#left < 0) throw new TooManySteps()
    switch (part.kind) {
      case 'character': {
        const ends = new Set<number>()
        for (const at of from)
          if (at < this.#characters.length && part.set.has(this.#characters[at] as string)) ends.add(at + 1)
        return ends
      }
      case 'sequence':
        return part.parts.reduce((at, inner) => (at.size === 0 ? at : this.#ends(inner, at)), from)
      case 'either':
        return new Set(part.parts.flatMap((inner) => [...this.#ends(inner, from)]))
      case 'repeat':
        return this.#repeated(part, from)
      case 'edge':
        return new Set([...from].filter((at) => this.#isEdge(part.edge, at)))
      case 'look':
        return new Set([...from].filter((at) => this.#holds(part, at) !== part.negate))
    }
  }

  #repeated({ part, min, max }: PatternPart & { kind: 'repeat' }, from: Places): Places {
    let at = from
    for (let done = 0; done < min; done++) {
      const next = this.#ends(part, at)
      // All further rounds change nothing.
      if (next.size === at.size && [...next].every((place) => at.has(place))) break
      at = next
    }
    const all = new Set(at)
    for (let done = min; done < max && at.size > 0; done++) {
      at = new Set([...this.#ends(part, at)].filter((place) => !all.has(place)))
      for (const place of at) all.add(place)
    }
    return all
  }

  #holds(look: PatternPart & { kind: 'look' }, at: number): boolean {
    if (!look.behind) return this.#ends(look.part, new Set([at])).size > 0
    const held = this.#behind.get(look) ?? this.#ends(look.part, this.#everywhere())
    this.#behind.set(look, held)
    return held.has(at)
  }

  #isEdge(edge: 'start' | 'end' | 'word' | 'no word', at: number): boolean {
    if (edge === 'start') return at === 0
    if (edge === 'end') return at === this.#characters.length
    const isWord = (place: number): boolean => /^\w$/.test(this.#characters[place] ?? '')
    return (isWord(at - 1) !== isWord(at)) === (edge === 'word')
  }
}

/** A construct that cannot be followed; the message says which and what to write. */
export class PatternProblem extends Error {}

export interface Pattern {
  readonly source: string
  readonly root: PatternPart
  /** Whether every match begins at the start, ends at the end: nothing may be put before or behind it. */
  readonly fromStart: boolean
  readonly toEnd: boolean
  /** How many steps one character of a text can cost to match. */
  readonly size: number
  /** As `RegExp.prototype.test`; false as well when that takes more than `steps`. */
  matches(text: string, steps?: number): boolean
  /** The same without the platform's help. */
  searches(text: string, steps?: number): boolean
}

const MOST_CHARACTERS = 2_000

/**
 * Reads a pattern as ECMAScript, with the flag `u` or without any. Throws `PatternProblem` for what cannot be
 * followed, and what `RegExp` throws for what it cannot read.
 */
export function readPattern(source: string, unicode = true): Pattern {
  if (source.length > MOST_CHARACTERS) throw new PatternProblem(`write at most ${MOST_CHARACTERS} characters`)
  const flags = unicode ? 'u' : ''
  const regexp = new RegExp(source, flags)
  const tree = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, { unicode })
  const root = either(tree.alternatives, flags)
  const fromStart = tree.alternatives.every((one) => isEdge(one.elements[0], 'start'))
  const toEnd = tree.alternatives.every((one) => isEdge(one.elements.at(-1), 'end'))
  const size = sizeOf(root)
  const searches = (text: string, steps = MOST_STEPS): boolean =>
    new Search(unicode ? [...text] : text.split(''), steps).finds(root, fromStart)
  return {
    source,
    root,
    fromStart,
    toEnd,
    size,
    matches(text, steps = MOST_STEPS) {
      const starts = fromStart ? 1 : text.length + 1
      return size * starts * waysThrough(root, text.length) <= FASTER * steps
        ? regexp.test(text)
        : searches(text, steps)
    },
    searches,
  }
}

const isEdge = (element: AST.Element | undefined, kind: 'start' | 'end'): boolean =>
  element?.type === 'Assertion' && element.kind === kind

function either(alternatives: readonly AST.Alternative[], flags: string): PatternPart {
  const parts = alternatives.map((one): PatternPart => {
    const inner = one.elements.map((element) => partOf(element, flags))
    return inner.length === 1 ? (inner[0] as PatternPart) : { kind: 'sequence', parts: inner }
  })
  return parts.length === 1 ? (parts[0] as PatternPart) : { kind: 'either', parts }
}

function partOf(element: AST.Element, flags: string): PatternPart {
  switch (element.type) {
    case 'Character':
      return { kind: 'character', set: oneCharacter(String.fromCodePoint(element.value)) }
    case 'CharacterClass':
    case 'CharacterSet':
      return { kind: 'character', set: charactersOf(element, flags) }
    case 'Group':
    case 'CapturingGroup':
      return either(element.alternatives, flags)
    case 'Quantifier':
      return { kind: 'repeat', part: partOf(element.element, flags), min: element.min, max: element.max }
    case 'Assertion':
      if (element.kind === 'lookahead' || element.kind === 'lookbehind')
        return {
          kind: 'look',
          part: either(element.alternatives, flags),
          behind: element.kind === 'lookbehind',
          negate: element.negate,
        }
      return {
        kind: 'edge',
        edge: element.kind === 'word' ? (element.negate ? 'no word' : 'word') : element.kind,
      }
    case 'Backreference':
      throw new PatternProblem(
        'backreferences are not supported by the simulator; write the alternatives out',
      )
    default:
      throw new PatternProblem(
        'nested character classes are not supported by the simulator; write one flat class',
      )
  }
}
