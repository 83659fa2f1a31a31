/** File errors, and the forms of a value that its schema allows: alternatives, their fields and items. */
import * as z from 'zod'
import { type Fields, isFields } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { type LocatedFinding, responseFindings } from '../../protocol/findings.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Operation, Vocabulary } from '../../protocol/operations.ts'
import { clip, valueAt } from '../../protocol/wording.ts'
import type { AnswerSpec, WhenSpec } from '../format/rule.ts'

export type Path = readonly PropertyKey[]

/** An error in a scenario, with its path in the file. */
export interface FileError {
  readonly path: Path
  readonly message: string
  /** The end of the field, shown before the message if the rest of the field is not. */
  readonly label?: string
  /** True when the key is wrong, not its value. */
  readonly key: boolean
}

/** An error in one of several scenarios: `from` is its number. */
export type PlacedError = FileError & { readonly from: number }

/** One response of a rule, and what it is checked against. */
export interface PlacedAnswer {
  readonly answer: AnswerSpec
  readonly written: Fields
  readonly path: Path
  readonly when: WhenSpec
  readonly operations: readonly Operation[]
  readonly vocabulary: Vocabulary
}

/** The key at the end of a path is wrong: it does not belong there. */
export function wrongKey(path: Path, message: string): FileError {
  return { path, message, key: true }
}

/** The value of the key is wrong. */
export function wrongValue(path: Path, message: string): FileError {
  return { path, message, key: false }
}

/** How the matcher will be compared. */
export interface Compared {
  /** Whether numbers may be written as strings (forms, queries, headers); the default for requests. */
  readonly texts?: boolean
  /**
   * What it is compared with; by default a request. Response values have their JSON types, and a response may
   * have fields that the contract leaves open.
   */
  readonly held?: 'request' | 'response'
  /** The operation of the request, where it is the only one. */
  readonly of?: string | undefined
}

/** The fields of all object forms, each with its schemas; undefined if any field is allowed. */
export function fieldsOf(
  forms: readonly z.ZodType[],
  held?: Compared['held'],
): ReadonlyMap<string, z.ZodType[]> | undefined {
  if (forms.length === 0) return undefined
  const fields = new Map<string, z.ZodType[]>()
  for (const form of forms) {
    if (
      held === 'response' &&
      form instanceof z.ZodObject &&
      form.def.catchall !== undefined &&
      !(form.def.catchall instanceof z.ZodNever)
    )
      return undefined
    if (form instanceof z.ZodObject)
      for (const [name, schema] of Object.entries(form.shape))
        fields.set(name, [...(fields.get(name) ?? []), schema as z.ZodType])
    else if (!isScalar(form) && !(form instanceof z.ZodArray)) return undefined
  }
  return fields
}

export function itemsOf(forms: readonly z.ZodType[]): z.ZodType[] {
  return forms.flatMap((form) => (form instanceof z.ZodArray ? [form.element as z.ZodType] : []))
}

/** The schemas at a path (none where anything is allowed), or the first part of the path that no form has. */
export function descend(
  schemas: readonly z.ZodType[],
  path: readonly string[],
): {
  readonly schemas: readonly z.ZodType[]
  /** Whether the last part is required. */
  readonly needed: boolean
  readonly missing?: string
  readonly known: readonly string[]
} {
  let at = schemas
  let needed = false
  for (const name of path) {
    const forms = at.flatMap(formsOf)
    const fields = fieldsOf(forms)
    if (fields === undefined) return { schemas: [], needed: false, known: [] }
    const items = /^\d+$/.test(name) ? itemsOf(forms) : []
    const next = fields.get(name) ?? (items.length > 0 ? items : undefined)
    if (next === undefined) return { schemas: at, needed, missing: name, known: [...fields.keys()] }
    needed = items.length === 0 && next.every((one) => !one.safeParse(undefined).success)
    at = next
  }
  return { schemas: at, needed, known: [] }
}

