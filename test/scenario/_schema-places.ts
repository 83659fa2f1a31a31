/** The keys and words of a JSON Schema by their places, and which of them a value uses. */
import type { TypedSchema } from '../../tools/generate/schema-type.ts'

export type Schema = TypedSchema & { readonly $defs?: Readonly<Record<string, TypedSchema>> }

/**
 * Walks a schema. `heard` hears of each key (`Rule.when`) and each word (`Clock.mode = auto`); with a value,
 * only of those that the value uses. `called` gives definitions another name: those that say the same are
 * one.
 */
export function walk(
  root: Schema,
  heard: (place: string) => void,
  called: (definition: string) => string,
  ...given: readonly [value: unknown] | readonly []
): void {
  const known = given.length > 0
  const visited = new Set<string>()

  const resolved = (
    schema: Schema,
    place: string,
  ): { readonly schema: Schema; readonly place: string; readonly name: string | undefined } => {
    if (schema.$ref === undefined) return { schema, place, name: undefined }
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return { schema: root.$defs?.[name] as Schema, place: called(name), name }
  }

  const go = (written: Schema, at: string, value: unknown): void => {
    const { schema, place, name } = resolved(written, at)
    if (!known && name !== undefined) {
      if (visited.has(name)) return
      visited.add(name)
    }
    const either = schema.anyOf ?? schema.oneOf
    if (either !== undefined) {
      if (!known) for (const one of either) go(one, place, undefined)
      else {
        const fitting = either.find((one) => fits(one, value))
        if (fitting !== undefined) go(fitting, place, value)
      }
      return
    }
    for (const word of schema.enum ?? (schema.const === undefined ? [] : [schema.const]))
      if (!known || Object.is(word, value)) heard(`${place} = ${String(word)}`)
    if (schema.items !== undefined) {
      if (!known) go(schema.items, `${place}[]`, undefined)
      else if (Array.isArray(value)) for (const item of value) go(schema.items, `${place}[]`, item)
    }
    for (const [key, inner] of Object.entries(schema.properties ?? {})) {
      if (known && !(isFields(value) && Object.hasOwn(value, key))) continue
      heard(`${place}.${key}`)
      go(inner, `${place}.${key}`, known ? (value as Readonly<Record<string, unknown>>)[key] : undefined)
    }
    const { additionalProperties: others } = schema
    if (typeof others !== 'object') return
    if (!known) go(others, `${place}.*`, undefined)
    else if (isFields(value))
      for (const [key, inner] of Object.entries(value))
        if (schema.properties?.[key] === undefined) go(others, `${place}.*`, inner)
  }

  const fits = (written: Schema, value: unknown): boolean => {
    const { schema } = resolved(written, '')
    const either = schema.anyOf ?? schema.oneOf
    if (either !== undefined) return either.some((one) => fits(one, value))
    if (schema.const !== undefined && schema.const !== value) return false
    if (schema.enum !== undefined && !schema.enum.includes(value)) return false
    if (schema.type !== undefined && ![schema.type].flat().some((type) => isOf(type, value))) return false
    if (Array.isArray(value))
      return schema.items === undefined || value.every((item) => fits(schema.items as Schema, item))
    if (!isFields(value)) return true
    const { properties = {}, required = [], additionalProperties = true } = schema
    return (
      required.every((key) => Object.hasOwn(value, key)) &&
      Object.entries(value).every(([key, inner]) => {
        const own = properties[key]
        if (own !== undefined) return fits(own, inner)
        return typeof additionalProperties === 'object'
          ? fits(additionalProperties, inner)
          : additionalProperties
      })
    )
  }

  go(root, 'Scenario', given[0])
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isFields(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
