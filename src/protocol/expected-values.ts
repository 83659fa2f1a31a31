/** The expected values of zod issues, in words. */
import type * as z from 'zod'
import { counted } from '../text/printable.ts'
import { show } from './wording.ts'

type Issue = z.core.$ZodIssue

/** `a number`, `an object`. */
export function withArticle(kind: string): string {
  if (kind === 'int') return 'a whole number'
  if (kind === 'record') return 'an object'
  if (kind === 'null' || kind === 'undefined') return kind
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

/** Longer lists are cut: they would hide the rest of the message. */
const maxValues = { all: 40, first: 8 } as const

/** `"a"`, or `one of "a", "b"`. */
export function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value) ?? String(value))
  if (words.length === 1) return words[0] as string
  if (words.length <= maxValues.all) return `one of ${words.join(', ')}`
  return `one of ${words.slice(0, maxValues.first).join(', ')}, … (${words.length} in total)`
}

/** `a, b or c`. */
export function joinAlternatives(alternatives: readonly string[]): string {
  const text = alternatives.join(' or ')
  // With a list of values among them, more commas would be ambiguous.
  return text.includes(',') ? text : text.replaceAll(/ or (?=.* or )/g, ', ')
}

/** The expected values, including the branches of nested unions. */
export function expectedBy(issue: Issue): string[] {
  if (issue.code === 'invalid_type') return [withArticle(issue.expected)]
  if (issue.code === 'invalid_value') return [oneOf(issue.values)]
  return nestedIssues(issue).flatMap(expectedBy)
}

/** The expected literal values. */
export function valuesExpectedBy(issue: Issue): unknown[] {
  return issue.code === 'invalid_value' ? [...issue.values] : nestedIssues(issue).flatMap(valuesExpectedBy)
}

function nestedIssues(issue: Issue): readonly Issue[] {
  return issue.code === 'invalid_union' && issue.path.length === 0 ? (issue.errors ?? []).flat() : []
}

/**
 * The depth to which a branch of a union matched: 0 if the value has another type. A nested union has the
 * depth of its best branch.
 */
export function matchDepth(branch: readonly Issue[]): number {
  // Not Math.max(...): a long array of wrong items has more issues than a call can have arguments.
  return branch.reduce((deepest, issue) => Math.max(deepest, issueDepth(issue)), 0)
}

function issueDepth(issue: Issue): number {
  if (issue.path.length > 0) return issue.path.length + 1
  if (issue.code === 'invalid_union')
    return (issue.errors ?? []).reduce((deepest, branch) => Math.max(deepest, matchDepth(branch)), 0)
  return issue.code === 'invalid_type' || issue.code === 'invalid_value' ? 0 : 1
}

const units: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  map: 'key',
  object: 'key',
  record: 'key',
}

/** `at least 3 items`, `less than 10`. */
export function boundText(
  issue: { origin: string; minimum?: unknown; maximum?: unknown; inclusive?: boolean; exact?: boolean },
  inclusiveWord: 'at least' | 'at most',
): string {
  let prefix: string = inclusiveWord
  if (issue.inclusive === false) prefix = inclusiveWord === 'at least' ? 'more than' : 'less than'
  if (issue.exact) prefix = 'exactly'
  const bound = issue.minimum ?? issue.maximum
  const unit = units[issue.origin]
  return `${prefix} ${unit === undefined ? String(bound) : counted(Number(bound), unit)}`
}

/** The size of a value that is too small or too large. */
export function sizeText(origin: string, value: unknown): string {
  if (origin === 'string' && typeof value === 'string')
    return value.length === 0 ? 'an empty string' : `${value.length}`
  return Array.isArray(value) ? `${value.length}` : show(value)
}

/**
 * Like `schema.safeParse`, which throws for `{ "length": { "toString": null } }` where a string or array of
 * some length is expected, because zod compares every `length`.
 */
export function safeParse<T extends z.ZodType>(schema: T, input: unknown): z.ZodSafeParseResult<z.output<T>> {
  try {
    return schema.safeParse(input)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return schema.safeParse(withoutLengths(input))
  }
}

/** A copy whose objects have no member named `length`. */
function withoutLengths(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLengths)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      name === 'length' ? [] : [[name, withoutLengths(part)]],
    ),
  )
}
