/** Parsing of what others write. */
import type * as z from 'zod'

/**
 * As `schema.safeParse`, which throws for `{ "length": { "toString": null } }` where a text or a list of some
 * length is expected: zod compares the `length` of anything that has one.
 */
export function safeParse<T extends z.ZodType>(schema: T, input: unknown): z.ZodSafeParseResult<z.output<T>> {
  try {
    return schema.safeParse(input)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return schema.safeParse(withoutLengths(input))
  }
}

/** A copy whose objects have no member named `length`. */
function withoutLengths(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLengths)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      name === 'length' ? [] : [[name, withoutLengths(part)]],
    ),
  )
}
