/**
 * Extracts named components from schemas: every root, every schema that occurs twice, and every variant of a
 * union with a discriminator. Knows JSON Schema and nothing about operations.
 */
import { isSchema, type Schema } from './json-schema.ts'

/** A schema with its place, such as `chat.create body`. */
export interface Root {
  readonly place: string
  /** Its name, unless the notes name the place. */
  readonly name: string
  readonly schema: Schema
}

export interface Components {
  /** By name, sorted. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** The component name of a root. */
  nameOf(place: string): string
  /** Places in the notes that have no schema. */
  readonly unused: readonly string[]
}

/** The reference to a component. */
export const refTo = (name: string): string => `#/components/schemas/${name}`

/**
 * The components of all roots. A place extends the place of its root: `.field`, `[]` for the items of an
 * array, `{}` for the values of a map, `<value>` for the variant with that discriminator. The alternatives of
 * a union without discriminator have the place of the union.
 */
export function componentsOf(roots: readonly Root[], names: Readonly<Record<string, string>>): Components {
  const all = roots.flatMap(withDefinitions)
  const rootKeys = new Set(all.map(({ schema }) => keyOf(schema)))
  const seen = new Map<string, { count: number; name: string; forced: boolean }>()
  const visited = new Set<string>()
  const visit = (schema: Schema, place: string, name: string, forced: boolean): void => {
    // The name of a place is for its first schema, except `null`.
    const given = visited.has(place) || isNullable(schema) ? undefined : names[place]
    if (!isNullable(schema)) visited.add(place)
    if (given !== undefined || isShape(schema) || rootKeys.has(keyOf(schema))) {
      const known = seen.get(keyOf(schema))
      if (known !== undefined) {
        known.count++
        known.forced ||= forced || given !== undefined
        known.name = given ?? known.name
        return
      }
      seen.set(keyOf(schema), { count: 1, name: given ?? name, forced: forced || given !== undefined })
    }
    for (const part of partsOf(schema))
      visit(part.schema, `${place}${part.step}`, `${given ?? name}${part.name}`, part.variant)
  }
  for (const { place, name, schema } of all) visit(schema, place, name, true)

  // Two schemas with one name: the later one gets a number.
  const named = new Map<string, string>()
  const taken = new Set<string>()
  for (const [key, { count, name, forced }] of seen) {
    if (count < 2 && !forced) continue
    let free = name
    for (let number = 2; taken.has(free); number++) free = `${name}${number}`
    taken.add(free)
    named.set(key, free)
  }

  const schemas: Record<string, Schema> = {}
  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer)
    if (!isSchema(value)) return value
    const name = named.get(keyOf(value))
    if (name === undefined) return referring(value, refer)
    if (schemas[name] === undefined) {
      // Reserved before it is filled, because a schema may be recursive.
      schemas[name] = {}
      schemas[name] = referring(value, refer)
    }
    return value['description'] === undefined
      ? { $ref: refTo(name) }
      : { $ref: refTo(name), description: value['description'] }
  }
  for (const { schema } of all) refer(schema)
  const byPlace = new Map(all.map(({ place, schema }) => [place, named.get(keyOf(schema))]))
  return {
    schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    nameOf(place) {
      const name = byPlace.get(place)
      if (name === undefined) throw new Error(`openapi: no schema at ${place}`)
      return name
    },
    unused: Object.keys(names).filter((place) => !visited.has(place)),
  }
}

// A recursive schema has its own definitions: each becomes a root, and references become component
// references.
function withDefinitions(root: Root): Root[] {
  const { $defs, ...schema } = root.schema
  const definitions = Object.entries(isSchema($defs) ? $defs : {})
  if (definitions.length === 0 && !JSON.stringify(schema).includes('"$ref":"#"')) return [{ ...root, schema }]
  const names: Readonly<Record<string, string>> = Object.fromEntries([
    ['#', root.name],
    ...definitions.map(
      ([name], index) => [`#/$defs/${name}`, `${root.name}Part${index === 0 ? '' : index + 1}`] as const,
    ),
  ])
  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer)
    if (!isSchema(value)) return value
    const to = typeof value['$ref'] === 'string' ? names[value['$ref']] : undefined
    return to === undefined ? inside(value, refer) : { ...value, $ref: refTo(to) }
  }
  return [
    { ...root, schema: refer(schema) as Schema },
    ...definitions.map(([name, inner]) => ({
      place: `${root.place} ${name}`,
      name: names[`#/$defs/${name}`] as string,
      schema: refer(inner) as Schema,
    })),
  ]
}

