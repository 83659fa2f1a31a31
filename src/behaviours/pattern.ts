/** Regular expressions that others write: matched in linear time, by RE2. */
import { RE2JS } from 're2js'

export interface Pattern {
  readonly source: string
  /** Whether the pattern is found somewhere in a text. */
  matches(text: string): boolean
}

/** A pattern that RE2 cannot read. The message says what to write instead. */
export class PatternError extends Error {}

/** Reads a pattern in the syntax of JavaScript. Throws `PatternError` for one that RE2 does not support. */
export function readPattern(source: string, ignoreCase = false): Pattern {
  if (source.length > 2000) throw new PatternError('write at most 2000 characters')
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return { source, matches: (text) => pattern.test(text) }
  } catch (error) {
    throw new PatternError(remedyFor(source, (error as Error).message))
  }
}

function remedyFor(source: string, message: string): string {
  if (/\(\?<?[=!]/.test(source))
    return 'look-around is not supported; write the pattern without (?=, (?!, (?<= or (?<!'
  if (/\\(?:[1-9]|k<)/.test(source)) return 'back-references are not supported; write the repeated part again'
  const why = message.replace(/^error parsing regexp: /, '').replaceAll('`', '')
  return `write a regular expression that is valid in RE2 (${why})`
}
