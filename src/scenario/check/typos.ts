/**
 * Probable mistakes in what is allowed: images that no call asks for, names of values without their `${…}`,
 * fields that resemble those of a request.
 */
import { isFields } from '../../engine/fields.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import type { RuleSpec } from '../format/scenario.ts'
import type { ScriptItemSpec } from '../format/stream.ts'
import { fieldsOf, formsOf } from './forms.ts'
import { answersOf } from './reach.ts'
import type { ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

/** Scripts that name an image beyond those that were asked for, or skip one. */
export function* strayPictures({ when, then }: RuleSpec, path: Path): Generator<ScenarioMistake> {
  const { n } = (isFields(when?.body) ? when.body : {}) as { readonly n?: unknown }
  for (const { answer, path: at } of answersOf(then)) {
    const named = (answer.stream?.script ?? []).map(pictureOf)
    const all = new Set(named.filter((picture) => picture !== undefined))
    const missing = Array.from({ length: Math.max(-1, ...all) + 1 }, (_, index) => index).find(
      (index) => !all.has(index),
    )
    for (const [index, picture] of named.entries()) {
      if (picture === undefined) continue
      const here = { path: [...path, 'then', ...at, 'stream', 'script', index], key: false }
      if (typeof n === 'number' && picture >= n)
        yield {
          ...here,
          message: `there is no picture ${picture}: the call asks for ${n}, and they are counted from 0`,
        }
      else if (missing !== undefined && picture > missing)
        yield {
          ...here,
          message: `picture ${picture} is in the script, picture ${missing} is not: they are counted from 0`,
        }
    }
  }
}

/** Texts of a step that name a saved value in another template syntax. */
export function* bareNames(
  steps: readonly unknown[],
  path: Path,
  saved: Set<string> = new Set(),
): Generator<ScenarioMistake> {
  for (const [index, step] of steps.entries()) {
    if (!isFields(step)) continue
    for (const [key, value] of Object.entries(step)) {
      if (key === 'parallel' && Array.isArray(value)) yield* bareNames(value, [...path, index, key], saved)
      else if (key !== 'save' && key !== 'name')
        yield* bare(value, [...path, index, key], key === 'fetch', saved)
    }
    for (const name of isFields(step['save']) ? Object.keys(step['save']) : []) saved.add(name)
  }
}

/** Unknown fields of a call that resemble known ones: the service ignores them. */
export function* strayFields(
  steps: readonly unknown[],
  path: Path,
  endpoint: Vocabulary['endpoint'],
): Generator<ScenarioMistake> {
  for (const [index, step] of steps.entries()) {
    if (!isFields(step)) continue
    if (Array.isArray(step['parallel']))
      yield* strayFields(step['parallel'] as unknown[], [...path, index, 'parallel'], endpoint)
    const called = typeof step['call'] === 'string' ? endpoint(step['call']) : undefined
    if (called === undefined || !isFields(step['with'])) continue
    const schema = called.accepts.length > 0 ? called.body : called.query
    const fields = schema === undefined ? undefined : fieldsOf(formsOf(schema))
    if (fields === undefined) continue
    const known = [
      ...fields.keys(),
      ...[...called.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
    ]
    for (const name of Object.keys(step['with'])) {
      const nearest = known.includes(name.replace(/\[\]$/, '')) ? undefined : nearestWord(name, known)
      if (nearest !== undefined && !Object.hasOwn(step['with'], nearest))
        yield {
          path: [...path, index, 'with', name],
          key: true,
          message: `${called.operation} has no field ${show(name)}: did you mean ${nearest}?`,
        }
    }
  }
}

function* bare(
  value: unknown,
  path: Path,
  inside: boolean,
  saved: ReadonlySet<string>,
): Generator<ScenarioMistake> {
  if (typeof value === 'string') {
    for (const [written, dollar, braces] of value.matchAll(
      /\$(\w+)|(?<!\$)\{\{?\s*(\w+)(?:\.[\w.]+)?\s*\}\}?/g,
    )) {
      const name = dollar ?? braces ?? ''
      if (saved.has(name) && (inside || written === value))
        yield {
          path,
          key: false,
          message: `"${written}" is sent literally: did you mean "\${${name}}", which an earlier step saves?`,
        }
    }
  } else if (value !== null && typeof value === 'object') {
    for (const [name, part] of Object.entries(value))
      yield* bare(part, [...path, Array.isArray(value) ? Number(name) : name], inside, saved)
  }
}

function pictureOf(item: ScriptItemSpec): number | undefined {
  return 'partial' in item ? item.partial : 'picture' in item ? item.picture : undefined
}
