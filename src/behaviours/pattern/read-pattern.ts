/** Reads a `pattern` into parts that can be both matched and written; knows nothing of schemas. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { charactersOf, oneCharacter, type PatternPart } from './characters.ts'
import { type Program, programOf } from './program.ts'

// RegExp backtracks without bound ((a+)+$ on forty a's hangs), and texts and schemas come from anyone. So it
// is asked only where it cannot take many steps; elsewhere all places of the pattern are followed at once.

/** How many steps one text may cost: tenths of a second. */
const MOST_STEPS = 20_000_000
/** How many steps the platform takes in the time of one of ours. */
const FASTER = 5

interface Matcher {
  /** As `RegExp.prototype.test`; false as well when that takes more than `steps`. */
  matches(text: string, steps?: number): boolean
  /** The same without the platform's help. */
  walks(text: string, steps?: number): boolean
  /** How many steps one character of a text can cost to match. */
  readonly size: number
}

/**
 * `regexp` is the same pattern on the platform; `fromStart` when every match begins at the start. Undefined
 * when counted repetitions make the pattern too long.
 */
function matcherOf(root: PatternPart, regexp: RegExp, fromStart: boolean): Matcher | undefined {
  const assembled = programOf(root)
  if (assembled === undefined) return undefined
  const { program, size } = assembled
  const walks = (text: string, steps = MOST_STEPS): boolean =>
    new Walk(text, regexp.unicode, steps).finds(program, fromStart)
  return {
    size,
    matches(text, steps = MOST_STEPS) {
      const starts = fromStart ? 1 : text.length + 1
      return size * starts * waysThrough(root, text.length) <= FASTER * steps
        ? regexp.test(text)
        : walks(text, steps)
    },
    walks,
  }
}

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

/** One text, and what has been found out about it. */
class Walk {
  readonly #text: string
  readonly #unicode: boolean
  #left: number
  /** For each lookahead and lookbehind, the places where it holds. */
  readonly #held = new Map<Program, Uint8Array>()

  constructor(text: string, unicode: boolean, steps: number) {
    this.#text = text
    this.#unicode = unicode
    this.#left = steps
  }

  finds(program: Program, fromStart: boolean): boolean {
    let found = false
    this.#follow(program, false, !fromStart, () => {
      found = true
      return false
    })
    return found && this.#left >= 0
  }

  /**
   * Follows all ways through the program at once, along the text or back, from its first place or from all.
   * `ended` hears where a match ends, and says whether to go on.
   */
  #follow(program: Program, backwards: boolean, everywhere: boolean, ended: (at: number) => boolean): void {
    const end = backwards ? 0 : this.#text.length
    const entered = new Int32Array(program.length).fill(-1)
    const stack: number[] = []
    let at = this.#text.length - end
    let here: number[] = []
    let ahead: number[] = []
    let matched = this.#enter(program, 0, at, entered, stack, here)
    while (!(matched && !ended(at))) {
      if (at === end || this.#left < 0 || (here.length === 0 && !everywhere)) return
      const point = this.#point(at, backwards)
      at += (backwards ? -1 : 1) * (point > 0xffff ? 2 : 1)
      matched = false
      for (const place of here) {
        const step = program[place]
        if (step?.op === 'one' && step.has(point))
          matched = this.#enter(program, place + 1, at, entered, stack, ahead) || matched
      }
      if (everywhere) matched = this.#enter(program, 0, at, entered, stack, ahead) || matched
      this.#left -= here.length
      const done = here
      here = ahead
      ahead = done
      ahead.length = 0
    }
  }

  /** Adds the characters that may come next to `list`; true when the pattern may end here. */
  #enter(
    program: Program,
    first: number,
    at: number,
    entered: Int32Array,
    stack: number[],
    list: number[],
  ): boolean {
    let matched = false
    stack.push(first)
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (entered[place] === at) continue
      entered[place] = at
      this.#left--
      const step = program[place]
      if (step === undefined) matched = true
      else if (step.op === 'one') list.push(place)
      else if (step.op === 'split') for (const to of step.to) stack.push(to)
      else if (step.op === 'edge' ? this.#atEdge(step.edge, at) : this.#holds(step, at)) stack.push(place + 1)
    }
    return matched
  }

  /** A lookahead is followed back from all places where it may end, a lookbehind along the text. */
  #holds(
    look: { readonly program: Program; readonly behind: boolean; readonly negate: boolean },
    at: number,
  ): boolean {
    let held = this.#held.get(look.program)
    if (held === undefined) {
      const places = new Uint8Array(this.#text.length + 1)
      this.#follow(look.program, !look.behind, true, (place) => {
        places[place] = 1
        return true
      })
      this.#held.set(look.program, places)
      held = places
    }
    return (held[at] === 1) !== look.negate
  }

  /** The character behind a place, or before it. */
  #point(at: number, before: boolean): number {
    if (!this.#unicode) return this.#text.charCodeAt(before ? at - 1 : at)
    if (!before) return this.#text.codePointAt(at) as number
    const pair = this.#text.codePointAt(at - 2) ?? 0
    return pair > 0xffff ? pair : this.#text.charCodeAt(at - 1)
  }

  #atEdge(edge: 'start' | 'end' | 'word' | 'no word', at: number): boolean {
    if (edge === 'start') return at === 0
    if (edge === 'end') return at === this.#text.length
    const isEdge = isWord(this.#text.charCodeAt(at - 1)) !== isWord(this.#text.charCodeAt(at))
    return isEdge === (edge === 'word')
  }
}

/** Whether `\w` has it; not a number outside the text. */
const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f

/** A construct that cannot be followed; the message says which and what to write. */
export class PatternProblem extends Error {}

export interface Pattern extends Matcher {
  readonly source: string
  readonly root: PatternPart
  /** Whether every match begins at the start, ends at the end: nothing may be put before or behind it. */
  readonly fromStart: boolean
  readonly toEnd: boolean
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
  const matcher = matcherOf(root, regexp, fromStart)
  if (matcher === undefined) throw new PatternProblem('write smaller counts in {}')
  return { ...matcher, source, root, fromStart, toEnd }
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
        'backreferences are not supported by the simulator; write out the alternatives',
      )
    default:
      throw new PatternProblem(
        'nested character classes are not supported by the simulator; write one flat class',
      )
  }
}
