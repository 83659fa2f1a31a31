/** Whether the fields that a rule changes in a response, and those of timelines, exist there. */

import * as z from 'zod'
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import type { Ramp } from '../../engine/timeline.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { type Finding, firstOf } from '../../protocol/findings.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import type { ScriptedKind } from '../../protocol/scripted.ts'
import { maxErrors, show } from '../../protocol/wording.ts'
import { isRamp } from '../compile/compile.ts'
import { entryWords, ramp, type TimelineSpec, timelineSchema } from '../format/given.ts'
import { placesInEvents } from '../patch.ts'
import { hasTemplates } from '../templates.ts'
import {
  contractOf,
  descend,
  errorsOfResponse,
  type FileError,
  fieldsOf,
  formsOf,
  type Path,
  type PlacedAnswer,
  suggestion,
  unlessIntended,
  wrongKey,
  wrongValue,
} from './forms.ts'

/** The possible targets of a path: the response of an operation, or the events of its stream. */
interface Target {
  readonly schema: z.ZodType
  readonly path: string
  /** The operation, and which part of it. */
  readonly of: string
}

type Schemas = Pick<Vocabulary, 'allowedResponse' | 'allowedEvent' | 'endpoint'>

/**
 * A path that exists in the response refers to it; any other path refers to the events, if it exists there.
 */
function targetOf(operation: string, path: string, schemas: Schemas): readonly Target[] {
  const response = schemas.allowedResponse(operation)
  if (response === undefined) return []
  const whole = { schema: response, path, of: contractOf(operation, 'response') }
  if (placeIn(response, path).missing === undefined) return [whole]
  const inEvent = eventPath(operation, path, schemas)
  return inEvent === undefined ? [whole] : [{ ...inEvent, of: contractOf(operation, 'event') }]
}

/** The path at which events of an operation have a field; undefined when none does. */
export function eventPath(
  operation: string,
  path: string,
  { allowedEvent, endpoint }: Omit<Schemas, 'allowedResponse'>,
): Omit<Target, 'of'> | undefined {
  const schema = allowedEvent(operation)
  if (schema === undefined) return undefined
  const found = placesInEvents(endpoint(operation) ?? {}, path.split('.')).find(
    (place) => placeIn(schema, place.join('.')).missing === undefined,
  )
  return found === undefined ? undefined : { schema, path: found.join('.') }
}

/** The errors of `patch` and `unset`: each change must fit the response of one of the operations. */
export function* checkPatch({
  answer: { patch, unset, offContract },
  path,
  operations: selected,
  vocabulary: schemas,
}: PlacedAnswer): Generator<FileError> {
  if (offContract === true || selected.length === 0) return
  const operations = selected.map(({ endpoint }) => endpoint.operation)
  // A change needs to fit only one of the operations of the rule.
  const nearest = (
    written: string,
    found: (schema: z.ZodType, path: string) => Iterable<FileError>,
  ): FileError[] => {
    const all = operations
      .flatMap((operation) => targetOf(operation, written, schemas))
      .map(({ schema, path: to, of }) =>
        firstOf(found(schema, to), maxErrors).map((one) => ({
          ...one,
          message: `${one.message} (${of}; ${unlessIntended})`,
        })),
      )
    return all.sort((a, b) => a.length - b.length)[0] ?? []
  }
  const answersJson = operations.some((operation) => schemas.allowedResponse(operation) !== undefined)
  for (const name of ['patch', 'unset'] as const) {
    if ((name === 'patch' ? patch : unset) !== undefined && !answersJson)
      yield wrongKey(
        [...path, name],
        `has no effect: ${operations.join(', ')} ${operations.length === 1 ? 'does' : 'do'} not return JSON`,
      )
  }
  for (const [written, change] of Object.entries(patch ?? {}))
    yield* nearest(written, (schema, to) => changed(schema, to, change, [...path, 'patch', written]))
  for (const [index, written] of (unset ?? []).entries())
    yield* nearest(written, (schema, to) => checkRemoved(schema, to, [...path, 'unset', index]))
}

function* changed(schema: z.ZodType, written: string, change: unknown, path: Path): Generator<FileError> {
  const { missing, schemas } = placeIn(schema, written)
  if (missing !== undefined) yield wrongKey(path, missing)
  else yield* part(change, schemas, path)
}

