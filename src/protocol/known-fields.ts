/** The top-level fields that a body's schema names. */
import type * as z from 'zod'

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, unknown>>
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly out?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly left?: z.ZodType
  readonly right?: z.ZodType
}

/** Undefined when the schema accepts any field, or describes no object. */
export function knownFields(schema: z.ZodType | undefined): ReadonlySet<string> | undefined {
  if (schema === undefined) return undefined
  const {
    type,
    shape,
    innerType,
    in: input,
    out,
    options,
    left,
    right,
  } = schema._zod.def as unknown as Definition
  if (type === 'object' && shape !== undefined) return new Set(Object.keys(shape))
  // A preprocessed body has its fields behind the transform, a transformed one in front of it.
  if (type === 'pipe') return knownFields(input) ?? knownFields(out)
  if (innerType !== undefined) return knownFields(innerType)
  const parts = options ?? (left !== undefined && right !== undefined ? [left, right] : [])
  const sets = parts.map(knownFields)
  return sets.length === 0 || sets.includes(undefined)
    ? undefined
    : new Set(sets.flatMap((set) => [...(set as ReadonlySet<string>)]))
}
