/**
 * Extracts what schemas share and names it: every root, every shape that is in two
 * places, every variant of a union that a field tells apart. Knows JSON Schema and nothing of operations.
 */
import { isSchema, type Schema } from './json-schema.ts'

/** A schema with the place it stands at, such as `chat.create body`. */
export interface Root {
  readonly place: string
  /** Its name unless the notes have another for the place. */
  readonly name: string
  readonly schema: Schema
}

export interface Components {
  /** By name, in the order of their names. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** The name of the component that a root became. */
  nameOf(place: string): string
  /** Places that the notes name and no schema stands at. */
  readonly unused: readonly string[]
}

/** How a component is referred to. */
export const refTo = (name: string): string => `#/components/schemas/${name}`

/**
 * The components of all roots. Places go on from a root's own: `.field`, `[]` for the items of a list, `{}`
 * for the values of a map, `<word>` for the variant whose telling field says so; the alternatives of a union
 * that has no such field stand at the union's place.
 */
export function componentsOf(roots: readonly Root[], names: Readonly<Record<string, string>>): Components {
  const all = roots.flatMap(withDefinitions)
  const rootKeys = new Set(all.map(({ schema }) => keyOf(schema)))
  const seen = new Map<string, { count: number; name: string; forced: boolean }>()
  const visited = new Set<string>()
  const visit = (schema: Schema, place: string, name: string, forced: boolean): void => {
    // The name of a place is for what stands there first, `null` aside.
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

  // Two shapes of one name: the later one is numbered.
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
      // Taken before it is filled, for a schema may lead back to itself.
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

// A recursive schema comes with definitions of its own: each becomes a root, so that references lead to
// components.
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

/** Keywords whose value is data and not schemas. */
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

// The variants of a union are references by now; a generator that is told the field makes a tagged union of
// them.
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

/** Shapes worth a name where they stand twice: objects with fields, and unions that a field tells apart. */
export function isShape(schema: Schema): boolean {
  return (
    (isSchema(schema['properties']) && Object.keys(schema['properties']).length > 0) ||
    Array.isArray(schema['oneOf'])
  )
}

function isNullable({ anyOf }: Schema): boolean {
  return Array.isArray(anyOf) && anyOf.length === 2 && (anyOf as Schema[])[1]?.['type'] === 'null'
}

// A field's own description does not make its shape another one.
function keyOf(schema: Schema): string {
  const { description: _, ...shape } = schema
  return JSON.stringify(shape)
}

interface Part {
  readonly step: string
  /** What it adds to the name. */
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
      // Told apart by what they hold: the first field that only this one demands.
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

/** The field by which the variants of a union are told apart: a different fixed text in each. */
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
