/**
 * The readable part of a rule with wrong words in it, as zod parses it, so that its other mistakes are found
 * in the same run.
 */

import type * as z from 'zod'
import { type Fields, isFields, valueAt } from '../../engine/fields.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { entryWords } from '../format/given.ts'
import { type RuleSpec, ruleSchemaOf, type ScenarioSchema } from '../format/scenario.ts'
import type { Path } from './mistake.ts'

/** A rule without what is wrong in it. */
export interface ReadableRule {
  readonly rule: RuleSpec
  /** The same as written. */
  readonly written: Fields
  readonly path: Path
  /** Whether `when` and `then` can be read at all; they are empty where not. */
  readonly when: boolean
  readonly then: boolean
  /** Whether its operations are known. */
  readonly operationKnown: boolean
}

/** `parsed` is the rule if the whole scenario is right; `wrongBelow` gives the mistakes below a path. */
export function readableRule(
  written: Fields,
  parsed: RuleSpec | undefined,
  path: Path,
  wrongBelow: (path: Path) => readonly Path[],
  schema: ScenarioSchema,
  { operations }: Vocabulary,
): ReadableRule {
  if (parsed !== undefined)
    return { rule: parsed, written, path, when: true, then: true, operationKnown: true }
  const { id, when = {}, then } = written
  const rule = ruleSchemaOf(schema).shape
  const asked = isFields(when)
    ? withoutMistakesInWhen(when, wrongBelow([...path, 'when']), operations)
    : { when: undefined, operationKnown: false }
  // A group that has no operations is found later.
  const { operation, ...others } = asked.when ?? {}
  const readWhen = asked.when === undefined ? undefined : parseAround(rule.when, others)
  const wrongThen = wrongBelow([...path, 'then'])
  const readThen =
    isFields(then) && !wrongThen.some(({ length }) => length === 0)
      ? parseAround(rule.then, withoutMistakesInThen(then, wrongThen))
      : undefined
  return {
    rule: {
      ...(typeof id === 'string' ? { id } : {}),
      when: {
        ...readWhen,
        ...(operation === undefined ? {} : { operation: operation as string | string[] }),
      },
      then: readThen ?? {},
    },
    written,
    path,
    when: readWhen !== undefined,
    then: readThen !== undefined,
    operationKnown: readWhen !== undefined && asked.operationKnown,
  }
}

/**
 * The value as parsed by a schema. Timeline values that the schema refuses stay as written: with
 * `offContract` they may be anything. Undefined when it refuses anything else.
 */
export function parseAround<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const result = safeParse(schema, value)
  if (result.success) return result.data
  const fields = result.error.issues
    .flatMap(pathsOf)
    .flatMap((path) => [timelineField(path) ?? []].filter(({ length }) => length > 0))
  const accepted = structuredClone(value)
  for (const path of fields) delete holderOf(accepted, path)?.[path.at(-1) as string]
  const { data } = schema.safeParse(accepted)
  if (data === undefined) return undefined
  for (const path of fields) {
    const holder = holderOf(data, path)
    if (holder !== undefined) holder[path.at(-1) as string] = valueAt(value, path)
  }
  return data
}

function holderOf(value: unknown, path: Path): Record<string, unknown> | undefined {
  const holder = valueAt(value, path.slice(0, -1))
  return isFields(holder) ? (holder as Record<string, unknown>) : undefined
}

function pathsOf(issue: z.core.$ZodIssue): Path[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
}

/** The path of the timeline's field that a path leads into: `…, timeline, 0, status`. */
export function timelineField(path: Path): Path | undefined {
  const at = path.indexOf('timeline')
  const field = path[at + 2]
  return at < 0 || field === undefined || entryWords.some((word) => word === field)
    ? undefined
    : path.slice(0, at + 3)
}

/** Parts of an answer from which only the wrong field is removed, because the others remain meaningful. */
const inside: readonly PropertyKey[] = [
  'error',
  'job',
  'upstream',
  'reply',
  'stream',
  'headers',
  'setState',
  'patch',
]

