/** Reads a `pattern` into parts that can be both matched and written; knows nothing of schemas. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { LIMITS } from '../limits.ts'
import { charactersOf, oneCharacter } from './characters.ts'
import { programOf, runs } from './matcher.ts'
import type { PatternPart } from './part.ts'

/** A construct that cannot be followed; the message says which and what to write. */
export class PatternProblem extends Error {}

export interface Pattern {
  readonly source: string
  readonly root: PatternPart
  /**
   * Whether it matches somewhere in the text, as `RegExp.prototype.test`; false as well when that takes too
   * long.
   */
  matches(text: string): boolean
  /** How many steps one character of a text can cost to match. */
  readonly size: number
  /** Whether every match begins at the start, ends at the end: nothing may be put before or behind it. */
  readonly fromStart: boolean
  readonly toEnd: boolean
}

/**
 * Reads a pattern as ECMAScript with the `u` flag, as JSON Schema says, or else without. Throws
 * `PatternProblem`.
 */
export function readPattern(source: string): Pattern {
  if (source.length > LIMITS.pattern) throw new PatternProblem(`write at most ${LIMITS.pattern} characters`)
  let problem: unknown
  for (const flags of ['u', '']) {
    try {
      const regexp = new RegExp(source, flags)
      const tree = new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, {
        unicode: flags === 'u',
      })
      const root = either(tree.alternatives, flags)
      const program = programOf(root)
      if (program === undefined) throw new PatternProblem('write smaller counts in {}')
      const fromStart = tree.alternatives.every((one) => isEdge(one.elements[0], 'start'))
      const toEnd = tree.alternatives.every((one) => isEdge(one.elements.at(-1), 'end'))
      return {
        source,
        root,
        fromStart,
        toEnd,
        size: program.length,
        matches: (text) => runs(program, regexp, fromStart, text),
      }
    } catch (error) {
      if (error instanceof PatternProblem) throw error
      problem ??= error
    }
  }
  const why = problem instanceof Error ? problem.message.replace(/^.*: /su, '') : 'it does not parse'
  throw new PatternProblem(`write a regular expression that ECMAScript accepts (${why})`)
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
      if (element.kind === 'lookbehind')
        throw new PatternProblem(
          'lookbehind is not supported by the simulator; write the pattern without (?<= and (?<!',
        )
      if (element.kind === 'lookahead')
        return { kind: 'ahead', part: either(element.alternatives, flags), negate: element.negate }
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
