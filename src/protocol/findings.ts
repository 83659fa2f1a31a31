/** Turns the issues of zod into findings a developer can act on: field path, expected, got. */

import type * as z from 'zod'
import { isFields, valueAt } from '../engine/fields.ts'
import {
  boundText,
  expectedBy,
  joinAlternatives,
  matchDepth,
  oneOf,
  sizeText,
  valuesExpectedBy,
  withArticle,
} from './expected-values.ts'
import { fieldPath, show } from './wording.ts'

/** A mistake: where it is, and what to change. */
export interface Finding {
  /** As `messages[0].content`; empty for the body itself. */
  readonly field: string
  readonly message: string
}

/** A finding with its path, for callers that point at the place in a file. @internal */
export interface LocatedFinding extends Finding {
  readonly path: readonly PropertyKey[]
  /** True when the schema has no such key. */
  readonly unknown?: true
  /** The words that would have been right, when there is a list of them. */
  readonly words?: readonly string[]
  /** `type`: another type of value; `format`: a text of the wrong form. */
  readonly kind?: 'type' | 'format'
}

/** The findings of a failed validation of `input`, most relevant first, at most `limit`. @internal */
export function findings(error: z.ZodError, input: unknown, limit = 20): Finding[] {
  return firstOf(locatedFindings(error.issues, input), limit).map(({ field, message }) => ({
    field,
    message,
  }))
}

/** The findings about a reply, worded for its author. @internal */
export function replyFindings(error: z.ZodError, reply: unknown, limit = 20): Finding[] {
  return firstOf(locatedFindings(error.issues, reply), limit).map(({ field, message, unknown }) => ({
    field,
    message: unknown === true ? 'is not a field of this reply' : message,
  }))
}

/** The findings of a failed validation with their paths, one by one: there may be very many. @internal */
export function* locatedFindings(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
): Generator<LocatedFinding> {
  for (const issue of issues) yield* findingsOf(issue as Issue, [], input)
}

/** The first items; no more of them are made. @internal */
export function firstOf<T>(items: Iterable<T>, limit: number): T[] {
  const first: T[] = []
  if (limit <= 0) return first
  for (const item of items) {
    first.push(item)
    if (first.length === limit) break
  }
  return first
}

type Issue = z.core.$ZodIssue
type Union = z.core.$ZodIssueInvalidUnion
type Path = readonly PropertyKey[]

function* findingsOf(issue: Issue, base: Path, input: unknown): Generator<LocatedFinding> {
  const path = [...base, ...issue.path]
  const field = fieldPath(path)
  const value = valueAt(input, path)
  const isMissing = value === undefined
  switch (issue.code) {
    case 'invalid_type': {
      // A schema may have better words than its type: to the author of a form, a list of files is no array.
      const expected = issue.message.startsWith('expected ')
        ? issue.message
        : `expected ${withArticle(issue.expected)}`
      yield {
        path,
        field,
        message: isMissing ? `is required: ${expected}` : `${expected}, got ${show(value)}`,
        kind: 'type',
      }
      return
    }
    case 'invalid_value': {
      const expected = `expected ${oneOf(issue.values)}`
      const message = isMissing ? `is required: ${expected}` : `${expected}, got ${show(value)}`
      const kind = issue.values.some((one) => typeof one === typeof value) ? {} : { kind: 'type' as const }
      yield { path, words: issue.values.map(String), field, message, ...kind }
      return
    }
    case 'too_small':
    case 'too_big': {
      const bound = boundText(issue, issue.code === 'too_small' ? 'at least' : 'at most')
      yield { path, field, message: `expected ${bound}, got ${sizeText(issue.origin, value)}` }
      return
    }
    case 'unrecognized_keys':
      for (const key of issue.keys)
        yield {
          path: [...path, key],
          unknown: true,
          field: fieldPath([...path, key]),
          message: 'is not a field of this request: remove it',
        }
      return
    case 'invalid_union':
      yield* unionFindings(issue, path, input)
      return
    case 'invalid_key': {
      for (const { message } of locatedFindings(issue.issues, path.at(-1)))
        yield { path, field, message: `the key: ${message}` }
      return
    }
    default: {
      // A custom rule that says what it expects leaves it to us to say what there was.
      const isComplete =
        isMissing || (issue.code === 'custom' && !/^expected (?!.*, got )/s.test(issue.message))
      const message = isComplete ? issue.message : `${issue.message}, got ${show(value)}`
      yield { path, field, message, ...(issue.code === 'invalid_format' ? { kind: 'format' } : {}) }
    }
  }
}

