/** Turns what zod found into words a developer can act on: field path, expected, got. Knows nothing of endpoints. */
import type * as z from 'zod'

/** One finding: where, and what to change. */
export interface Finding {
  /** As `messages[0].content`; empty for the body itself. */
  readonly field: string
  readonly message: string
}

/** The findings of a failed validation of `input`, most relevant first, at most `limit`. */
export function findings(error: z.ZodError, input: unknown, limit = 20): Finding[] {
  const list: Finding[] = []
  for (const issue of error.issues) collect(issue as z.core.$ZodIssue, [], input, list)
  return list.slice(0, limit)
}

/** A path of keys and indexes as people write it. */
export function fieldPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += text === '' ? String(part) : `.${String(part)}`
  }
  return text
}

function collect(issue: z.core.$ZodIssue, base: readonly PropertyKey[], input: unknown, list: Finding[]): void {
  const path = [...base, ...issue.path]
  const field = fieldPath(path)
  const value = valueAt(input, path)
  switch (issue.code) {
    case 'invalid_type':
      list.push({ field, message: value === undefined ? `is required: expected ${article(issue.expected)}` : `expected ${article(issue.expected)}, got ${show(value)}` })
      return
    case 'invalid_value':
      list.push({ field, message: `${value === undefined ? 'is required: ' : ''}expected ${oneOf(issue.values)}${value === undefined ? '' : `, got ${show(value)}`}` })
      return
    case 'too_small':
      list.push({ field, message: `expected ${bound(issue, 'at least')}, got ${size(issue.origin, value)}` })
      return
    case 'too_big':
      list.push({ field, message: `expected ${bound(issue, 'at most')}, got ${size(issue.origin, value)}` })
      return
    case 'unrecognized_keys':
      for (const key of issue.keys) list.push({ field: fieldPath([...path, key]), message: 'is not a field of this request: remove it' })
      return
    case 'invalid_union': {
      const branches = issue.errors ?? []
      // The branch that got furthest is the one the developer meant.
      const best = [...branches].filter((branch) => branch.length > 0).sort((a, b) => depth(b) - depth(a) || a.length - b.length)[0]
      const discriminator = (issue as { discriminator?: string }).discriminator
      if (discriminator !== undefined && branches.length === 0) {
        const options = (issue as { options?: unknown[] }).options
        const at = [...path, ...(path.at(-1) === discriminator ? [] : [discriminator])]
        const got = valueAt(input, at)
        list.push({ field: fieldPath(at), message: `${got === undefined ? 'is required: ' : ''}expected ${options === undefined ? issue.message : oneOf(options)}${got === undefined ? '' : `, got ${show(got)}`}` })
        return
      }
      if (best === undefined || depth(best) === 0) {
        const wanted = branches.flatMap((branch) => branch.flatMap((inner) => (inner.code === 'invalid_type' ? [article(inner.expected)] : inner.code === 'invalid_value' ? [oneOf(inner.values)] : [])))
        const alternatives = [...new Set(wanted)]
        if (alternatives.length > 1 || best === undefined) {
          list.push({ field, message: value === undefined ? `is required: expected ${alternatives.join(' or ')}` : `expected ${alternatives.join(' or ') || 'another shape'}, got ${show(value)}` })
          return
        }
      }
      for (const inner of best ?? []) collect(inner, path, input, list)
      return
    }
    default:
      list.push({ field, message: value === undefined || issue.code === 'custom' ? issue.message : `${issue.message}, got ${show(value)}` })
  }
}

const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length))

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<PropertyKey, unknown>)[part]
  }
  return value
}

function article(kind: string): string {
  if (kind === 'int') return 'a whole number'
  if (kind === 'null' || kind === 'undefined') return kind
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value) ?? String(value))
  return words.length === 1 ? (words[0] as string) : `one of ${words.join(', ')}`
}

function bound(issue: { origin: string; minimum?: unknown; maximum?: unknown; inclusive?: boolean; exact?: boolean }, word: string): string {
  const amount = String(issue.minimum ?? issue.maximum)
  const unit: Readonly<Record<string, string>> = { string: ' character(s)', array: ' item(s)', map: ' entries', object: ' entries', record: ' entries' }
  const prefix = issue.exact ? 'exactly' : issue.inclusive === false ? (word === 'at least' ? 'more than' : 'less than') : word
  return `${prefix} ${amount}${unit[issue.origin] ?? ''}`
}

function size(origin: string, value: unknown): string {
  if (origin === 'string' && typeof value === 'string') return value.length === 0 ? 'an empty string' : `${value.length}`
  if (Array.isArray(value)) return `${value.length}`
  return show(value)
}

/** A value in a few words: enough to recognise it, never the whole of a long one. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value !== null && typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
