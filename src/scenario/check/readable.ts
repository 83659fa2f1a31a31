/**
 * The readable part of a rule with wrong words in it, as zod parses it, so that its other mistakes are found
 * in the same run.
 */
import type * as z from 'zod'
import { type Fields, isFields, valueAt } from '../../engine/fields.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { type RuleSpec, ruleSchemaOf, type ScenarioSchema } from '../format/scenario.ts'
import { entryWords } from '../format/timeline.ts'

type Path = readonly PropertyKey[]

/** A rule without what is wrong in it. */
export interface ReadableRule {
  readonly rule: RuleSpec
  /** The same as it is written. */
  readonly written: Fields
  readonly path: Path
  /** Whether `when` and `then` can be read at all; they are empty where not. */
  readonly when: boolean
  readonly then: boolean
  /** Whether the operations it is about are known. */
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
    ? wellFormedWhen(when, wrongBelow([...path, 'when']), operations)
    : { when: undefined, operationKnown: false }
  // A group that has no operations is found later.
  const { operation, ...others } = asked.when ?? {}
  const readWhen = asked.when === undefined ? undefined : parseAround(rule.when, others)
  const wrongThen = wrongBelow([...path, 'then'])
  const readThen =
    isFields(then) && !wrongThen.some(({ length }) => length === 0)
      ? parseAround(rule.then, wellFormedThen(then, wrongThen))
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
 * What a schema makes of a value. Values of timelines that it refuses stay as they are written: those of an
 * answer marked `offContract` may be anything. Undefined when it refuses anything else.
 */
export function parseAround<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const result = schema.safeParse(value)
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

/** What is left out with the one word that is wrong, where the words beside it still mean something. */
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
 * `when` without what is wrong at `paths` (below it). Operations that do not exist are taken for those that
 * were meant; where nobody knows, the result has `operationKnown: false`.
 */
function wellFormedWhen(
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
function wellFormedThen(then: Fields, paths: readonly Path[]): Fields {
  const left = structuredClone(then) as Record<string, unknown>
  for (const path of paths) {
    const [first, index, third, fourth] = path
    const item = (Array.isArray(left[first as string]) ? (left[first as string] as unknown[]) : [])[
      index as number
    ]
    if (first === 'sequence' && third !== undefined && isFields(item)) leaveOut(item, path.slice(2))
    else if (first === 'weighted' && third !== undefined && isFields(item) && isFields(item['then'])) {
      if (third === 'then' && fourth !== undefined)
        leaveOut(item['then'] as Record<string, unknown>, path.slice(3))
      else if (third === 'then') delete left['weighted']
      else if (third === 'weight') (item as Record<string, unknown>)['weight'] = 1
    } else leaveOut(left, path)
  }
  if (paths.length > 0 && left['sequence'] === undefined) delete left['end']
  return left
}

function leaveOut(answer: Record<string, unknown>, [name, ...rest]: Path): void {
  const value = answer[name as string]
  const [inner, deeper] = rest
  if (name === 'timeline' && Array.isArray(value) && isFields(value[inner as number]) && deeper !== undefined)
    leaveOutOfEntry(value as Record<PropertyKey, unknown>[], inner as number, deeper)
  // An item that says nothing keeps the places of the others.
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
    // That nothing is left is no mistake of its own.
    if (name === 'job' && Object.keys(value).length === 0) delete answer['job']
    if (name === 'upstream' && Object.keys(value).length === 0) answer['upstream'] = { status: 500 }
    if (name === 'error' && value['type'] === undefined && value['status'] === undefined)
      answer['error'] = { ...value, status: 500 }
  } else delete answer[name as string]
  // It may be what is wrong that it needs.
  if (answer['job'] === 'continues' && answer['error'] === undefined) delete answer['job']
}

function leaveOutOfEntry(timeline: Record<PropertyKey, unknown>[], index: number, name: PropertyKey): void {
  const entry = timeline[index]
  if (entry === undefined) return
  delete entry[name]
  // Every entry needs an instant; this one raises no doubt about their order.
  if (name === 'at') entry['at'] = timeline[index - 1]?.['at'] ?? 0
}
