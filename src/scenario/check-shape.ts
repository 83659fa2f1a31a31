/** Whether a shape can ever be met: its fields exist in what it is held against, its operators are operators. Knows no operation. */
import * as z from 'zod'
import { nearestWord } from '../protocol/nearest-word.ts'
import { show } from '../protocol/wording.ts'
import { operators, operatorWords } from './format/values.ts'
import { isOperators } from './match-shape.ts'

/** Something that is wrong in a scenario, with its path in the file. */
export interface ScenarioMistake {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** True when the key is meant, not what stands behind it. */
  readonly key: boolean
}

/** How the shape will be compared. */
export interface Compared {
  /** Whether what it meets are texts, whatever they say (forms, queries, headers); so unless said otherwise. */
  readonly texts?: boolean
}

/** The mistakes of a shape. `against` are the schemas it may meet: one that fits is enough; none given means that anything may be there. */
export function* checkShape(shape: unknown, path: readonly PropertyKey[], against: readonly z.ZodType[], how: Compared = {}): Generator<ScenarioMistake> {
  const forms = against.flatMap(formsOf)
  if (shape === null || typeof shape !== 'object') {
    if (forms.length > 0 && typeof shape !== 'object' && !forms.some((form) => takes(form, shape, how))) {
      const other = forms.some((form) => takes(form, shape, { texts: true }))
      yield { path, message: `can never be met: no request holds ${show(shape)} here${!other ? '' : typeof shape === 'string' ? `; did you mean ${shape}, without quotes?` : `; did you mean ${JSON.stringify(String(shape))}, a text?`}`, key: false }
    }
    return
  }
  if (Array.isArray(shape)) {
    if (forms.length > 0 && forms.every((form) => isScalar(form) || form instanceof z.ZodObject)) yield { path, message: 'can never be met: no request holds a list here', key: false }
    for (const [index, item] of shape.entries()) yield* checkShape(item, [...path, index], itemsOf(forms), how)
    return
  }
  if (isOperators(shape)) {
    yield* checkOperators(shape, path, against, forms, how)
    return
  }
  for (const [name, part] of Object.entries(shape)) {
    const here = [...path, name]
    const known = fieldsOf(forms)
    if (known === undefined || known.has(name)) {
      yield* checkShape(part, here, known?.get(name) ?? [], how)
      continue
    }
    const nearest = nearestWord(name, [...known.keys(), ...operatorWords])
    const mixed = operatorWords.includes(name)
    const what = mixed ? `the operator ${name} stands beside fields: give operators an object of their own` : `no request has a field ${JSON.stringify(name)} here${nearest === undefined ? (known.size === 0 ? '' : `: expected one of ${[...known.keys()].slice(0, 12).join(', ')}`) : `; did you mean ${nearest}?`}`
    yield { path: here, message: what, key: true }
  }
}

function* checkOperators(shape: Readonly<Record<string, unknown>>, path: readonly PropertyKey[], against: readonly z.ZodType[], forms: readonly z.ZodType[], how: Compared): Generator<ScenarioMistake> {
  for (const [word, wanted] of Object.entries(shape)) {
    const here = [...path, word]
    const result = (operators.shape as Readonly<Record<string, z.ZodType>>)[word]?.safeParse(wanted)
    if (result?.success === false) {
      const [issue] = result.error.issues
      yield { path: here, message: issue?.code === 'custom' ? issue.message : `expected ${wantedBy(word)}, got ${show(wanted)}`, key: false }
    }
    if (word === 'not') yield* checkShape(wanted, here, against, how)
    if (word === 'anyOf' && Array.isArray(wanted)) for (const [index, one] of wanted.entries()) yield* checkShape(one, [...here, index], against, how)
    if (word === 'some') yield* checkShape(wanted, here, itemsOf(forms), how)
    if (word === 'length') yield* checkShape(wanted, here, [z.number()])
  }
}

function wantedBy(word: string): string {
  if (['gt', 'gte', 'lt', 'lte'].includes(word)) return 'a number'
  if (word === 'exists') return 'true or false'
  if (word === 'anyOf') return 'a list'
  return word === 'contains' ? 'a text, a number, true or false' : 'a text'
}

/** The fields that some object form has, each with its schemas; undefined when anything may be there. */
function fieldsOf(forms: readonly z.ZodType[]): ReadonlyMap<string, z.ZodType[]> | undefined {
  if (forms.length === 0) return undefined
  const fields = new Map<string, z.ZodType[]>()
  for (const form of forms) {
    if (form instanceof z.ZodObject) for (const [name, schema] of Object.entries(form.shape)) fields.set(name, [...(fields.get(name) ?? []), schema as z.ZodType])
    else if (!isScalar(form) && !(form instanceof z.ZodArray)) return undefined
  }
  return fields
}

function itemsOf(forms: readonly z.ZodType[]): z.ZodType[] {
  return forms.flatMap((form) => (form instanceof z.ZodArray ? [form.element as z.ZodType] : []))
}

/** The forms that a schema has, its wrappings taken off. */
function formsOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodLazy || schema instanceof z.ZodReadonly) return formsOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return formsOf((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as readonly z.ZodType[]).flatMap(formsOf)
  if (schema instanceof z.ZodIntersection) return [...formsOf(schema.def.left as z.ZodType), ...formsOf(schema.def.right as z.ZodType)]
  // One file of a form stands for itself, where several are a list.
  if (schema instanceof z.ZodArray) return [schema, ...formsOf(schema.element as z.ZodType).filter((form) => form instanceof z.ZodObject && 'sha256' in form.shape)]
  return [schema]
}

function isScalar(form: z.ZodType): boolean {
  return form instanceof z.ZodString || form instanceof z.ZodNumber || form instanceof z.ZodBoolean || form instanceof z.ZodEnum || form instanceof z.ZodLiteral || form instanceof z.ZodNull || form instanceof z.ZodStringFormat || form instanceof z.ZodNumberFormat
}

// Forms and queries hold texts, whatever they say.
function takes(form: z.ZodType, value: unknown, { texts = true }: Compared): boolean {
  if (!isScalar(form)) return !(form instanceof z.ZodObject || form instanceof z.ZodArray)
  const versions = !texts ? [value] : [value, String(value), typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value, value === 'true' ? true : value === 'false' ? false : value]
  return versions.some((version) => form.safeParse(version).success)
}
