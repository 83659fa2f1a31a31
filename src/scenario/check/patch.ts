/** Whether the fields that a rule changes in a reply (`patch`, `unset`) exist there. */
import * as z from 'zod'
import { type Finding, firstOf, replyFindings } from '../../protocol/findings.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { safeParse } from '../../protocol/safe-parse.ts'
import { maxMistakes } from '../../protocol/told-mistakes.ts'
import { show } from '../../protocol/wording.ts'
import type { AnswerSpec } from '../format/then.ts'
import { hasTemplates } from '../templates.ts'
import { fieldsOf, formsOf, itemsOf, type ScenarioMistake } from './shape.ts'
import { suggestion, unlessIntended } from './suggestion.ts'

type Path = readonly PropertyKey[]

/** The mistakes of `patch` and `unset`: each change must fit the reply of one of the operations. */
export function* checkPatch(
  { patch, unset, offContract }: AnswerSpec,
  path: Path,
  operations: readonly string[],
  { allowedReply }: Pick<Vocabulary, 'allowedReply'>,
): Generator<ScenarioMistake> {
  if (offContract === true || operations.length === 0) return
  const replies = operations.flatMap((operation) => {
    const schema = allowedReply(operation)
    return schema === undefined ? [] : [{ operation, schema }]
  })
  // A change needs to fit only one of the operations of the rule.
  const nearest = (found: (schema: z.ZodType) => Iterable<ScenarioMistake>): ScenarioMistake[] => {
    const all = replies.map(({ operation, schema }) =>
      firstOf(found(schema), maxMistakes).map((one) => ({
        ...one,
        message: `${one.message} (the contract's reply of ${operation}; ${unlessIntended})`,
      })),
    )
    return all.sort((a, b) => a.length - b.length)[0] ?? []
  }
  for (const name of ['patch', 'unset'] as const) {
    if ((name === 'patch' ? patch : unset) !== undefined && replies.length === 0)
      yield {
        path: [...path, name],
        message: `does nothing: ${operations.join(', ')} answer${operations.length === 1 ? 's' : ''} no JSON`,
        key: true,
      }
  }
  for (const [written, change] of Object.entries(patch ?? {}))
    yield* nearest((schema) => changed(schema, written, change, [...path, 'patch', written]))
  for (const [index, written] of (unset ?? []).entries())
    yield* nearest((schema) => checkRemoved(schema, written, [...path, 'unset', index]))
}

function* changed(
  schema: z.ZodType,
  written: string,
  change: unknown,
  path: Path,
): Generator<ScenarioMistake> {
  const found = descend([schema], written)
  if ('missing' in found) yield { path, message: found.missing, key: true }
  else yield* part(change, found.schemas, path)
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
      else if (isClosed(schemas)) yield { path: here, message: noField(name, fields), key: true }
    }
    return
  }
  const results = schemas.map((schema) => safeParse(schema, change))
  if (results.some(({ success }) => success)) return
  const [first] = results.flatMap(({ error }) => (error === undefined ? [] : replyFindings(error, change)))
  yield {
    path,
    message: first === undefined ? `got ${show(change)}` : withField(first),
    key: false,
  }
}

/** A field that the reply never has, or always. */
export function* checkRemoved(schema: z.ZodType, written: string, path: Path): Generator<ScenarioMistake> {
  const found = descend([schema], written)
  if ('missing' in found) yield { path, message: found.missing, key: false }
  else if (found.needed)
    yield { path, message: `${written} is in every reply and cannot be removed`, key: false }
}

/** The schemas at a path (`choices.0.message`); none where anything is allowed. */
function descend(
  schemas: readonly z.ZodType[],
  written: string,
): { readonly schemas: readonly z.ZodType[]; readonly needed: boolean } | { readonly missing: string } {
  let at = schemas
  let needed = false
  for (const name of written.split('.')) {
    const forms = at.flatMap(formsOf)
    const fields = fieldsOf(forms)
    if (fields === undefined) return { schemas: [], needed: false }
    const items = /^\d+$/.test(name) ? itemsOf(forms) : []
    const next = fields.get(name) ?? (items.length > 0 ? items : undefined)
    if (next === undefined)
      return isClosed(at) ? { missing: noField(name, fields) } : { schemas: [], needed: false }
    needed = items.length === 0 && next.every((one) => !one.safeParse(undefined).success)
    at = next
  }
  return { schemas: at, needed }
}

/** Whether all forms refuse unknown fields. */
function isClosed(schemas: readonly z.ZodType[]): boolean {
  return schemas
    .flatMap(formsOf)
    .every((form) => !(form instanceof z.ZodObject) || form.def.catchall instanceof z.ZodNever)
}

function noField(name: string, fields: ReadonlyMap<string, unknown> | undefined): string {
  return `no reply has a field ${show(name)} here${suggestion(name, [...(fields?.keys() ?? [])])}`
}

function withField({ field, message }: Finding): string {
  return field === '' ? message : `${field}: ${message}`
}
