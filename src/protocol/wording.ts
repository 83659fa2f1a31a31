/** Turns what zod found into words a developer can act on: field path, expected, got. */
import type * as z from 'zod'
import { truncate } from '../engine/truncate.ts'

/** One finding: where, and what to change. */
export interface Finding {
  /** As `messages[0].content`; empty for the body itself. */
  readonly field: string
  readonly message: string
}

/** A finding with the path it is about, for who shows where it stands. @internal */
export interface LocatedFinding extends Finding {
  readonly path: readonly PropertyKey[]
  /** True when nothing has such a key. */
  readonly unknown?: true
  /** The words that would have been right, when there is a list of them. */
  readonly words?: readonly string[]
}

/** The findings of a failed validation of `input`, most relevant first, at most `limit`. @internal */
export function findings(error: z.ZodError, input: unknown, limit = 20): Finding[] {
  return locatedFindings(error, input)
    .slice(0, limit)
    .map(({ field, message }) => ({ field, message }))
}

/** The same of a reply, which nobody but its author can mend. @internal */
export function replyFindings(error: z.ZodError, reply: unknown, limit = 20): Finding[] {
  return locatedFindings(error, reply)
    .slice(0, limit)
    .map(({ field, message, unknown }) => ({
      field,
      message: unknown === true ? 'is not a field of this reply' : message,
    }))
}

/** The same with their paths, all of them. @internal */
export function locatedFindings(error: z.ZodError, input: unknown): LocatedFinding[] {
  const list: LocatedFinding[] = []
  for (const issue of error.issues) collect(issue as z.core.$ZodIssue, [], input, list)
  return list
}

/** The beginning of a text, at most `most` characters, with `…` where the rest is left out. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 2)) ? most - 2 : most - 1
  return `${truncate(text, end)}…`
}

/** The longest field path that is shown; a key can be as long as a body. */
const maxFieldLength = 200

/** A path of keys and indexes as people write it. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? String(part) : `.${String(part)}`
    if (text.length > maxFieldLength) return clip(text, maxFieldLength)
  }
  return text
}

function collect(
  issue: z.core.$ZodIssue,
  base: readonly PropertyKey[],
  input: unknown,
  list: LocatedFinding[],
): void {
  const path = [...base, ...issue.path]
  const field = fieldPath(path)
  const value = valueAt(input, path)
  switch (issue.code) {
    case 'invalid_type': {
      // A schema may have better words than its type: a list of files of a form is no array to who writes the
      // form.
      const expected = issue.message.startsWith('expected ')
        ? issue.message
        : `expected ${article(issue.expected)}`
      list.push({
        path,
        field,
        message: value === undefined ? `is required: ${expected}` : `${expected}, got ${show(value)}`,
      })
      return
    }
    case 'invalid_value':
      list.push({
        path,
        words: issue.values.map(String),
        field,
        message: `${value === undefined ? 'is required: ' : ''}expected ${oneOf(issue.values)}${value === undefined ? '' : `, got ${show(value)}`}`,
      })
      return
    case 'too_small':
      list.push({
        path,
        field,
        message: `expected ${bound(issue, 'at least')}, got ${size(issue.origin, value)}`,
      })
      return
    case 'too_big':
      list.push({
        path,
        field,
        message: `expected ${bound(issue, 'at most')}, got ${size(issue.origin, value)}`,
      })
      return
    case 'unrecognized_keys':
      for (const key of issue.keys)
        list.push({
          path: [...path, key],
          unknown: true,
          field: fieldPath([...path, key]),
          message: 'is not a field of this request: remove it',
        })
      return
    case 'invalid_union': {
      const branches = issue.errors ?? []
      // The branch that got furthest is the one the developer meant: one whose type fits goes before one
      // whose type does not.
      const possible = branches.filter((branch) => branch.length > 0)
      // Of objects that are told apart by the key they must have, the one whose key is there.
      const keyed = isObject(value)
        ? possible.filter(
            (branch) =>
              !branch.some(
                ({ code, path: [name, ...rest] }) =>
                  code === 'invalid_type' &&
                  name !== undefined &&
                  rest.length === 0 &&
                  !Object.hasOwn(value, name),
              ) && reach(branch) > 0,
          )
        : []
      const best = (keyed.length === 1 ? keyed : [...possible]).sort(
        (a, b) => reach(b) - reach(a) || a.length - b.length,
      )[0]
      const discriminator = (issue as { discriminator?: string }).discriminator
      if (discriminator !== undefined && branches.length === 0) {
        const options = (issue as { options?: unknown[] }).options
        const at = [...path, ...(path.at(-1) === discriminator ? [] : [discriminator])]
        const got = valueAt(input, at)
        // A schema that knows what was meant says so in a message of its own.
        const hint = options === undefined || /^Invalid /.test(issue.message) ? '' : `: ${issue.message}`
        list.push({
          path: at,
          ...(options === undefined ? {} : { words: options.map(String) }),
          field: fieldPath(at),
          message: `${got === undefined ? 'is required: ' : ''}expected ${options === undefined ? issue.message : oneOf(options)}${got === undefined ? '' : `, got ${show(got)}`}${hint}`,
        })
        return
      }
      // Texts of several kinds: each says what it expects.
      const sentences = possible.flatMap((branch) =>
        branch.length === 1 &&
        branch[0]?.path.length === 0 &&
        branch[0].message.startsWith('expected ') &&
        (branch[0].code === 'custom' || branch[0].code === 'invalid_type')
          ? [branch[0].message.slice('expected '.length)]
          : [],
      )
      if (sentences.length > 1 && sentences.length === possible.length && value !== undefined) {
        list.push({ path, field, message: `expected ${sentences.join(', or ')}, got ${show(value)}` })
        return
      }
      if (best === undefined || reach(best) === 0) {
        const alternatives = [...new Set(branches.flatMap((branch) => branch.flatMap(wantedBy)))]
        if (alternatives.length > 1 || best === undefined) {
          list.push({
            path,
            words: branches.flatMap((branch) => branch.flatMap(valuesOf)).map(String),
            field,
            message:
              value === undefined
                ? `is required: expected ${anyOf(alternatives)}`
                : `expected ${anyOf(alternatives) || 'another shape'}, got ${show(value)}`,
          })
          return
        }
      }
      for (const inner of best ?? []) collect(inner, path, input, list)
      return
    }
    case 'invalid_key': {
      const key = path.at(-1)
      const found: LocatedFinding[] = []
      for (const inner of issue.issues) collect(inner, [], key, found)
      for (const { message } of found) list.push({ path, field, message: `the key: ${message}` })
      return
    }
    default: {
      // A rule of ours that says what it expects leaves it to us to say what there was.
      const complete =
        value === undefined || (issue.code === 'custom' && !/^expected (?!.*, got )/s.test(issue.message))
      list.push({ path, field, message: complete ? issue.message : `${issue.message}, got ${show(value)}` })
    }
  }
}

/** Numbers that may also be written as text are told once. */
function anyOf(alternatives: readonly string[]): string {
  const [texts, numbers] = alternatives
  return alternatives.length === 2 && texts?.replaceAll('"', '') === numbers
    ? `${numbers} (as text or number)`
    : alternatives.join(' or ')
}