function* unionFindings(issue: Union, path: Path, input: unknown): Generator<LocatedFinding> {
  const branches = issue.errors ?? []
  const value = valueAt(input, path)
  if (issue.discriminator !== undefined && branches.length === 0) {
    yield discriminatorFinding(issue, issue.discriminator, path, input)
    return
  }
  const possible = branches.filter((branch) => branch.length > 0)
  const field = fieldPath(path)
  const sentences = possible.flatMap(expectationOf)
  if (sentences.length > 1 && sentences.length === possible.length && value !== undefined) {
    yield { path, field, message: `expected ${sentences.join(', or ')}, got ${show(value)}` }
    return
  }
  const intended = intendedBranch(possible, value)
  if (intended === undefined || matchDepth(intended) === 0) {
    const alternatives = [...new Set(branches.flatMap((branch) => branch.flatMap(expectedBy)))]
    if (alternatives.length > 1 || intended === undefined) {
      const expected = joinAlternatives(alternatives)
      const message =
        value === undefined
          ? `is required: expected ${expected}`
          : `expected ${expected || 'another shape'}, got ${show(value)}`
      const words = branches.flatMap((branch) => branch.flatMap(valuesExpectedBy)).map(String)
      yield { path, words, field, message, ...(words.length === 0 ? { kind: 'type' } : {}) }
      return
    }
  }
  for (const inner of intended ?? []) yield* findingsOf(inner, path, input)
}

/**
 * The branch of a union that the developer most likely meant: of objects with different required keys the one
 * whose key is there, else the one that matched furthest.
 */
function intendedBranch(branches: readonly Issue[][], value: unknown): readonly Issue[] | undefined {
  const keyed = isFields(value)
    ? branches.filter(
        (branch) => !branch.some((issue) => isMissingKey(issue, value)) && matchDepth(branch) > 0,
      )
    : []
  return (keyed.length === 1 ? keyed : [...branches]).sort(
    (a, b) => matchDepth(b) - matchDepth(a) || a.length - b.length,
  )[0]
}

function isMissingKey({ code, path: [name, ...rest] }: Issue, value: object): boolean {
  return code === 'invalid_type' && name !== undefined && rest.length === 0 && !Object.hasOwn(value, name)
}

function discriminatorFinding(
  issue: Union,
  discriminator: string,
  path: Path,
  input: unknown,
): LocatedFinding {
  const options = (issue as { options?: unknown[] }).options
  const keyPath = [...path, ...(path.at(-1) === discriminator ? [] : [discriminator])]
  const got = valueAt(input, keyPath)
  const expected = `expected ${options === undefined ? issue.message : oneOf(options)}`
  // A schema that knows what was meant says so in a message of its own.
  const hint = options === undefined || /^Invalid /.test(issue.message) ? '' : `: ${issue.message}`
  return {
    path: keyPath,
    ...(options === undefined ? {} : { words: options.map(String) }),
    field: fieldPath(keyPath),
    message: got === undefined ? `is required: ${expected}${hint}` : `${expected}, got ${show(got)}${hint}`,
  }
}

/** What a branch of a union of texts expects, when its schema says so. */
function expectationOf(branch: readonly Issue[]): string[] {
  const [issue] = branch
  return issue !== undefined &&
    branch.length === 1 &&
    issue.path.length === 0 &&
    issue.message.startsWith('expected ') &&
    (issue.code === 'custom' || issue.code === 'invalid_type')
    ? [issue.message.slice('expected '.length)]
    : []
}
