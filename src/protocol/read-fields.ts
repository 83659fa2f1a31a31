/**
 * Validates bodies by the fields they have: a request has a few of forty possible ones, and checking them
 * all would cost more than the rest of its validation.
 */
import type * as z from 'zod'

export type ReadFields = (input: unknown) => z.ZodSafeParseResult<unknown>

/** Schemas with fewer fields are always checked as a whole. */
const minFields = 12
/** How many sets of fields are cached; beyond it, bodies are checked as a whole. */
const maxSets = 64

/** Gives the same results as `schema.safeParse`. */
export function createReadFields(schema: z.ZodType): ReadFields {
  const { type, checks } = schema._zod.def
  if (type !== 'object' || (checks?.length ?? 0) > 0) return (input) => schema.safeParse(input)
  const whole = schema as z.ZodObject<Record<string, z.ZodType>>
  const { shape } = whole
  const names = Object.keys(shape)
  if (names.length < minFields) return (input) => schema.safeParse(input)

  // Required fields, and those with a meaning when left out.
  const always = names.filter((name) => {
    const absent = shape[name]?.safeParse(undefined)
    return absent?.success !== true || absent.data !== undefined
  })
  const bySet = new Map<string, z.ZodType>()

  const pickFields = (set: string, input: object): z.ZodType => {
    if (bySet.size >= maxSets) return whole
    const picked = names.filter((name) => Object.hasOwn(input, name) || always.includes(name))
    const part = whole.pick(Object.fromEntries(picked.map((name) => [name, true])) as Record<string, true>)
    bySet.set(set, part)
    return part
  }

  return (input) => {
    if (input === null || typeof input !== 'object' || Array.isArray(input)) return schema.safeParse(input)
    let set = ''
    for (const name of Object.keys(input)) if (Object.hasOwn(shape, name)) set += `${name},`
    return (bySet.get(set) ?? pickFields(set, input)).safeParse(input)
  }
}