/** What would have been right, of unions inside a union too. */
function wantedBy(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'invalid_type') return [article(issue.expected)]
  if (issue.code === 'invalid_value') return [oneOf(issue.values)]
  return insideUnion(issue).flatMap(wantedBy)
}

function valuesOf(issue: z.core.$ZodIssue): unknown[] {
  return issue.code === 'invalid_value' ? [...issue.values] : insideUnion(issue).flatMap(valuesOf)
}

function insideUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  return issue.code === 'invalid_union' && issue.path.length === 0 ? (issue.errors ?? []).flat() : []
}

// How far a branch got: 0 when the value is of another kind altogether. A union inside a union got as far as
// the best of its
// branches. No spread: a long list of wrong items makes more issues than a call can take arguments.
function reach(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((furthest, issue) => Math.max(furthest, reachOf(issue)), 0)
}

function reachOf(issue: z.core.$ZodIssue): number {
  if (issue.path.length > 0) return issue.path.length + 1
  if (issue.code === 'invalid_union')
    return (issue.errors ?? []).reduce((furthest, branch) => Math.max(furthest, reach(branch)), 0)
  return issue.code === 'invalid_type' || issue.code === 'invalid_value' ? 0 : 1
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<PropertyKey, unknown>)[part]
  }
  return value
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function article(kind: string): string {
  if (kind === 'int') return 'a whole number'
  if (kind === 'record') return 'an object'
  if (kind === 'null' || kind === 'undefined') return kind
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value) ?? String(value))
  return words.length === 1 ? (words[0] as string) : `one of ${words.join(', ')}`
}

function bound(
  issue: { origin: string; minimum?: unknown; maximum?: unknown; inclusive?: boolean; exact?: boolean },
  word: string,
): string {
  const amount = String(issue.minimum ?? issue.maximum)
  const unit: Readonly<Record<string, string>> = {
    string: ' character(s)',
    array: ' item(s)',
    map: ' entries',
    object: ' entries',
    record: ' entries',
  }
  const prefix = issue.exact
    ? 'exactly'
    : issue.inclusive === false
      ? word === 'at least'
        ? 'more than'
        : 'less than'
      : word
  return `${prefix} ${amount}${unit[issue.origin] ?? ''}`
}

function size(origin: string, value: unknown): string {
  if (origin === 'string' && typeof value === 'string')
    return value.length === 0 ? 'an empty string' : `${value.length}`
  if (Array.isArray(value)) return `${value.length}`
  return show(value)
}

/** A value in a few words: enough to recognise it, never the whole of a long one. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value !== null && typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return clip(text, 58)
}
