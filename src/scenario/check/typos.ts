/**
 * Probable mistakes in what is allowed: images that no call asks for, names of values without their `${…}`,
 * fields that resemble those of a request.
 */
import { type Fields, isFields } from '../../engine/fields.ts'
import { refusals } from '../../protocol/errors.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { nameFieldOf } from '../../protocol/resource-name.ts'
import { show } from '../../protocol/wording.ts'
import { goesWith, knownType } from '../compile/error.ts'
import type { RuleSpec } from '../format/scenario.ts'
import type { ScriptItemSpec } from '../format/stream.ts'
import { fieldsOf, formsOf } from './forms.ts'
import { answersOf } from './reach.ts'
import type { ScenarioMistake } from './shape.ts'
import { valueMeant } from './templates.ts'

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

/** Errors whose type and status are not known together: clients look at the one or the other. */
export function* strayErrors({ then }: RuleSpec, path: Path): Generator<ScenarioMistake> {
  for (const { answer, path: at } of answersOf(then)) {
    const { type, status } = answer.error ?? {}
    if (type === undefined || status === undefined) continue
    const known = knownType(type)
    const nearest = nearestWord(type, Object.keys(refusals))
    const here = { path: [...path, 'then', ...at, 'error', 'type'], key: false }
    if (known !== undefined && !goesWith(known, status))
      yield { ...here, message: `${type} has the status ${refusals[known].status} elsewhere, not ${status}` }
    else if (known === undefined && nearest !== undefined)
      yield { ...here, message: `${show(type)} is sent as it is: did you mean ${nearest}?` }
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

/** Fields of a call that its operation does not have: the service ignores them. */
export function* strayFields(
  steps: readonly unknown[],
  path: Path,
  endpoint: Vocabulary['endpoint'],
): Generator<ScenarioMistake> {
  for (const [index, step] of steps.entries()) {
    if (!isFields(step)) continue
    if (Array.isArray(step['parallel']))
      yield* strayFields(step['parallel'] as unknown[], [...path, index, 'parallel'], endpoint)
    for (const { name, operation, nearest } of unknownFields(step, endpoint))
      if (nearest === undefined)
        yield {
          path: [...path, index, 'with', name],
          key: true,
          message: `${operation} has no field ${show(name)}: it is sent, and the service ignores it`,
        }
  }
}

/** The same of one step, each with the field that it resembles. */
export function* unknownFields(
  step: Fields,
  endpoint: Vocabulary['endpoint'],
): Generator<{ readonly name: string; readonly operation: string; readonly nearest: string | undefined }> {
  const called = typeof step['call'] === 'string' ? endpoint(step['call']) : undefined
  const sent = step['with']
  if (called === undefined || !isFields(sent)) return
  const schema = called.accepts.length > 0 ? called.body : called.query
  const fields = schema === undefined ? undefined : fieldsOf(formsOf(schema))
  if (fields === undefined) return
  const known = [
    ...fields.keys(),
    ...[...called.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
  ]
  const named = nameFieldOf(called)
  for (const name of Object.keys(sent)) {
    if (name === named || known.includes(name.replace(/\[\]$/, ''))) continue
    const nearest = nearestWord(name, known)
    yield {
      name,
      operation: called.operation,
      nearest: nearest === undefined || Object.hasOwn(sent, nearest) ? undefined : nearest,
    }
  }
}

/** Texts of an answer that name a value of the request in another template language. */
export function* foreignTemplates(value: unknown, path: Path): Generator<ScenarioMistake> {
  if (typeof value === 'string') {
    for (const [written, braces, percent, bare] of value.matchAll(foreign)) {
      const meant = valueMeant(
        (braces ?? percent ?? bare ?? '').replace(/^jsonPath request\.body '\$\.([\w.]+)'$/, 'body.$1'),
      )
      if (meant !== undefined)
        yield {
          path,
          key: false,
          message: `${show(written)} is sent as it is: write "\${${meant}}" for the value of the request`,
        }
    }
  } else if (value !== null && typeof value === 'object')
    for (const [name, part] of Object.entries(value))
      yield* foreignTemplates(part, [...path, Array.isArray(value) ? Number(name) : name])
}

const foreign = new RegExp(
  [
    /\{\{\{?\s*([^{}]{1,200}?)\s*\}?\}\}/,
    /<%=?\s*([^%]{1,200}?)\s*%>/,
    /\$((?:request|req|body|query|headers|path)\.[\w.[\]]+)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

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
