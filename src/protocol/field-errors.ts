/** Turns zod issues into actionable errors: field path, expected value, received value. */
import type * as z from 'zod'
import { defined, isFields } from '../engine/fields.ts'
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
import { fieldPath, maxErrors, show, valueAt } from './wording.ts'

/** Thrown for invalid options, settings or requests. `errors` lists at most fifty errors. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly errors: readonly FieldError[]

  /** One line per error follows `title`, unless `message` is complete. */
  constructor(title: string, errors: readonly FieldError[], message?: string) {
    const shown = errors.slice(0, maxErrors)
    const lines = shown.map(({ field, message }) => `  ${field === '' ? '(top level)' : field}: ${message}`)
    const more = errors.length > shown.length ? '\n  … and more' : ''
    super(message ?? `${title}:\n${lines.join('\n')}${more}`)
    this.errors = shown
  }
}

/** An error: its place and a remedy. */
export interface FieldError {
  /** Such as `messages[0].content`; empty for the body itself. */
  readonly field: string
  readonly message: string
}

/** An error with its path, for callers that show the place in a file. @internal */
export interface LocatedError extends FieldError {
  readonly path: readonly PropertyKey[]
  /** True if the schema has no such key; `key` is true, too. */
  readonly unknown?: true
  /** True if the key is wrong, not its value. */
  readonly key: boolean
  /** The expected values, if there is a list of them. */
  readonly words?: readonly string[]
  /** `type`: a value of another type; `format`: a string of the wrong form. */
  readonly kind?: 'type' | 'format'
  /** The expected value; undefined if the rule has its own message. */
  readonly expected?: string
  /** The message of the rule. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** The errors of a failed validation of `input`, most relevant first, at most `limit`. @internal */
export function fieldErrors(error: z.ZodError, input: unknown, limit = 20): FieldError[] {
  return firstOf(locatedErrors(error.issues, input), limit).map(({ field, message }) => ({
    field,
    message,
  }))
}

/**
 * The errors of a failed validation with their paths, as an iterator because there may be very many.
 * @internal
 */
export function* locatedErrors(issues: readonly z.core.$ZodIssue[], input: unknown): Generator<LocatedError> {
  for (const issue of issues) yield* errorsOf(issue as Issue, [], input)
}

/** The first items; the iterator stops there. @internal */
export function firstOf<T>(items: Iterable<T>, limit: number): T[] {
  const first: T[] = []
  for (const item of items) {
    first.push(item)
    if (first.length === limit) break
  }
  return first
}

type Issue = z.core.$ZodIssue
type Union = z.core.$ZodIssueInvalidUnion
type Path = readonly PropertyKey[]

function* errorsOf(issue: Issue, base: Path, input: unknown): Generator<LocatedError> {
  const path = [...base, ...issue.path]
  const value = valueAt(input, path)
  switch (issue.code) {
    case 'invalid_type': {
      // A schema may have a better message than its type: for the author of a form, several files are not an
      // array.
      const expected = statedIn(issue.message) ?? withArticle(issue.expected)
      yield { ...error(path, value, expected), kind: 'type' }
      return
    }
    case 'invalid_value': {
      const kind = issue.values.some((one) => typeof one === typeof value) ? {} : { kind: 'type' as const }
      yield { ...error(path, value, oneOf(issue.values)), words: issue.values.map(String), ...kind }
      return
    }
    case 'too_small':
    case 'too_big': {
      const expected = boundText(issue, issue.code === 'too_small' ? 'at least' : 'at most')
      const message = `expected ${expected}, got ${sizeText(issue.origin, value)}`
      yield { path, field: fieldPath(path), key: false, expected, message }
      return
    }
    case 'unrecognized_keys':
      for (const key of issue.keys)
        yield {
          path: [...path, key],
          unknown: true,
          key: true,
          field: fieldPath([...path, key]),
          message: 'is not a known field: remove it',
        }
      return
    case 'invalid_union':
      yield* unionErrors(issue, path, input)
      return
    case 'invalid_key': {
      for (const { message } of locatedErrors(issue.issues, path.at(-1)))
        yield { path, field: fieldPath(path), message: `the key: ${message}`, key: true }
      return
    }
    default:
      yield ruleError(issue, path, value)
  }
}

/** `expected X, got Y`, or `is required`. */
function error(path: Path, value: unknown, expected: string): LocatedError & { readonly expected: string } {
  const message =
    value === undefined ? `is required: expected ${expected}` : `expected ${expected}, got ${show(value)}`
  return { path, field: fieldPath(path), key: false, expected, message }
}

/** The expectation in the message of a rule that omits the received value. */
const statedIn = (message: string): string | undefined =>
  /^expected (?!.*, got )/s.test(message) ? message.slice('expected '.length) : undefined

const formats: Readonly<Record<string, string>> = { url: 'a URL', datetime: 'an ISO 8601 timestamp' }

function ruleError(issue: Issue, path: Path, value: unknown): LocatedError {
  const stated = statedIn(issue.message)
  const format = issue.code === 'invalid_format' ? issue.format : undefined
  const isComplete = value === undefined || (issue.code === 'custom' && stated === undefined)
  const expected = stated ?? (format === undefined ? undefined : formats[format])
  return {
    path,
    field: fieldPath(path),
    key: false,
    message: isComplete ? issue.message : `${issue.message}, got ${show(value)}`,
    ...defined({
      expected,
      kind: format === undefined ? undefined : ('format' as const),
      params: issue.code === 'custom' ? issue.params : undefined,
    }),
  }
}

function* unionErrors(issue: Union, path: Path, input: unknown): Generator<LocatedError> {
  const branches = issue.errors ?? []
  const value = valueAt(input, path)
  if (issue.discriminator !== undefined && branches.length === 0) {
    yield discriminatorError(issue, issue.discriminator, path, input)
    return
  }
  const possible = branches.filter((branch) => branch.length > 0)
  const intended = intendedBranch(possible, value)
  if (intended === undefined || matchDepth(intended) === 0) {
    const alternatives = [...new Set(branches.flatMap((branch) => branch.flatMap(expectedBy)))]
    if (alternatives.length > 1 || intended === undefined) {
      const expected = joinAlternatives(alternatives)
      const words = branches.flatMap((branch) => branch.flatMap(valuesExpectedBy)).map(String)
      yield {
        ...error(path, value, value === undefined ? expected : expected || 'another shape'),
        words,
        ...(words.length === 0 ? { kind: 'type' } : {}),
      }
      return
    }
  }
  for (const inner of intended ?? []) yield* errorsOf(inner, path, input)
}

/**
 * The branch of a union that was most likely meant: the object whose required key is present, else the branch
 * with the deepest match.
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

function discriminatorError(issue: Union, discriminator: string, path: Path, input: unknown): LocatedError {
  const options = (issue as { options?: unknown[] }).options
  const keyPath = [...path, ...(path.at(-1) === discriminator ? [] : [discriminator])]
  const got = valueAt(input, keyPath)
  const expected = options === undefined ? issue.message : oneOf(options)
  // A schema may have its own message.
  const hint = options === undefined || /^Invalid /.test(issue.message) ? '' : `: ${issue.message}`
  const found = error(keyPath, got, expected)
  return { ...found, message: `${found.message}${hint}`, ...defined({ words: options?.map(String) }) }
}
