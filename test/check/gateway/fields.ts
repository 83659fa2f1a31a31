/**
 * Ways in which one field of responses can be wrong, made from the responses and the schema that describes
 * them.
 */
import type * as z from 'zod'
import { generalised, schemasAt, wordsAt } from '../../../src/judges/contract/schema-places.ts'

/** One change of one field, wherever it is. */
export interface FieldViolation {
  /** A pointer with `*` for any item of a list and any name of a map. */
  readonly place: string
  readonly how: 'dropped' | 'of another type' | 'in another unit' | 'outside its values'
  /** A value with that field changed. */
  change(body: unknown): unknown
}

const dropped = Symbol('dropped')

/** The violations of all fields that the bodies show. */
export function fieldViolations(bodies: readonly unknown[], schema: z.ZodType): FieldViolation[] {
  const samples = new Map<string, unknown>()
  for (const body of bodies) for (const [place, value] of fieldsIn(body, schema)) samples.set(place, value)
  return [...samples].flatMap(([place, sample]) =>
    changesOf(sample, place, schema).map(([how, value]) => ({
      place,
      how,
      change: (body) => changed(body, schema, place, value),
    })),
  )
}

function* fieldsIn(value: unknown, schema: z.ZodType, pointer = ''): Generator<[string, unknown]> {
  if (value === null || typeof value !== 'object') return
  for (const [name, one] of Object.entries(value)) {
    const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const place = generalised(schema, inner)
    // What the contract leaves open has no fields.
    const schemas = schemasAt(schema, place)
    if (schemas.every(({ _zod: { def } }) => def.type === 'unknown')) continue
    if (one !== null) yield [place, one]
    yield* fieldsIn(one, schema, inner)
  }
}

type Made = readonly [how: FieldViolation['how'], value: unknown | ((old: never) => unknown)]

function changesOf(sample: unknown, place: string, schema: z.ZodType): Made[] {
  const made: Made[] = place.endsWith('/*') ? [] : [['dropped', dropped]]
  made.push(['of another type', otherType])
  if (typeof sample === 'number' && /(?:\/created|_at)$/.test(place))
    made.push(['in another unit', (old: number) => old * 1000])
  const words = wordsAt(schema, place)
  if (words !== undefined && typeof sample !== 'boolean')
    made.push(['outside its values', typeof sample === 'number' ? 99 : (old: string) => `${old}ish`])
  else made.push(...beyond(schemasAt(schema, place)))
  return made
}

/** Beyond the bounds of a number, and what is no address. */
function beyond(schemas: readonly z.core.$ZodType[]): Made[] {
  const [bag] = schemas.map((one) => one._zod.bag as Readonly<Record<string, unknown>>)
  const { minimum, maximum, format } = bag ?? {}
  const isBound = (bound: unknown): bound is number =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  return [
    ...(isBound(minimum) ? [['outside its values', minimum - 1] as const] : []),
    ...(isBound(maximum) ? [['outside its values', maximum + 1] as const] : []),
    ...(typeof format === 'string' && typeof minimum !== 'number'
      ? [['outside its values', 'no such thing!'] as const]
      : []),
  ]
}

function otherType(old: unknown): unknown {
  if (Array.isArray(old)) return {}
  if (typeof old === 'string') return 7
  return typeof old === 'object' ? 'x' : String(old)
}

function changed(value: unknown, schema: z.ZodType, place: string, to: unknown, pointer = ''): unknown {
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
    const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (generalised(schema, inner) !== place || one === null)
      return [[name, changed(one, schema, place, to, inner)]]
    if (to === dropped) return []
    return [[name, typeof to === 'function' ? (to as (old: unknown) => unknown)(one) : to]]
  })
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}

/** Every place of a schema. */
export function placesIn(schema: z.core.$ZodType, place = ''): string[] {
  const definition = schema._zod.def as z.core.$ZodTypes['_zod']['def']
  const inside = (inner: z.core.$ZodType, part: string): string[] => [
    `${place}${part}`,
    ...placesIn(inner, `${place}${part}`),
  ]
  switch (definition.type) {
    case 'object':
      return Object.entries(definition.shape).flatMap(([name, one]) => inside(one, `/${name}`))
    case 'array':
      return inside(definition.element, '/*')
    case 'record':
      return inside(definition.valueType, '/*')
    case 'union':
      return [...new Set(definition.options.flatMap((option) => placesIn(option, place)))]
    case 'optional':
    case 'nullable':
      return placesIn(definition.innerType, place)
    default:
      return []
  }
}
