/** Checks whether a value conforms to a clause, with all its keywords. */
import type { Clause } from './clause.ts'
import { hasFormat } from './formats.ts'
import { codePointLength, type JsonValue, jsonKey, typeOf } from './json-value.ts'
import { isMultiple } from './number-range.ts'
import { SchemaRejection } from './schema-rejection.ts'

/** The remaining steps of all checks in one reading or filling. */
export interface WorkBudget {
  remaining: number
}

/**
 * Whether `value` conforms. Throws `SchemaRejection` if the check takes too many steps. `strict` checks
 * `multipleOf` not only in decimals, but also in floating point as most validators do (they do not accept 0.3
 * as a multiple of 0.1).
 */
export function conforms(
  clause: Clause,
  value: JsonValue,
  work: WorkBudget,
  strict: boolean = false,
): boolean {
  spend(work, clause)
  if (clause.never || (clause.types & typeOf(value)) === 0) return false
  for (const listing of clause.listings) if (!listing.keys.has(jsonKey(value))) return false
  if (!conformsByType(clause, value, work, strict)) return false
  for (const part of clause.all) if (!conforms(part, value, work, strict)) return false
  for (const choice of clause.choices) {
    let held = 0
    for (const branch of choice.branches)
      if (conforms(branch, value, work, strict) && (++held > 1 || choice.keyword === 'anyOf')) break
    if (choice.keyword === 'anyOf' ? held === 0 : held !== 1) return false
  }
  return true
}

/** Spends steps of the budget. Throws if none are left. */
export function spend(work: WorkBudget, at: { readonly path: string }, steps: number = 1): void {
  work.remaining -= steps
  if (work.remaining < 0)
    throw new SchemaRejection(
      at.path,
      'allOf',
      'this schema takes too many steps to evaluate; write fewer combinations of allOf, anyOf and oneOf',
    )
}

function conformsByType(clause: Clause, value: JsonValue, work: WorkBudget, strict: boolean): boolean {
  if (typeof value === 'number') {
    return (
      value >= clause.minimum &&
      value <= clause.maximum &&
      value > clause.exclusiveMinimum &&
      value < clause.exclusiveMaximum &&
      (clause.multipleOf === undefined || isMultiple(value, clause.multipleOf, strict))
    )
  }
  if (typeof value === 'string') {
    if (clause.minLength > 0 || clause.maxLength !== Infinity) {
      const length = codePointLength(value)
      if (length < clause.minLength || length > clause.maxLength) return false
    }
    if (clause.format !== undefined && !hasFormat(clause.format, value)) return false
    if (clause.pattern === undefined) return true
    spend(work, clause, (value.length * clause.pattern.size) >> 6)
    return clause.pattern.matches(value)
  }
  if (Array.isArray(value)) return conformsAsArray(clause, value, work, strict)
  return typeof value !== 'object' || value === null || conformsAsObject(clause, value, work, strict)
}

function conformsAsArray(
  clause: Clause,
  value: readonly JsonValue[],
  work: WorkBudget,
  strict: boolean,
): boolean {
  if (value.length < clause.minItems || value.length > clause.maxItems) return false
  if (clause.uniqueItems && new Set(value.map(jsonKey)).size < value.length) return false
  return value.every((item, index) => {
    const part = clause.prefixItems[index] ?? clause.items
    return part === undefined || conforms(part, item, work, strict)
  })
}

function conformsAsObject(
  clause: Clause,
  value: { readonly [key: string]: JsonValue },
  work: WorkBudget,
  strict: boolean,
): boolean {
  const names = Object.keys(value)
  if (names.length < clause.minProperties || names.length > clause.maxProperties) return false
  for (const name of clause.required) if (!Object.hasOwn(value, name)) return false
  return names.every((name) => {
    const part = clause.properties?.get(name) ?? clause.additionalProperties
    return part === undefined || conforms(part, value[name] as JsonValue, work, strict)
  })
}
