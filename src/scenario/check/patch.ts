/** Whether the fields that a rule changes in a reply (`patch`, `unset`) exist there. */

import * as z from 'zod'
import { safeParse } from '../../protocol/expected-values.ts'
import { type Finding, firstOf, replyFindings } from '../../protocol/findings.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { maxMistakes, show } from '../../protocol/wording.ts'
import { placesInEvents } from '../patch.ts'
import { hasTemplates } from '../templates.ts'
import { descend, fieldsOf, formsOf, suggestion, unlessIntended } from './forms.ts'
import { type Path, type PlacedAnswer, type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'

/** Where a path may lead: into the reply of an operation, or into the events of its stream. */
interface Target {
  readonly schema: z.ZodType
  readonly path: string
  /** The operation, and what of it. */
  readonly of: string
}

type Schemas = Pick<Vocabulary, 'allowedReply' | 'allowedEvent' | 'endpoint'>

/** A path that the reply has leads there, any other one into the events, if they have it. */
function targetOf(operation: string, path: string, schemas: Schemas): readonly Target[] {
  const reply = schemas.allowedReply(operation)
  if (reply === undefined) return []
  const whole = { schema: reply, path, of: `the contract's reply of ${operation}` }
  if (placeIn(reply, path).missing === undefined) return [whole]
  const inEvent = eventPath(operation, path, schemas)
  return inEvent === undefined ? [whole] : [{ ...inEvent, of: `an event of ${operation}` }]
}

/** The path at which events of an operation have a field; undefined when none does. */
export function eventPath(
  operation: string,
  path: string,
  { allowedEvent, endpoint }: Omit<Schemas, 'allowedReply'>,
): Omit<Target, 'of'> | undefined {
  const schema = allowedEvent(operation)
  if (schema === undefined) return undefined
  const found = placesInEvents(endpoint(operation) ?? {}, path.split('.')).find(
    (place) => placeIn(schema, place.join('.')).missing === undefined,
  )
  return found === undefined ? undefined : { schema, path: found.join('.') }
}

/** The mistakes of `patch` and `unset`: each change must fit the reply of one of the operations. */
export function* checkPatch({
  answer: { patch, unset, offContract },
  path,
  operations: selected,
  vocabulary: schemas,
}: PlacedAnswer): Generator<ScenarioMistake> {
  if (offContract === true || selected.length === 0) return
  const operations = selected.map(({ endpoint }) => endpoint.operation)
  // A change needs to fit only one of the operations of the rule.
  const nearest = (
    written: string,
    found: (schema: z.ZodType, path: string) => Iterable<ScenarioMistake>,
  ): ScenarioMistake[] => {
    const all = operations
      .flatMap((operation) => targetOf(operation, written, schemas))
      .map(({ schema, path: to, of }) =>
        firstOf(found(schema, to), maxMistakes).map((one) => ({
          ...one,
          message: `${one.message} (${of}; ${unlessIntended})`,
        })),
      )
    return all.sort((a, b) => a.length - b.length)[0] ?? []
  }
  const answersJson = operations.some((operation) => schemas.allowedReply(operation) !== undefined)
  for (const name of ['patch', 'unset'] as const) {
    if ((name === 'patch' ? patch : unset) !== undefined && !answersJson)
      yield wrongKey(
        [...path, name],
        `does nothing: ${operations.join(', ')} answer${operations.length === 1 ? 's' : ''} no JSON`,
      )
  }
  for (const [written, change] of Object.entries(patch ?? {}))
    yield* nearest(written, (schema, to) => changed(schema, to, change, [...path, 'patch', written]))
  for (const [index, written] of (unset ?? []).entries())
    yield* nearest(written, (schema, to) => checkRemoved(schema, to, [...path, 'unset', index]))
}

function* changed(
  schema: z.ZodType,
  written: string,
  change: unknown,
  path: Path,
): Generator<ScenarioMistake> {
  const { missing, schemas } = placeIn(schema, written)
  if (missing !== undefined) yield wrongKey(path, missing)
  else yield* part(change, schemas, path)
}

/** Objects are merged, so only the given fields are checked. */
function* part(change: unknown, schemas: readonly z.ZodType[], path: Path): Generator<ScenarioMistake> {
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
  const results = schemas.map((schema) => safeParse(schema, change))
  if (results.some(({ success }) => success)) return
  const [first] = results.flatMap(({ error }) => (error === undefined ? [] : replyFindings(error, change)))
  yield wrongValue(path, first === undefined ? `got ${show(change)}` : withField(first))
}

/** A field that the reply never has, or always. */
export function* checkRemoved(schema: z.ZodType, written: string, path: Path): Generator<ScenarioMistake> {
  const { missing, needed } = placeIn(schema, written)
  if (missing !== undefined) yield wrongValue(path, missing)
  else if (needed) yield wrongValue(path, `${written} is in every reply and cannot be removed`)
}

/** Where a path leads in a reply; `missing` says why nowhere. */
function placeIn(
  schema: z.ZodType,
  written: string,
): { readonly schemas: readonly z.ZodType[]; readonly needed: boolean; readonly missing?: string } {
  const { schemas, needed, missing, known } = descend([schema], written.split('.'))
  if (missing === undefined) return { schemas, needed }
  if (!isClosed(schemas)) return { schemas: [], needed: false }
  return { schemas, needed, missing: noField(missing, known) }
}

/** Whether all forms refuse unknown fields. */
function isClosed(schemas: readonly z.ZodType[]): boolean {
  return schemas
    .flatMap(formsOf)
    .every((form) => !(form instanceof z.ZodObject) || form.def.catchall instanceof z.ZodNever)
}

function noField(name: string, known: readonly string[]): string {
  return `no reply has a field ${show(name)} here${suggestion(name, known)}`
}

function withField({ field, message }: Finding): string {
  return field === '' ? message : `${field}: ${message}`
}
