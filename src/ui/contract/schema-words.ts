/** The fields of a request body in words, as the OpenAPI document states them. */
import { counted } from '../../text/printable.ts'

/** The keywords of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Schemas
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  /** Of an empty schema: the field is not allowed. */
  readonly not?: unknown
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** By name. */
export type Schemas = Readonly<Record<string, Schema>>

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)

export const resolved = (schema: Schema, schemas: Schemas): Schema =>
  schema.$ref === undefined ? schema : (schemas[nameIn(schema.$ref)] ?? {})

/** A limit that JavaScript can represent; those of 64-bit integers are not. */
const known = (limit: number | undefined): number | undefined =>
  limit !== undefined && Number.isSafeInteger(Math.trunc(limit)) ? limit : undefined

/** `1 to 128 items`; empty without limits. */
function range(least: number | undefined, most: number | undefined, unit?: string): string {
  const [low, high] = [known(least), known(most)]
  const last = high ?? low
  if (last === undefined) return ''
  let words = `${low} to `
  if (low === undefined) words = 'at most '
  if (high === undefined) words = 'at least '
  return words + (unit === undefined ? last : counted(last, unit))
}

/** A value in words, with its limits: `array of strings (1 to 4 items) or null`. */
export function valueWords(written: Schema, schemas: Schemas): string {
  const schema = resolved(written, schemas)
  const { type, items, anyOf, oneOf, pattern } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  const either = anyOf ?? oneOf
  if (either !== undefined) return [...new Set(either.map((one) => valueWords(one, schemas)))].join(' or ')
  if (type === undefined) return schema.not === undefined ? 'any value' : 'not allowed'
  const words =
    type === 'array' && items !== undefined
      ? `array of ${valueWords(items, schemas).replace(/^[a-z]+$/, '$&s')}`
      : [type].flat().join(' or ')
  const limits = [
    schema.format,
    range(schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? '' : `more than ${schema.exclusiveMinimum}`,
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(undefined, schema.maxProperties, 'key'),
    pattern === undefined ? '' : `pattern ${pattern}`,
  ].filter(Boolean)
  return limits.length === 0 ? words : `${words} (${limits.join(', ')})`
}

/** The objects with known fields that a value is or contains, by name. */
export function objectsIn(written: Schema, schemas: Schemas): (readonly [name: string, schema: Schema])[] {
  const { $ref } = written
  const schema = resolved(written, schemas)
  const { properties, anyOf, oneOf, items, additionalProperties: more } = schema
  if (properties !== undefined) return [[$ref === undefined ? 'the object' : nameIn($ref), schema]]
  const inner = [...(anyOf ?? []), ...(oneOf ?? []), ...(items === undefined ? [] : [items])]
  if (typeof more === 'object') inner.push(more)
  return inner.flatMap((one) => objectsIn(one, schemas))
}
