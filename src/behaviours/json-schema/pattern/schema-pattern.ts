/** The `pattern` keyword: what it may use, and how much it may cost. */
import type { PatternPart } from '../../pattern/part.ts'
import { type Pattern, PatternProblem, readPattern } from '../../pattern/read-pattern.ts'

/** Many texts are tried for one schema. */
const MOST_STEPS = 1_000_000

/**
 * Reads a pattern as ECMAScript with the `u` flag, as JSON Schema says, or else without. Throws
 * `PatternProblem`.
 */
export function readSchemaPattern(source: string): Pattern {
  let problem: unknown
  for (const unicode of [true, false]) {
    try {
      const pattern = readPattern(source, unicode)
      if (looksBehind(pattern.root))
        throw new PatternProblem(
          'lookbehind is not supported by the simulator; write the pattern without (?<= and (?<!',
        )
      return { ...pattern, matches: (text) => pattern.matches(text, MOST_STEPS) }
    } catch (error) {
      if (error instanceof PatternProblem) throw error
      problem ??= error
    }
  }
  const why = problem instanceof Error ? problem.message.replace(/^.*: /su, '') : 'it does not parse'
  throw new PatternProblem(`write a regular expression that ECMAScript accepts (${why})`)
}

function looksBehind(part: PatternPart): boolean {
  if (part.kind === 'look') return part.behind || looksBehind(part.part)
  if (part.kind === 'repeat') return looksBehind(part.part)
  return (part.kind === 'sequence' || part.kind === 'either') && part.parts.some(looksBehind)
}
