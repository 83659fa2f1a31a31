/**
 * Whether a value can ever match a shape: its fields exist in the schema, its operators are valid.
 */
import * as z from 'zod'
import { parseDuration } from '../../engine/duration.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { clip, show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-shape.ts'
import { operators, operatorWords } from '../format/values.ts'
import { suggestion } from './suggestion.ts'

/** How many unknown names of one object are reported: each costs a search for similar names. */
const maxUnknown = 20

/** A mistake in a scenario, with its path in the file. */
export interface ScenarioMistake {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** True when the key is wrong, not its value. */
  readonly key: boolean
}

/** How the shape will be compared. */
export interface Compared {
  /**
   * Whether the values are texts even where they look like numbers (forms, queries, headers); the default for
   * requests.
   */
  readonly texts?: boolean
  /**
   * What it is compared with; a request by default. Values of a reply have their JSON types, and it may have
   * fields that the contract leaves open.
   */
  readonly held?: 'request' | 'reply'
}

/**
 * The mistakes of a shape. `against` are schemas of the value, of which one must fit; without any, every
 * value is possible.
 */
export function* checkShape(
  shape: unknown,
  path: readonly PropertyKey[],
  against: readonly z.ZodType[],
  how: Compared = {},
): Generator<ScenarioMistake> {
  const forms = against.flatMap(formsOf)
  const { held = 'request' } = how
  if (shape === null || typeof shape !== 'object') {
    const template = held === 'reply' && typeof shape === 'string' && shape.includes('${')
    if (
      forms.length > 0 &&
      typeof shape !== 'object' &&
      !template &&
      !forms.some((form) => takes(form, shape, how))
    )
      yield {
        path,
        message: `can never be met: no ${held} holds ${show(shape)} here${meantBy(shape, forms, held)}`,
        key: false,
      }
    return
  }
  if (Array.isArray(shape)) {
    if (forms.length > 0 && forms.every((form) => isScalar(form) || form instanceof z.ZodObject))
      yield {
        path,
        message: `can never be met: no ${held} holds a list here (one of several: { anyOf: […] })`,
        key: false,
      }
    for (const [index, item] of shape.entries())
      yield* checkShape(item, [...path, index], itemsOf(forms), how)
    return
  }
  if (isOperators(shape)) {
    yield* checkOperators(shape, path, against, forms, how)
    return
  }
  const known = fieldsOf(forms, held)
  let unknown = 0
  for (const [name, part] of Object.entries(shape)) {
    const here = [...path, name]
    if (known === undefined || known.has(name)) {
      yield* checkShape(part, here, known?.get(name) ?? [], how)
      continue
    }
    if (++unknown > maxUnknown) continue
    // Where no fields are possible, operators were intended.
    if (known.size === 0 && Object.keys(shape).some((word) => operatorWords.includes(word))) {
      if (operatorWords.includes(name)) continue
      const meant = nearestWord(name, operatorWords)
      const hint =
        meant === undefined ? `: expected one of ${operatorWords.join(', ')}` : `; did you mean ${meant}?`
      yield {
        path: here,
        message: `unknown operator ${show(name)}${hint}`,
        key: true,
      }
      continue
    }
    const hint = suggestion(name, [...known.keys()], operatorWords)
    const message = operatorWords.includes(name)
      ? `the operator ${name} is mixed with fields: give operators an object of their own`
      : `no ${held} has a field ${show(name)} here${hint}`
    yield { path: here, message, key: true }
  }
}

function* checkOperators(
  shape: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
  against: readonly z.ZodType[],
  forms: readonly z.ZodType[],
  how: Compared,
): Generator<ScenarioMistake> {
  for (const [word, wanted] of Object.entries(shape)) {
    const here = [...path, word]
    const result = (operators.shape as Readonly<Record<string, z.ZodType>>)[word]?.safeParse(wanted)
    if (result?.success === false) {
      const [issue] = result.error.issues
      yield {
        path: here,
        message: issue?.code === 'custom' ? issue.message : `expected ${wantedBy(word)}, got ${show(wanted)}`,
        key: false,
      }
    }
    // An object after `equals` is compared literally.
    if (word === 'equals' && (wanted === null || typeof wanted !== 'object'))
      yield* checkShape(wanted, here, against, how)
    if (word === 'not') yield* checkShape(wanted, here, against, how)
    if (word === 'anyOf' && Array.isArray(wanted))
      for (const [index, one] of wanted.entries()) yield* checkShape(one, [...here, index], against, how)
    if (word === 'some') yield* checkShape(wanted, here, itemsOf(forms), how)
    if (word === 'length') yield* checkShape(wanted, here, [z.number()], how)
  }
}

function wantedBy(word: string): string {
  if (['gt', 'gte', 'lt', 'lte'].includes(word)) return 'a number'
  if (word === 'exists') return 'true or false'
  if (word === 'anyOf') return 'a list'
  return word === 'contains' ? 'text, a number, true or false' : 'text'
}

/** The fields that some object form has, each with its schemas; undefined when anything may be there. */
export function fieldsOf(
  forms: readonly z.ZodType[],
  held?: Compared['held'],
): ReadonlyMap<string, z.ZodType[]> | undefined {
  if (forms.length === 0) return undefined
  const fields = new Map<string, z.ZodType[]>()
  for (const form of forms) {
    if (
      held === 'reply' &&
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
  // A single file of a form is not a list, several are.
  if (schema instanceof z.ZodArray)
    return [
      schema,
      ...formsOf(schema.element as z.ZodType).filter(
        (form) => form instanceof z.ZodObject && 'sha256' in form.shape,
      ),
    ]
  return [schema]
}

function isScalar(form: z.ZodType): boolean {
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

// Forms and queries contain only texts.
function takes(form: z.ZodType, value: unknown, { held, texts = held !== 'reply' }: Compared): boolean {
  if (!isScalar(form)) return !(form instanceof z.ZodObject || form instanceof z.ZodArray)
  const versions = !texts
    ? [value]
    : [
        value,
        String(value),
        typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value,
        value === 'true' ? true : value === 'false' ? false : value,
      ]
  return versions.some((version) => form.safeParse(version).success)
}

/** What was probably intended by a value that is impossible there. */
function meantBy(value: unknown, forms: readonly z.ZodType[], held: Compared['held']): string {
  if (forms.some((form) => takes(form, value, { texts: true })))
    return typeof value === 'string'
      ? `; did you mean ${clip(value, 58)}, without quotes?`
      : `; did you mean ${show(String(value))}, as text?`
  if (held !== 'reply') return ''
  const words = forms
    .flatMap((form) =>
      form instanceof z.ZodEnum ? form.options : form instanceof z.ZodLiteral ? [...form.values] : [],
    )
    .map(String)
  const nearest = typeof value === 'string' ? nearestWord(value, words) : undefined
  if (words.length > 0)
    return nearest === undefined ? `, expected one of ${words.join(', ')}` : `; did you mean ${nearest}?`
  const ms =
    typeof value === 'string' && forms.some((form) => form instanceof z.ZodNumber)
      ? parseDuration(value)
      : undefined
  return ms === undefined ? '' : `; in milliseconds that is ${ms}`
}
