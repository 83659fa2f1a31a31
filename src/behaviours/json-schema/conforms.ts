/** Checks whether a value conforms to a schema, with all its keywords. */
import { isFields } from '../../engine/fields.ts'
import { hasFormat } from './formats.ts'
import { codePointLength, type JsonValue, jsonKey, typeOf } from './json-value.ts'
import type { Choice, Subschema } from './read-schema.ts'
import type { Budget } from './schema-rejection.ts'

/** Whether `value` conforms. Throws `SchemaRejection` if the check takes too many steps. */
export function conforms(schema: Subschema, value: JsonValue, budget: Budget): boolean {
  budget.spend(schema.path)
  const { never, types, allowed, all, choices } = schema
  if (never || types?.includes(typeOf(value)) === false) return false
  if (allowed?.has(jsonKey(value)) === false) return false
  return (
    conformsByType(schema, value, budget) &&
    all.every((part) => conforms(part, value, budget)) &&
    choices.every((choice) => conformsToChoice(choice, value, budget))
  )
}

function conformsToChoice({ keyword, branches }: Choice, value: JsonValue, budget: Budget): boolean {
  if (keyword === 'anyOf') return branches.some((branch) => conforms(branch, value, budget))
  return branches.filter((branch) => conforms(branch, value, budget)).length === 1
}

function conformsByType(schema: Subschema, value: JsonValue, budget: Budget): boolean {
  if (typeof value === 'number') return isNumberIn(schema, value)
  if (typeof value === 'string') return isStringIn(schema, value, budget)
  if (Array.isArray(value)) return isArrayIn(schema, value, budget)
  return !isFields(value) || isObjectIn(schema, value as Record<string, JsonValue>, budget)
}

function isNumberIn({ keywords }: Subschema, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = keywords
  if (minimum !== undefined && value < minimum) return false
  if (maximum !== undefined && value > maximum) return false
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return false
  // In floating point, as validators compute it: 0.3 is no multiple of 0.1.
  return multipleOf === undefined || Number.isInteger(value / multipleOf)
}

function isStringIn({ keywords, pattern, path }: Subschema, value: string, budget: Budget): boolean {
  const { minLength = 0, maxLength = Infinity, format } = keywords
  if (minLength > 0 || maxLength < value.length) {
    const length = codePointLength(value)
    if (length < minLength || length > maxLength) return false
  }
  if (format !== undefined && !hasFormat(format, value)) return false
  if (pattern === undefined) return true
  budget.spend(path, 1 + value.length / 16)
  return pattern.matches(value)
}

function isArrayIn(schema: Subschema, value: readonly JsonValue[], budget: Budget): boolean {
  const { minItems = 0, maxItems = Infinity, uniqueItems } = schema.keywords
  if (value.length < minItems || value.length > maxItems) return false
  if (uniqueItems === true && new Set(value.map(jsonKey)).size < value.length) return false
  return value.every((item, index) => {
    const part = schema.prefixItems[index] ?? schema.items
    return part === undefined || conforms(part, item, budget)
  })
}

function isObjectIn(schema: Subschema, value: Record<string, JsonValue>, budget: Budget): boolean {
  const { required = [] } = schema.keywords
  if (!required.every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, item]) => {
    const part = schema.properties.get(name) ?? schema.additionalProperties
    return part === undefined || conforms(part, item, budget)
  })
}
