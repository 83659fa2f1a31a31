/** The values that steps save from responses, and their places in later steps. */
import { valueAt } from '../protocol/wording.ts'
import { fill, partsOf, templatesIn, textsIn } from '../scenario/templates.ts'
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
function namesIn(value: unknown): string[] {
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

/** What there is instead of a part. */
export function describeAbsence(view: object, path: string): string {
  const [first = ''] = partsOf(path)
  return `nothing: ${first} is ${shown(valueAt(view, [first]))}`
}
