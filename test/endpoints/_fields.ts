/** The fields of a request schema, one by one: what each takes, and a request that has a given value there. */
import * as z from 'zod'

/** A way from the body to a field: each key, with the schema of the object or array that holds it. */
type Way = readonly { readonly key: string | number; readonly holder: z.ZodType }[]

export interface Field {
  /** As `messages[]:user.content`: `[]` is any item, `{}` any value of a map, `:user` one kind of object. */
  readonly name: string
  readonly way: Way
  readonly schema: z.ZodType
  readonly forms: readonly z.ZodType[]
  readonly isRequired: boolean
  /** The sentences of rules that JSON Schema lacks, such as `expected base64`. */
  readonly sentences: readonly string[]
}

interface Stated {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxProperties?: number
}

interface Bounds {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** The alternatives of a schema, without what makes it optional. */
function formsOf(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return formsOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return formsOf(schema.out as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap(formsOf)
  return [schema]
}

export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object' | 'words' | 'file' | 'any'

export function kindOf(form: z.ZodType): Kind {
  if (form instanceof z.ZodEnum || form instanceof z.ZodLiteral) return 'words'
  if (form instanceof z.ZodRecord) return 'object'
  if (form instanceof z.ZodObject && 'sha256' in form.shape) return 'file'
  const { type } = form.def
  return ['string', 'number', 'boolean', 'null', 'array', 'object'].includes(type) ? (type as Kind) : 'any'
}

/** The words of an enum, or the values of a literal. */
export const wordsOf = (form: z.ZodType): readonly unknown[] =>
  form instanceof z.ZodEnum ? form.options : form instanceof z.ZodLiteral ? [...form.values] : []

export const isWhole = (form: z.ZodType): boolean =>
  (form instanceof z.ZodNumber && form.isInt) || form.meta()?.['type'] === 'integer'

/** The field that tells the objects of a union apart, and its words; undefined where there is none. */
export function discriminatorOf(schema: z.ZodType): { name: string; words: unknown[] } | undefined {
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator: name } = schema.def
    const options = schema.options as z.ZodObject[]
    return { name, words: options.flatMap(({ shape }) => wordsOf(shape[name] as z.ZodType)) }
  }
  if (schema instanceof z.ZodUnion) {
    const found = (schema.options as z.ZodType[]).map(discriminatorOf)
    return found.find((one) => one !== undefined)
  }
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? discriminatorOf(schema.unwrap() as z.ZodType)
    : undefined
}

/** Every field below a schema. */
export function fieldsOf(schema: z.ZodType): Field[] {
  const fields: Field[] = []
  const enter = (name: string, at: z.ZodType, way: Way): void => {
    const forms = formsOf(at)
    const holders = forms.filter((form) => kindOf(form) === 'object' || kindOf(form) === 'array')
    if (way.length > 0) fields.push(fieldAt(name, at, way))
    const objects = holders.filter((holder) => holder instanceof z.ZodObject)
    const told = discriminatorOf(at)?.name
    for (const holder of holders) {
      const inside = objects.length > 1 && holder instanceof z.ZodObject ? `${name}:${labelOf(holder)}` : name
      for (const [mark, key, part] of partsOf(holder).filter(([, key]) => key !== told))
        enter(inside === '' ? mark.slice(1) : `${inside}${mark}`, part, [...way, { key, holder }])
    }
  }
  enter('', schema, [])
  return fields
}

function partsOf(holder: z.ZodType): (readonly [mark: string, key: string | number, part: z.ZodType])[] {
  if (holder instanceof z.ZodArray) return [['[]', 0, holder.element as z.ZodType]]
  if (holder instanceof z.ZodRecord)
    return [['{}', sampleOf(holder.keyType as z.ZodType) as string, holder.valueType as z.ZodType]]
  return Object.entries((holder as z.ZodObject).shape).map(([key, part]) => [
    `.${key}`,
    key,
    part as z.ZodType,
  ])
}

/** The word that tells an object from the others of its union, or the first field that it requires. */
export function labelOf({ shape }: z.ZodObject): string {
  const fields = Object.entries(shape) as [string, z.ZodType][]
  const word = fields.flatMap(([, schema]) => (schema instanceof z.ZodLiteral ? [...schema.values] : []))[0]
  return String(word ?? fields.find(([, schema]) => !schema.safeParse(undefined).success)?.[0] ?? 'other')
}