/** Objects are merged, so only the given fields are checked. */
function* part(change: unknown, schemas: readonly z.ZodType[], path: Path): Generator<FileError> {
  // The values of the request are not known yet.
  if (schemas.length === 0 || hasTemplates(change)) return
  const fields = fieldsOf(schemas.flatMap(formsOf))
  if (
    change !== null &&
    typeof change === 'object' &&
    !Array.isArray(change) &&
    (fields === undefined || fields.size > 0)
  ) {
    for (const [name, inner] of fields === undefined ? [] : Object.entries(change)) {
      const here = [...path, name]
      if (fields?.has(name) === true) yield* part(inner, fields.get(name) ?? [], here)
      else if (isClosed(schemas)) yield wrongKey(here, noField(name, [...(fields?.keys() ?? [])]))
    }
    return
  }
  const errors = schemas.map((schema) => errorsOfResponse(schema, change))
  if (errors.some((found) => found.length === 0)) return
  const [first] = errors.flat()
  yield wrongValue(path, first === undefined ? `got ${show(change)}` : withField(first))
}

/** A field that a response never has, or always has. */
function* checkRemoved(schema: z.ZodType, written: string, path: Path): Generator<FileError> {
  const { missing, needed } = placeIn(schema, written)
  if (missing !== undefined) yield wrongValue(path, missing)
  else if (needed) yield wrongValue(path, `${written} is required in every response and cannot be removed`)
}

/** The place of a path in a response; `missing` says why there is none. */
function placeIn(
  schema: z.ZodType,
  written: string,
): { readonly schemas: readonly z.ZodType[]; readonly needed: boolean; readonly missing?: string } {
  const { schemas, needed, missing, known } = descend([schema], written.split('.'))
  if (missing === undefined) return { schemas, needed }
  if (!isClosed(schemas)) return { schemas: [], needed: false }
  return { schemas, needed, missing: noField(missing, known) }
}

/** Whether all forms reject unknown fields. */
function isClosed(schemas: readonly z.ZodType[]): boolean {
  return schemas
    .flatMap(formsOf)
    .every((form) => !(form instanceof z.ZodObject) || form.def.catchall instanceof z.ZodNever)
}

function noField(name: string, known: readonly string[]): string {
  return `no response has a field ${show(name)} at this path${suggestion(name, known)}`
}

function withField({ field, message }: Finding): string {
  return field === '' ? message : `${field}: ${message}`
}

/** Checks a timeline against its kind and against the response to a poll; also for given resources. */
export function* checkTimeline(
  timeline: TimelineSpec,
  path: Path,
  kind: ScriptedKind,
  offContract: boolean,
  { all, allowedResponse }: Pick<Vocabulary, 'all' | 'allowedResponse'>,
): Generator<FileError> {
  const poll = all.find(({ endpoint }) => endpoint.polls?.kind === kind)
  const response = poll && allowedResponse(poll.endpoint.operation)
  const before = { at: 0, poll: 0 }
  const names = Object.keys(kind.entry().shape)
  for (const [
    index,
    { at, poll: count, unset = [], reset = [], notFound: _, ...fields },
  ] of timeline.entries()) {
    const here = [...path, index]
    yield* checkMoment({ at, poll: count }, before, here)
    before.at = at ?? before.at
    before.poll = count ?? before.poll
    for (const [word, listed] of Object.entries({ unset, reset }))
      for (const name of listed)
        if (kind.entry().shape[name] === undefined)
          yield wrongValue(
            [...here, word],
            `${name} is not a field of ${kind.name}${suggestion(name, names)}`,
          )
        else if (word === 'unset' && !offContract && response !== undefined)
          for (const { message } of checkRemoved(response, kind.wirePaths?.[name] ?? name, here))
            yield wrongValue(
              [...here, word],
              `${message} (\`reset\` restores the default value); ${unlessIntended}`,
            )
    const idle = offContract ? undefined : kind.idleField?.(fields)
    if (idle !== undefined) yield wrongKey([...here, idle.name], idle.message)
    for (const [name, value] of Object.entries(fields)) {
      const schema = kind.entry().shape[name] as z.ZodType | undefined
      if (schema === undefined) {
        if (!offContract)
          yield wrongKey(
            [...here, name],
            `is not a field of ${kind.name}: expected ${entryWords.join(', ')} or one of ${names.join(', ')}`,
          )
        continue
      }
      if (isRamp(value)) {
        if (!kind.ramps.includes(name))
          yield wrongValue(
            [...here, name],
            kind.ramps.length === 0
              ? `cannot be a ramp: ${kind.name} do not allow ramps`
              : `cannot be a ramp: ${kind.name} allow ramps only for ${kind.ramps.join(', ')}`,
          )
        else yield* rampErrors(value, offContract ? z.unknown() : schema, [...here, name])
      } else if (offContract) continue
      else if (kind.ramps.includes(name) && isFields(value)) yield rampError(value, [...here, name])
      else if (!hasTemplates(value)) yield* offending(schema, value, [...here, name])
    }
  }
}

