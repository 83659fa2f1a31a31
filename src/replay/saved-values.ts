/** `${name}` in the texts of a step: what earlier steps saved is put in. */
import { fill, templatesIn, valueAt } from '../scenario/templates.ts'

/** Something that a step needs and that nobody has saved. */
export class UnknownNames extends Error {
  override readonly name = 'UnknownNames'
  readonly names: readonly string[]

  constructor(names: readonly string[]) {
    super(`no step before this one has saved ${names.join(' and ')}`)
    this.names = names
  }
}

/** What the texts of a value refer to (`video`, `job.id`), each once, in order. */
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
 * The value with what was saved in the place of each `${name}`. A text that is nothing else becomes the saved
 * value itself, of whatever type; inside a longer text it is written as text, objects as JSON. Throws
 * `UnknownNames`.
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

/** A part of a reply by its written path: `body.data[0].url` and `body.data.0.url` say the same. */
export function partAt(view: unknown, path: string): unknown {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  // Names of headers have no case, and no dots that would lead further.
  return parts[0] === 'headers'
    ? valueAt(view, ['headers', parts.slice(1).join('.').toLowerCase()])
    : valueAt(view, parts)
}
