/** Finds the part of a schema that a JSON pointer refers to. */
import type * as z from 'zod'

/** A pointer with `*` for list indexes and map keys, so that all items of a list share one place. */
export function generalised(schema: z.ZodType, pointer: string): string {
  let at: readonly z.core.$ZodType[] = [schema]
  const parts = pointer.split('/').slice(1)
  return parts
    .map((part) => {
      const steps = at.flatMap((one) => stepInto(one, part))
      at = steps.map(({ to }) => to)
      return steps.some(({ any }) => any) ? '/*' : `/${part}`
    })
    .join('')
}

function stepInto(schema: z.core.$ZodType, part: string): { any: boolean; to: z.core.$ZodType }[] {
  const definition = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  switch (definition.type) {
    case 'object':
      return Object.hasOwn(definition.shape, part)
        ? [{ any: false, to: definition.shape[part] as z.core.$ZodType }]
        : []
    case 'array':
      return [{ any: true, to: definition.element }]
    case 'record':
      return [{ any: true, to: definition.valueType }]
    case 'union':
      return definition.options.flatMap((option) => stepInto(option, part))
    case 'optional':
    case 'nullable':
      return stepInto(definition.innerType, part)
    default:
      return []
  }
}

/** The schemas that describe a place; several if several variants of a union have it. */
export function schemasAt(schema: z.ZodType, place: string): readonly z.core.$ZodType[] {
  let at: readonly z.core.$ZodType[] = [schema]
  for (const part of place.split('/').slice(1))
    at = at.flatMap((one) => stepInto(one, part).map(({ to }) => to))
  return at
}

/** The values that a schema lists for a place; undefined if it lists none. */
export function wordsAt(schema: z.ZodType, place: string): readonly unknown[] | undefined {
  const words = schemasAt(schema, place).flatMap(wordsOf)
  return words.length === 0 ? undefined : words
}

function wordsOf(schema: z.core.$ZodType): readonly unknown[] {
  const definition = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  switch (definition.type) {
    case 'enum':
      return Object.values(definition.entries)
    case 'literal':
      return definition.values
    case 'union':
      return definition.options.flatMap(wordsOf)
    case 'optional':
    case 'nullable':
      return wordsOf(definition.innerType)
    default:
      return []
  }
}