/** `schema` is that of the field. The file format accepts any value there. */
function* rampErrors(value: Ramp, schema: z.ZodType, path: Path): Generator<FileError> {
  const [wrong] = errorsOfResponse(ramp(), value)
  if (Object.keys(value).length > 3) yield rampError({ ...value }, path)
  else if (wrong !== undefined) yield wrongValue([...path, ...wrong.path], wrong.message)
  else for (const end of ['from', 'to'] as const) yield* offending(schema, value[end], [...path, end])
}

/** An object that is not a ramp, where a ramp is possible. */
function rampError(value: Fields, path: Path): FileError {
  const words = ['from', 'to', 'over']
  const unknown = Object.keys(value).find((name) => !words.includes(name))
  return unknown === undefined
    ? wrongValue(path, 'a linear change needs `from`, `to` and `over`')
    : wrongKey(
        [...path, unknown],
        `unknown key ${show(unknown)}${suggestion(unknown, words).replace(/^;/, ':')}`,
      )
}

type Moment = Readonly<Record<'at' | 'poll', number | undefined>>

function* checkMoment(
  { at, poll }: Moment,
  before: Readonly<Record<'at' | 'poll', number>>,
  here: Path,
): Generator<FileError> {
  if ((at === undefined) === (poll === undefined))
    yield {
      path: poll === undefined ? here : [...here, 'poll'],
      message:
        'expected `at` (time since the submission) or `poll` (the number of a poll), ' +
        `got ${at === undefined ? 'neither' : 'both'}`,
      key: poll !== undefined,
    }
  else if (at !== undefined && at < before.at)
    yield wrongValue(
      [...here, 'at'],
      `is earlier than the previous entry (${before.at} ms): sort the entries by time`,
    )
  else if (poll !== undefined && poll < before.poll)
    yield wrongValue(
      [...here, 'poll'],
      `is lower than the poll of the previous entry (${before.poll}): sort the entries by poll`,
    )
}

/** A value that the contract does not allow. */
export function* offending(schema: z.ZodType, value: unknown, path: Path): Generator<FileError> {
  const [first] = errorsOfResponse(schema, value)
  if (first === undefined) return
  const end = first.message.endsWith('?') ? ` (${unlessIntended})` : `; ${unlessIntended}`
  yield wrongValue(path, `${withField(first)}${end}`)
}

/** Takes `given` as written; `clean` says whether a path and everything below it is without errors so far. */
export function* checkGiven(
  given: unknown,
  vocabulary: Vocabulary,
  keys: readonly string[] | undefined,
  clean: (path: Path) => boolean,
): Generator<FileError> {
  if (!isFields(given)) return
  for (const kind of vocabulary.kinds) {
    const ids = new Set<unknown>()
    for (const [index, one] of listOf(given[kind.name]).entries()) {
      if (!isFields(one)) continue
      const path = ['given', kind.name, index]
      const { id, key, timeline, offContract } = one
      if (id !== undefined && ids.has(id))
        yield wrongValue(
          [...path, 'id'],
          `\`given.${kind.name}\` contains the id ${show(id)} twice: give each entry a unique id`,
        )
      ids.add(id)
      if (typeof key === 'string' && keys?.includes(key) === false)
        yield wrongValue([...path, 'key'], `\`keys\` does not list ${show(key)}${suggestion(key, keys)}`)
      const idle = offContract === true ? undefined : kind.idleField?.(one)
      if (idle !== undefined) yield wrongKey([...path, idle.name], idle.message)
      yield* checkHidden(one, path)
      if (!Array.isArray(timeline) || !clean([...path, 'timeline'])) continue
      const { data } = safeParse(timelineSchema([kind]), timeline)
      if (data !== undefined)
        yield* checkTimeline(data, [...path, 'timeline'], kind, offContract === true, vocabulary)
    }
  }
}

/** The first entry of a timeline hides the same field of the resource. */
function* checkHidden(one: Fields, path: Path): Generator<FileError> {
  const [first] = listOf(one['timeline'])
  if (!isFields(first) || (first['at'] !== 0 && first['at'] !== '0s')) return
  for (const name of Object.keys(first))
    if (name !== 'at' && Object.hasOwn(one, name))
      yield wrongKey([...path, name], `has no effect: the first entry of the timeline overrides ${name}`)
}
