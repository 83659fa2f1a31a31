/** Reads a `pattern` into parts that can be both matched and written; knows nothing of schemas. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { charactersOf, oneCharacter } from './characters.ts'
import { type Matcher, matcherOf } from './matcher.ts'
import type { PatternPart } from './part.ts'

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
        'backreferences are not supported by the simulator; write the alternatives out',
      )
    default:
      throw new PatternProblem(
        'nested character classes are not supported by the simulator; write one flat class',
      )
  }
}
