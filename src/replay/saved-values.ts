/** Replaces `${name}` in a step with what earlier steps have saved. */

import { valueAt } from '../engine/fields.ts'
import { fill, templatesIn } from '../scenario/templates.ts'
import { shown } from './differences.ts'

/** A step needs values that no earlier step has saved. */
export class UnknownNames extends Error {
  override readonly name = 'UnknownNames'
  readonly names: readonly string[]

  constructor(names: readonly string[]) {
    super(`no earlier step has saved ${names.join(' and ')}`)
    this.names = names
  }
}

/** The names that a value refers to (`video`, `job.id`), each once, in order. */
export function namesIn(value: unknown): string[] {
  const found = new Set<string>()
  const walk = (part: unknown): void => {
    if (typeof part === 'string') for (const name of templatesIn(part)) found.add(name)
    else if (part !== null && typeof part === 'object') for (const inner of Object.values(part)) walk(inner)
  }
  walk(value)
  return [...found]
}

/**
 * Replaces every `${name}`. A string that is nothing else becomes the saved value itself; inside a longer
 * string, objects become JSON. Throws `UnknownNames`.
 */
export function filledIn<Value>(value: Value, saved: ReadonlyMap<string, unknown>): Value {
  const named = (path: string): unknown => {
    const [name = '', ...rest] = path.split('.')
    return valueAt(saved.get(name), rest)
  }
  const unknown = namesIn(value).filter((name) => named(name) === undefined)
  if (unknown.length > 0) throw new UnknownNames(unknown)
  return fill(value, named) as Value
}

/** A part of a reply by its path: `body.data[0].url` or `body.data.0.url`. */
export function partAt(view: unknown, path: string): unknown {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  // Header names are case-insensitive, and their dots do not separate parts.
  return parts[0] === 'headers'
    ? valueAt(view, ['headers', parts.slice(1).join('.').toLowerCase()])
    : valueAt(view, parts)
}

/** The most field names that are listed. */
const maxNames = 20

/** Why there is nothing at a path: where it ends, and which names exist there. */
export function describeAbsence(view: { readonly headers: unknown }, path: string): string {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  for (let length = parts.length - 1; length > 0; length--) {
    const parentPath = parts.slice(0, length).join('.')
    const parent = parentPath === 'headers' ? view.headers : partAt(view, parentPath)
    if (parent === undefined) continue
    if (Array.isArray(parent)) return `nothing: ${parentPath} is a list of ${parent.length}`
    if (parent === null || typeof parent !== 'object') return `nothing: ${parentPath} is ${shown(parent)}`
    const names = Object.keys(parent)
    if (names.length === 0) return `nothing: ${parentPath} has no fields`
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
    return `nothing: ${parentPath} has ${names.slice(0, maxNames).join(', ')}${more}`
  }
  return 'nothing'
}