/**
 * `when` without what is wrong at `paths` (below it). Unknown operations are replaced by the nearest
 * known ones; where there is none, the result has `operationKnown: false`.
 */
function withoutMistakesInWhen(
  when: Fields,
  paths: readonly Path[],
  operations: readonly string[],
): { readonly when: Fields; readonly operationKnown: boolean } {
  const left = structuredClone(when) as Record<string, unknown>
  let operationKnown = true
  for (const [name, inner] of paths) {
    if (name === undefined) return { when: {}, operationKnown: false }
    if (name === 'conversation' && inner !== undefined && isFields(left[name]))
      delete (left[name] as Record<PropertyKey, unknown>)[inner]
    else if (name !== 'operation') delete left[name as string]
  }
  if (paths.some(([name]) => name === 'operation')) {
    const known = (written: unknown): string | undefined =>
      typeof written !== 'string'
        ? undefined
        : operations.includes(written) || written === '*' || written.endsWith('.*')
          ? written
          : nearestWord(written, operations)
    const meant = (
      Array.isArray(when['operation']) ? (when['operation'] as unknown[]) : [when['operation']]
    ).map(known)
    operationKnown = meant.length > 0 && !meant.includes(undefined)
    if (operationKnown) left['operation'] = meant
    else delete left['operation']
  }
  return { when: left, operationKnown }
}

/** `then` without what is wrong at `paths` (below it). */
function withoutMistakesInThen(then: Fields, paths: readonly Path[]): Fields {
  const left = structuredClone(then) as Record<string, unknown>
  for (const path of paths) {
    const [first, index, third, fourth] = path
    const item = (Array.isArray(left[first as string]) ? (left[first as string] as unknown[]) : [])[
      index as number
    ]
    if (first === 'sequence' && third !== undefined && isFields(item)) removeAt(item, path.slice(2))
    else if (first === 'weighted' && third !== undefined && isFields(item) && isFields(item['then'])) {
      if (third === 'then' && fourth !== undefined)
        removeAt(item['then'] as Record<string, unknown>, path.slice(3))
      else if (third === 'then') delete left['weighted']
      else if (third === 'weight') (item as Record<string, unknown>)['weight'] = 1
    } else removeAt(left, path)
  }
  if (paths.length > 0 && left['sequence'] === undefined) delete left['end']
  return left
}

function removeAt(answer: Record<string, unknown>, [name, ...rest]: Path): void {
  const value = answer[name as string]
  const [inner, deeper] = rest
  if (name === 'timeline' && Array.isArray(value) && isFields(value[inner as number]) && deeper !== undefined)
    removeFromEntry(value as Record<PropertyKey, unknown>[], inner as number, deeper)
  // An item without effect keeps the positions of the others.
  else if (
    name === 'stream' &&
    inner === 'script' &&
    isFields(value) &&
    Array.isArray(value['script']) &&
    deeper !== undefined
  )
    (value['script'] as unknown[])[deeper as number] = { wait: 0 }
  else if (inside.includes(name as string) && inner !== undefined && isFields(value)) {
    delete (value as Record<PropertyKey, unknown>)[inner]
    // That it is empty now is not a mistake of its own.
    if (name === 'job' && Object.keys(value).length === 0) delete answer['job']
    if (name === 'upstream' && Object.keys(value).length === 0) answer['upstream'] = { status: 500 }
    if (name === 'error' && value['type'] === undefined && value['status'] === undefined)
      answer['error'] = { ...value, status: 500 }
  } else delete answer[name as string]
  // The mistake may be in the `error` that it needs.
  if (answer['job'] === 'continues' && answer['error'] === undefined) delete answer['job']
}

function removeFromEntry(timeline: Record<PropertyKey, unknown>[], index: number, name: PropertyKey): void {
  const entry = timeline[index]
  if (entry === undefined) return
  delete entry[name]
  // Every entry needs an instant; this one keeps their order valid.
  if (name === 'at') entry['at'] = timeline[index - 1]?.['at'] ?? 0
}