/** The alternatives of a schema, without optional, nullable and other wrappers. */
export function formsOf(schema: z.ZodType): z.ZodType[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy ||
    schema instanceof z.ZodReadonly
  )
    return formsOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe)
    return formsOf((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as readonly z.ZodType[]).flatMap(formsOf)
  if (schema instanceof z.ZodIntersection)
    return [...formsOf(schema.def.left as z.ZodType), ...formsOf(schema.def.right as z.ZodType)]
  // A single file of a form is not a list; several files are.
  if (schema instanceof z.ZodArray)
    return [
      schema,
      ...formsOf(schema.element as z.ZodType).filter(
        (form) => form instanceof z.ZodObject && 'sha256' in form.shape,
      ),
    ]
  return [schema]
}

export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
}

/** Operations by name; many are summarised. */
export function namesOf(endpoints: readonly Endpoint[]): string {
  if (endpoints.length > 3) return 'the operations of this rule'
  return endpoints.map(({ operation }) => operation).join(', ')
}

/** `videos.list takes`, `chat.create, messages.create take`. */
export const takers = (endpoints: readonly Endpoint[]): string =>
  `${namesOf(endpoints)} take${endpoints.length === 1 ? 's' : ''}`

export function noPathParameter(
  name: string,
  endpoints: readonly Endpoint[],
  parameters: readonly string[],
): string {
  const have = endpoints.length === 1 ? 'has' : 'have'
  return `${namesOf(endpoints)} ${have} no path parameter ${clip(name, 200)}${suggestion(name, parameters)}`
}

export function isScalar(form: z.ZodType): boolean {
  return (
    form instanceof z.ZodString ||
    form instanceof z.ZodNumber ||
    form instanceof z.ZodBoolean ||
    form instanceof z.ZodEnum ||
    form instanceof z.ZodLiteral ||
    form instanceof z.ZodNull ||
    form instanceof z.ZodStringFormat ||
    form instanceof z.ZodNumberFormat
  )
}

/** Suggestions of messages: another name, or the mark of an intended violation. */
const maxListed = 12

/** The end of every message about something that the contract does not allow. */
export const unlessIntended = 'set `offContract: true` if this is intentional'

/** The schema that a value is checked against, in words. */
export const contractOf = (operation: string, part: 'response' | 'event'): string =>
  `checked against the contract's ${operation} ${part}`

/** `; did you mean prompt?`, else the known names; `others` are candidates too, but not listed. */
export function suggestion(name: string, known: readonly string[], others: readonly string[] = []): string {
  const nearest = nearestWord(name, [...known, ...others])
  if (nearest !== undefined) return `; did you mean ${nearest}?`
  return known.length === 0 ? '' : `: expected one of ${known.slice(0, maxListed).join(', ')}`
}

/** The end of a message about a missing name, if another one was written instead. */
export function meantInstead(name: string, written: readonly string[], known: readonly string[]): string {
  const unknown = written.filter((one) => !known.includes(one))
  const nearest = nearestWord(name, unknown)
  return nearest === undefined ? '' : `; did you mean ${name} instead of ${nearest}?`
}

/** The errors of a part of a response, with the field that was probably meant. */
export function errorsOfResponse(schema: z.ZodType, value: unknown): LocatedFinding[] {
  const { error } = safeParse(schema, value)
  return (error === undefined ? [] : responseFindings(error, value)).map((finding) => ({
    ...finding,
    message: `${finding.message}${meantField(schema, value, finding)}`,
  }))
}

function meantField(schema: z.ZodType, value: unknown, { path, unknown, missing }: LocatedFinding): string {
  const parts = path.map(String)
  const [name = ''] = parts.slice(-1)
  if (unknown === true) return suggestion(name, descend([schema], parts).known)
  const holder = valueAt(value, path.slice(0, -1))
  if (missing !== true || !isFields(holder)) return ''
  const known = fieldsOf(descend([schema], parts.slice(0, -1)).schemas.flatMap(formsOf))
  return known === undefined ? '' : meantInstead(name, Object.keys(holder), [...known.keys()])
}
