/** `${name}` in the texts of a step: what earlier steps saved is put in. Knows nothing of calls. */

/** Names that a step needs and nobody has saved. */
export class UnknownNames extends Error {
  override readonly name = 'UnknownNames'
  readonly names: readonly string[]

  constructor(names: readonly string[]) {
    super(`no step before this one has saved ${names.map((name) => `"${name}"`).join(' and ')}`)
    this.names = names
  }
}

const reference = /\$\{([^{}]*)\}/g

/** The saved values that the texts of a value refer to (`${job.id}` refers to job), each once, in order. */
export function namesIn(value: unknown): string[] {
  const found = new Set<string>()
  walk(value, (text) => {
    for (const [, path = ''] of text.matchAll(reference)) found.add(path.split('.')[0] as string)
    return text
  })
  return [...found]
}

/**
 * The value with what was saved in the place of each `${name}`. A text that is nothing else becomes the saved value itself, of
 * whatever type; inside a longer text it is written as text, objects as JSON. Throws `UnknownNames`.
 */
export function filledIn<Value>(value: Value, saved: ReadonlyMap<string, unknown>): Value {
  const unknown = namesIn(value).filter((name) => !saved.has(name))
  if (unknown.length > 0) throw new UnknownNames(unknown)
  return walk(value, (text) => {
    const whole = /^\$\{([^{}]*)\}$/.exec(text)?.[1]
    const named = (path: string): unknown => valueAt(saved.get(path.split('.')[0] as string), path.split('.').slice(1))
    if (whole !== undefined) return named(whole)
    return text.replace(reference, (_, path: string) => written(named(path)))
  }) as Value
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function walk(value: unknown, text: (text: string) => unknown): unknown {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map((item) => walk(item, text))
  if (value === null || typeof value !== 'object') return value
  // Keys are text as well: a shape may name a field by what was saved.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [String(walk(key, text)), walk(item, text)]))
}

/** The parts of a written path: `body.data[0].url` and `body.data.0.url` say the same. */
export function pathParts(path: string): string[] {
  return path.replace(/\[(\d+)\]/g, '.$1').split('.').filter((part) => part !== '')
}

/** The value at a path, or undefined. */
export function valueAt(value: unknown, parts: readonly string[]): unknown {
  let at = value
  for (const part of parts) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, part)) return undefined
    at = (at as Record<string, unknown>)[part]
  }
  return at
}
