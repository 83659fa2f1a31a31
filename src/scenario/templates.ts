/** Values of the request inside a response: `${body.prompt}`. Expressions are not supported. */
import { mapTexts } from '../engine/fields.ts'
import { valueAt } from '../protocol/wording.ts'
import { type ConditionFacts, callParts } from './condition-facts.ts'

// `$${` comes first: it is an escaped `${`.
const pattern = /\$\$\{|\$\{([^{}]{1,200})\}/g
const whole = /^\$\{([^{}]{1,200})\}$/

/** The first parts of template names. */
export const templateSources: readonly string[] = Object.keys(callParts)

/** Whether the value contains a template. */
export function hasTemplates(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('${')
  return value !== null && typeof value === 'object' && Object.values(value).some(hasTemplates)
}

/** Every string inside a value, with its path. */
export function* textsIn(
  value: unknown,
  path: readonly PropertyKey[],
): Generator<{ readonly text: string; readonly at: readonly PropertyKey[] }> {
  if (typeof value === 'string') yield { text: value, at: path }
  else if (value !== null && typeof value === 'object')
    for (const [name, part] of Object.entries(value))
      yield* textsIn(part, [...path, Array.isArray(value) ? Number(name) : name])
}

/** The names of the templates in a string. */
export function templatesIn(text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([, name]) => name ?? [])
}

/** The rest of a string from the first `${` that starts no template; undefined if there is none. */
export function unclosedTemplate(text: string): string | undefined {
  const rest = text.replace(pattern, (written) => '\0'.repeat(written.length))
  const at = rest.indexOf('${')
  return at < 0 ? undefined : text.slice(at, at + 40)
}

/** The value with its templates filled in; a string that is a single template gets the type of its value. */
export function fillTemplates<T>(value: T, facts: ConditionFacts): T {
  return fill(value, (name) => valueNamed(name, facts)) as T
}

/** The same with values from a function, which returns undefined for unknown names. */
export function fill(value: unknown, lookUp: (name: string) => unknown): unknown {
  return mapTexts(value, (text) => {
    const only = whole.exec(text)?.[1]
    if (only !== undefined) return lookUp(only) ?? text
    return text.replace(pattern, (written, name: string | undefined) =>
      name === undefined ? '${' : (textOf(lookUp(name)) ?? written),
    )
  })
}

/** The parts of a name: `body.messages[0].content` and `body.messages.0.content` are the same. */
export function partsOf(name: string): string[] {
  return name.replace(/\[(\d+)\]/g, '.$1').split('.')
}

/** The value of a name such as `body.prompt` in a request. */
export function valueNamed(name: string, facts: ConditionFacts): unknown {
  const [source = '', ...path] = partsOf(name)
  if (!Object.hasOwn(callParts, source)) return undefined
  const place = source === 'headers' ? [path.join('.').toLowerCase()] : path
  return valueAt(callParts[source as keyof typeof callParts](facts), place)
}

/** A value as text; undefined for none. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
