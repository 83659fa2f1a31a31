/**
 * One schema, three readings. A response schema says what the simulator sends; marks on its fields say what
 * of that the gateway's contract demands. Everything that judges another gateway uses the reading made here
 * (docs/decisions/contract-reading.md).
 */
import * as z from 'zod'
import { isFields } from '../engine/fields.ts'

interface Mark {
  /** The contract requires the field; or all clients need it; or typed clients work without it. */
  readonly presence?: 'required' | 'relied' | 'spare'
  /** The contract states the bounds, the format or the rule of the schema. */
  readonly stated?: true
  /** The contract does not name the field, or not its type. */
  readonly silent?: 'field' | 'type'
  /** Creates the contract's schema, where it differs. */
  readonly reads?: () => unknown
  /** Creates the schema of the part that typed clients accept. */
  readonly typed?: () => unknown
  /** A number whose unit can be wrong. */
  readonly unit?: 'seconds'
  /** The source section. */
  readonly section?: string
}

const marks = z.registry<Mark>()

// Marks the schema itself, because copies would slow every start by a millisecond. Do not mark shared
// schemas.
function marked<Schema extends z.ZodType>(schema: Schema, mark: Mark): Schema {
  marks.add(schema, { ...marks.get(schema), ...mark })
  return schema
}

/** The contract requires this field. All others may be absent or null. */
export const required = <Schema extends z.ZodType>(schema: Schema): Schema =>
  marked(schema, { presence: 'required' })

/** All clients need this field, although the contract does not require it. */
export const relied = <Schema extends z.ZodType>(schema: Schema): Schema =>
  marked(schema, { presence: 'relied' })

/** Typed clients work without this field, which the simulator always sends. */
export const spare = <Schema extends z.ZodType>(schema: Schema): Schema =>
  marked(schema, { presence: 'spare' })

/** A time in Unix seconds. */
export const unixSeconds = (): z.ZodInt => marked(z.int(), { unit: 'seconds' })

/** The contract states the bounds, the format or the rule; unmarked ones are the simulator's own. */
export const stated = <Schema extends z.ZodType>(schema: Schema): Schema => marked(schema, { stated: true })

/** The contract does not name this field. */
export const unnamed = <Schema extends z.ZodType>(schema: Schema): Schema =>
  marked(schema, { silent: 'field' })

/** The contract names this field and not its type. */
export const untyped = <Schema extends z.ZodType>(schema: Schema): Schema =>
  marked(schema, { silent: 'type' })

/** The contract differs from the simulator; `typed`: the part that typed clients accept. */
export const contractSays = <Schema extends z.ZodType>(
  schema: Schema,
  reads: () => z.ZodType,
  typed = reads,
): Schema => marked(schema, { reads, typed })

/** Bytes as base64. */
export const base64Text = (): z.ZodString =>
  stated(z.string().regex(/^[\w+/-]*={0,2}$/, 'expected base64 without a `data:` prefix'))

/** Where docs/spec-coverage.md quotes the shape: `contract 2.3`, or `wire-formats 2.4` of clients. */
export const describedIn = <Schema extends z.ZodType>(section: string, schema: Schema): Schema =>
  marked(schema, { section })

/** The section of a schema. */
export const sectionOf = (schema: z.ZodType): string | undefined => marks.get(schema)?.section

/**
 * The contract's requirements for a response: fields are optional, null means absent, types and enums are
 * checked, bounds and formats are not, unless a mark changes that. Unknown fields are allowed.
 */
export const contractReading = (schema: z.ZodType): z.ZodType => read(schema, 'contract')

/**
 * The same, with fields that clients need but the contract leaves open. Rejects unknown fields, except where
 * the contract passes them through.
 */
export const clientReading = (schema: z.ZodType): z.ZodType => read(schema, 'clients')

/**
 * The schema for judging gateways: the same, with all fields that typed clients read. These are the fields
 * that the simulator always sends, within its bounds, unless they are `spare`.
 */
export const typedReading = (schema: z.ZodType): z.ZodType => read(schema, 'typed')

type Reading = 'contract' | 'clients' | 'typed'

type Definition = z.core.$ZodTypes['_zod']['def']

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as Definition

function read(of: z.core.$ZodType, reading: Reading, kept?: string): z.ZodType {
  const schema = of as z.ZodType
  const { reads, typed, silent, section, unit, ...mark } = marks.get(schema) ?? {}
  const other = reading === 'typed' ? typed : reads
  if (other !== undefined) {
    const made = described(read(other() as z.ZodType, reading), schema)
    return section === undefined ? made : marked(made, { section })
  }
  if (unit !== undefined && reading === 'typed') return inSeconds()
  if (silent !== undefined && reading === 'contract') return described(z.unknown(), schema)
  // An empty array of a needed field counts as absent.
  const isStated =
    mark.stated === true ||
    (mark.presence === 'relied' && reading !== 'contract' && definitionOf(schema).type === 'array')
  const made = described(shapeOf(schema, reading, isStated, kept), schema)
  return section === undefined ? made : marked(made, { section })
}