/** Keywords whose value is data, not a schema. */
const data = new Set(['enum', 'const', 'default', 'examples', 'example', 'required', 'description'])

function inside(schema: Schema, change: (value: unknown) => unknown): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      data.has(keyword)
        ? value
        : keyword === 'properties'
          ? Object.fromEntries(Object.entries(value as Schema).map(([name, inner]) => [name, change(inner)]))
          : change(value),
    ]),
  )
}

// The variants of a union are references here; the discriminator lets generators make a tagged union.
function referring(schema: Schema, refer: (value: unknown) => unknown): Schema {
  const copy = inside(schema, refer)
  const variants = Array.isArray(schema['oneOf']) ? (schema['oneOf'] as Schema[]) : []
  const field = tellingField(variants)
  if (field === undefined) return copy
  const refs = copy['oneOf'] as { readonly $ref: string }[]
  return {
    ...copy,
    discriminator: {
      propertyName: field,
      mapping: Object.fromEntries(
        variants.map((variant, index) => [wordOf(variant, field), refs[index]?.$ref]),
      ),
    },
  }
}

/** Schemas that get a name if they occur twice: objects with fields, and unions with a discriminator. */
export function isShape(schema: Schema): boolean {
  return (
    (isSchema(schema['properties']) && Object.keys(schema['properties']).length > 0) ||
    Array.isArray(schema['oneOf'])
  )
}

function isNullable({ anyOf }: Schema): boolean {
  return Array.isArray(anyOf) && anyOf.length === 2 && (anyOf as Schema[])[1]?.['type'] === 'null'
}

// The description of a field does not make its schema different.
function keyOf(schema: Schema): string {
  const { description: _, ...shape } = schema
  return JSON.stringify(shape)
}

interface Part {
  readonly step: string
  /** The suffix of its name. */
  readonly name: string
  readonly schema: Schema
  readonly variant: boolean
}

function partsOf(schema: Schema): Part[] {
  const parts: Part[] = []
  const add = (value: unknown, step: string, name: string, variant = false): void => {
    if (isSchema(value)) parts.push({ step, name, schema: value, variant })
  }
  if (isSchema(schema['properties']))
    for (const [field, value] of Object.entries(schema['properties']))
      add(value, `.${field}`, pascal(isList(value) ? singular(field) : field))
  add(schema['items'], '[]', '')
  add(schema['additionalProperties'], '{}', 'Value')
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    if (!Array.isArray(schema[keyword])) continue
    const alternatives = schema[keyword] as Schema[]
    const field = keyword === 'oneOf' ? tellingField(alternatives) : undefined
    for (const alternative of alternatives) {
      const word = field === undefined ? undefined : wordOf(alternative, field)
      if (word !== undefined) add(alternative, `<${word}>`, pascal(word), true)
      // Without discriminator, use the first field that only this variant requires.
      else add(alternative, '', isNullable(schema) ? '' : pascal(ownField(alternative, alternatives) ?? ''))
    }
  }
  return parts
}

const isList = (value: unknown): boolean =>
  isSchema(value) &&
  (value['type'] === 'array' || (Array.isArray(value['anyOf']) && value['anyOf'].some(isList)))
const singular = (word: string): string =>
  word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.endsWith('s') && !word.endsWith('ss')
      ? word.slice(0, -1)
      : word

/** `video_id` as `VideoId`, `chat.create` as `ChatCreate`. */
export function pascal(word: string): string {
  return word
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
}

/** The discriminator of a union: a field with a different constant in each variant. */
function tellingField(variants: readonly Schema[]): string | undefined {
  const [first] = variants
  if (first === undefined || !isSchema(first['properties'])) return undefined
  return Object.keys(first['properties']).find((field) => {
    const words = variants.map((variant) => wordOf(variant, field))
    return words.every((word) => word !== undefined) && new Set(words).size === words.length
  })
}

function ownField(schema: Schema, others: readonly Schema[]): string | undefined {
  if (!isSchema(schema['properties'])) return undefined
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
  return [...required, ...Object.keys(schema['properties'])].find((field) =>
    others.every(
      (other) =>
        other === schema || !isSchema(other['properties']) || other['properties'][field] === undefined,
    ),
  )
}

function wordOf(variant: Schema, field: string): string | undefined {
  const value = isSchema(variant['properties']) ? variant['properties'][field] : undefined
  return isSchema(value) && typeof value['const'] === 'string' ? value['const'] : undefined
}