function fieldAt(name: string, schema: z.ZodType, way: Way): Field {
  const forms = formsOf(schema)
  return {
    name,
    way,
    schema,
    forms,
    // An item of a list, or a value of a map, cannot be left out.
    isRequired: /[\]}]$/.test(name) ? false : isRequired(schema),
    sentences: forms.some((form) => ['string', 'any'].includes(kindOf(form))) ? sentencesOf(schema) : [],
  }
}

/** The bounds of a form: of its value, its length, or the number of its items or keys. */
export function boundsOf(form: z.ZodType, schema: z.ZodType = form): Bounds {
  // Rules that are functions, or that depend on a setting, state theirs.
  const stated = { ...form.meta(), ...schema.meta() } as Stated
  let { minimum: min, maximum: max = stated.maxProperties } = stated
  for (const { _zod } of form.def.checks ?? []) {
    const check = _zod.def as { check: string; value?: number; minimum?: number; maximum?: number }
    if (check.check === 'greater_than' || check.check === 'min_length') min = check.value ?? check.minimum
    if (check.check === 'less_than' || check.check === 'max_length') max = check.value ?? check.maximum
  }
  return { min, max }
}

/** Texts that hardly any rule takes. */
export const oddTexts = ['\u0001 ?', ' ', '']

/** What the rules of a schema say. */
function sentencesOf(schema: z.ZodType): string[] {
  const said = oddTexts.flatMap((text) => {
    const issues = schema.safeParse(text).error?.issues ?? []
    const nested = issues.flatMap((issue) => (issue.code === 'invalid_union' ? issue.errors.flat() : [issue]))
    return nested
      .filter(({ code, path }) => path.length === 0 && (code === 'custom' || code === 'invalid_format'))
      .map(({ message }) => message.replace(/, got .*$/s, ''))
  })
  return [...new Set(said)]
}

const texts = [
  'Paris',
  'https://pictures.example/cat.png',
  'AAAA',
  '1',
  'web_search_20250305',
  'gs://bucket/cat.png',
  'projects/p/locations/l/publishers/google/models/m/operations/00000000-0000-4000-8000-000000000000',
]

/** A small value that a schema takes. */
export function sampleOf(schema: z.ZodType): unknown {
  for (const form of formsOf(schema))
    for (const sample of samplesOf(form)) if (schema.safeParse(sample).success) return sample
  throw new Error(`no sample of a schema of type ${schema.def.type}`)
}

function* samplesOf(form: z.ZodType): Generator<unknown> {
  switch (kindOf(form)) {
    case 'words':
      return yield* wordsOf(form)
    case 'string':
      return yield* texts
    case 'number':
      return yield boundsOf(form).min ?? 1
    case 'boolean':
      return yield true
    case 'null':
      return yield null
    case 'array': {
      const item = sampleOf((form as z.ZodArray).element as z.ZodType)
      return yield* [1, 2, 6].map((length) => Array(length).fill(item))
    }
    case 'object':
      return yield* objectSamples(form)
    default:
      return yield 'anything'
  }
}

/** With the required fields, with one more, or with any one: rules may ask for it. */
function* objectSamples(form: z.ZodType): Generator<object> {
  const parts = partsOf(form)
  const required = form instanceof z.ZodRecord ? [] : parts.filter(([, , part]) => isRequired(part))
  const made = Object.fromEntries(required.map(([, key, part]) => [key, sampleOf(part)]))
  yield made
  for (const [, key, part] of parts) if (!(key in made)) yield { ...made, [key]: sampleOf(part) }
}

const isRequired = (schema: z.ZodType): boolean => !schema.safeParse(undefined).success

/** Stands for a field that is left out. */
export const absent = Symbol('absent')

/** A body with this value at a field. What is on the way there stays if it fits, and is made if not. */
export function bodyWith(body: object, [first, ...rest]: Way, value: unknown): object {
  if (first === undefined) return body
  const { key } = first
  return withPart(body, key, inside((body as Record<string | number, unknown>)[key], rest, value))
}

function inside(held: unknown, [step, ...rest]: Way, value: unknown): unknown {
  if (step === undefined) return value
  const { key, holder } = step
  const found = (holder.safeParse(held).success ? held : sampleOf(holder)) as object
  return withPart(found, key, inside((found as Record<string | number, unknown>)[key], rest, value))
}

function withPart(whole: object, key: string | number, part: unknown): object {
  if (Array.isArray(whole)) return whole.map((item, index) => (index === key ? part : item))
  if (part !== absent) return { ...whole, [key]: part }
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key))
}

/** The path of a field as rejections write it. */
export const placeOf = (way: Way): string =>
  way.reduce(
    (path, { key }) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
    '',
  )