function shapeOf(schema: z.ZodType, reading: Reading, isStated: boolean, kept?: string): z.ZodType {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'string':
      return isStated ? schema : z.string()
    case 'number':
      if (isStated || reading === 'typed') return schema
      return isInteger(definition) ? z.int() : z.number()
    case 'object':
      return checked(objectOf(definition, reading, kept), definition, isStated)
    case 'array':
      return checked(z.array(read(definition.element, reading)), definition, isStated)
    case 'record':
      return z.record(
        definition.keyType as z.core.$ZodRecordKey,
        read(definition.valueType, reading),
      ) as z.ZodType
    case 'union':
      return unionOf(definition as z.core.$ZodDiscriminatedUnionDef, reading)
    case 'nullable':
      return read(definition.innerType, reading).nullable()
    case 'optional':
      return read(definition.innerType, reading).optional()
    default:
      return schema
  }
}

function objectOf(
  { shape, catchall }: z.core.$ZodObjectDef,
  reading: Reading,
  kept: string | undefined,
): z.ZodObject {
  const fields = Object.entries(shape).flatMap(([name, of]): [string, z.ZodType][] => {
    const field = of as z.ZodType
    const { presence, silent } = marks.get(bare(field)) ?? {}
    if (silent === 'field' && reading === 'contract') return []
    const isKept =
      name === kept ||
      presence === 'required' ||
      (presence === 'relied' && reading !== 'contract') ||
      (reading === 'typed' && presence === undefined && silent !== 'field' && isAlwaysSent(field))
    if (isKept) return [[name, read(field, reading)]]
    const made = read(bare(field), reading)
    return [[name, made instanceof z.ZodUnknown ? made.optional() : made.nullish()]]
  })
  const isOpen = reading === 'contract' || (catchall !== undefined && catchall._zod.def.type === 'unknown')
  return isOpen ? z.looseObject(Object.fromEntries(fields)) : z.strictObject(Object.fromEntries(fields))
}

const isAlwaysSent = (field: z.ZodType): boolean =>
  !['optional', 'nullable', 'null'].includes(definitionOf(field).type)

/** The year 5000 in seconds: a larger number has a smaller unit. */
const latestSecond = 100_000_000_000

/** Whether a number at a place for Unix seconds has another unit. */
export const hasOtherUnit = (schema: z.core.$ZodType, value: unknown): boolean =>
  typeof value === 'number' &&
  value >= latestSecond &&
  marks.get(bare(schema as z.ZodType))?.unit === 'seconds'

const inSeconds = () =>
  z.int().refine((timestamp) => timestamp < latestSecond, {
    error: 'expected Unix seconds',
    params: { breaking: true },
  })

// Without `optional` and `nullable`, which every field gets. A mark on them is kept.
function bare(field: z.ZodType): z.ZodType {
  const definition = definitionOf(field)
  if (definition.type !== 'optional' && definition.type !== 'nullable') return field
  const inner = bare(definition.innerType as z.ZodType)
  const mark = marks.get(field)
  return described(mark === undefined ? inner : marked(inner.clone() as z.ZodType, mark), field)
}

// A discriminator is required: without it, the variant is unknown.
function unionOf({ options, discriminator }: z.core.$ZodDiscriminatedUnionDef, reading: Reading): z.ZodType {
  const variants = options.map((option) => read(option, reading, discriminator))
  return discriminator === undefined
    ? z.union(variants)
    : z.discriminatedUnion(
        discriminator,
        variants as unknown as [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
      )
}

function checked<Schema extends z.ZodType>(
  made: Schema,
  { checks }: { checks?: z.core.$ZodCheck<never>[] },
  isStated: boolean,
): Schema {
  return isStated && checks !== undefined
    ? made.check(...(checks as z.core.$ZodCheck<z.output<Schema>>[]))
    : made
}

const isInteger = (definition: object): boolean =>
  'format' in definition && (definition.format === 'safeint' || definition.format === 'int32')

function described<Schema extends z.ZodType>(made: Schema, { description }: z.ZodType): Schema {
  return description === undefined || made.description === description ? made : made.describe(description)
}

/** The arguments of `refine` for an object with a total. */
export function sumOf(
  total: string,
  ...parts: readonly [string, ...string[]]
): [(value: unknown) => boolean, { readonly path: string[]; readonly error: string }] {
  return [
    (value) => {
      if (!isFields(value)) return true
      const [sum, ...counts] = [total, ...parts].map((name) => value[name])
      return (
        typeof sum !== 'number' ||
        !counts.every((count) => typeof count === 'number') ||
        counts.reduce((one, other) => one + other, 0) === sum
      )
    },
    { path: [total], error: `expected ${parts.join(' + ')}` },
  ]
}
