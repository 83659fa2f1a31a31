/** The values that steps save from responses, and their places in later steps. */
import { valueAt } from '../protocol/wording.ts'
import { fill, partsOf, templatesIn, textsIn } from '../scenario/templates.ts'
import { counted } from '../text/printable.ts'
import { shown } from './expectations.ts'

/** Thrown if a step needs values that no earlier step has saved. */
export class UnknownNames extends Error {
  override readonly name = 'UnknownNames'

  constructor(names: readonly string[]) {
    const words = names.map((name) => `\${${name}}`).join(' and ')
    super(`the step needs ${words}, which no earlier step has saved`)
  }
}

/** The names that a value refers to (`video`, `job.id`), each once, in order. */
export function namesIn(value: unknown): string[] {
  return [...new Set([...textsIn(value, [])].flatMap(({ text }) => templatesIn(text)))]
}

/** Replaces every `${name}`; one that is the whole string becomes the value itself. Throws `UnknownNames`. */
export function filledIn<Value>(value: Value, saved: ReadonlyMap<string, unknown>): Value {
  const named = (path: string): unknown => {
    const [name = '', ...rest] = path.split('.')
    return valueAt(saved.get(name), rest)
  }
  const unknown = namesIn(value).filter((name) => named(name) === undefined)
  if (unknown.length > 0) throw new UnknownNames(unknown)
  return fill(value, named) as Value
}

/** A part of a response by its path: `body.data[0].url` or `body.data.0.url`. */
export function partAt(view: unknown, path: string): unknown {
  const parts = partsOf(path)
  // Header names are case-insensitive, and their dots do not separate parts.
  return parts[0] === 'headers'
    ? valueAt(view, ['headers', parts.slice(1).join('.').toLowerCase()])
    : valueAt(view, parts)
}

const maxNames = 20

/** Why there is nothing at a path: where it ends, and which names exist there. */
export function describeAbsence(view: { readonly headers: unknown }, path: string): string {
  const parts = partsOf(path)
  for (let length = parts.length - 1; length > 0; length--) {
    const parentPath = parts.slice(0, length).join('.')
    const parent = parentPath === 'headers' ? view.headers : partAt(view, parentPath)
    if (parent === undefined) continue
    if (Array.isArray(parent)) return `nothing: ${parentPath} is a list of ${counted(parent.length, 'item')}`
    if (parent === null || typeof parent !== 'object') return `nothing: ${parentPath} is ${shown(parent)}`
    const names = Object.keys(parent)
    if (names.length === 0) return `nothing: ${parentPath} has no fields`
    const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
    return `nothing: ${parentPath} has the fields ${names.slice(0, maxNames).join(', ')}${more}`
  }
  return 'nothing'
}
