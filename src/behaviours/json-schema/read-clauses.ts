/** Reads the subschemas of a schema, each into a clause, and follows local `$ref`s. */
import { percentDecoded } from '../../engine/fields.ts'
import { Clause } from './clause.ts'
import { type KeywordContext, READERS } from './keyword-readers.ts'
import { childPath, describeValue, LIMITS, SchemaRejection, type SchemaRoom } from './schema-rejection.ts'

type Raw = Readonly<Record<string, unknown>>

/** The clause of the root of `schema`; throws `SchemaRejection`. */
export function readClauses(schema: unknown, room: SchemaRoom): Clause {
  const known = new Map<object, Clause>()
  const waiting: { clause: Clause; raw: Raw; depth: number }[] = []
  let count = 0

  // A work list instead of recursion: a chain of 5,000 `$ref`s must not overflow the stack.
  const clauseAt = (
    raw: unknown,
    path: string,
    depth: number,
    reject: (what: string) => SchemaRejection,
  ): Clause => {
    if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
      const before = known.get(raw)
      if (before !== undefined) return before
    } else if (typeof raw !== 'boolean') {
      throw reject(
        `got ${describeValue(raw)}; write a schema: an object such as {"type":"string"}, or a boolean`,
      )
    }
    if (++count > LIMITS.subschemas)
      throw reject(`more than ${LIMITS.subschemas} subschemas; write at most ${LIMITS.subschemas}`)
    if (--room.left < 0)
      throw reject(
        `more than ${LIMITS.together} subschemas in the schemas of this request; send fewer or ` +
          'smaller schemas',
      )
    if (depth > LIMITS.depth)
      throw reject(`nested more than ${LIMITS.depth} levels deep; write a flatter schema, or use $ref`)
    const clause = new Clause(count, path)
    if (typeof raw === 'boolean') {
      clause.never = !raw
    } else {
      known.set(raw as object, clause)
      waiting.push({ clause, raw: raw as Raw, depth })
    }
    return clause
  }

  const root = clauseAt(schema, '', 0, (what) => new SchemaRejection('', 'schema', what))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { clause, raw, depth } = next
    readOne(clause, raw, {
      sub: (part, step, keyword) =>
        clauseAt(
          part,
          childPath(clause.path, step),
          depth + 1,
          (what) => new SchemaRejection(clause.path, keyword, step === keyword ? what : `${step}: ${what}`),
        ),
      refer(pointer) {
        const target = resolvePointer(schema, pointer, clause.path)
        return clauseAt(
          target.value,
          target.path,
          0,
          (what) =>
            new SchemaRejection(
              clause.path,
              '$ref',
              `${describeValue(pointer)} does not point to a schema: ${what}`,
            ),
        )
      },
    })
  }
  return root
}

function readOne(clause: Clause, raw: Raw, reading: KeywordContext): void {
  for (const keyword of Object.keys(raw)) {
    const value = raw[keyword]
    if (value === undefined) continue
    const read = READERS.get(keyword)
    if (read !== undefined) read(clause, value, reading)
    else if (!ANNOTATIONS.has(keyword)) {
      const remedy = UNSUPPORTED.get(keyword)
      if (remedy !== undefined)
        throw new SchemaRejection(clause.path, keyword, `not supported by the simulator; ${remedy}`)
    }
  }
}

/**
 * Keywords without influence on validity. Keywords in neither table are unknown, and treated as annotations.
 */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  '$vocabulary',
  '$dynamicAnchor',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
])

const SPLIT = 'write the allowed cases under anyOf'
const NAME = 'list the properties under properties'

/** Keywords with constraints that the simulator cannot fill, with the remedy. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['not', 'describe the allowed values, for example with enum, pattern or anyOf'],
  ['if', SPLIT],
  ['then', SPLIT],
  ['else', SPLIT],
  ['patternProperties', NAME],
  ['dependentSchemas', SPLIT],
  ['dependentRequired', SPLIT],
  ['dependencies', SPLIT],
  ['contains', 'constrain all items with items, or individual positions with prefixItems'],
  ['minContains', 'constrain all items with items, or individual positions with prefixItems'],
  ['maxContains', 'constrain all items with items, or individual positions with prefixItems'],
  ['unevaluatedProperties', 'write additionalProperties next to properties'],
  ['unevaluatedItems', 'write items next to prefixItems'],
  ['additionalItems', 'write prefixItems and items instead'],
  ['$dynamicRef', 'write $ref with a local pointer'],
  ['$recursiveRef', 'write $ref with a local pointer'],
  ['$recursiveAnchor', 'write $ref with a local pointer'],
  ['extends', 'write allOf'],
  ['disallow', 'write the allowed types under type'],
])

/**
 * The value at `pointer` (such as `#/$defs/node`) in `schema`. Throws `SchemaRejection` at `from` if there is
 * none.
 */
function resolvePointer(schema: unknown, pointer: string, from: string): { value: unknown; path: string } {
  const reject = (what: string): SchemaRejection =>
    new SchemaRejection(from, '$ref', `got ${describeValue(pointer)}; ${what}`)
  if (pointer === '' || pointer === '#') return { value: schema, path: '' }
  if (!pointer.startsWith('#/'))
    throw reject('only local pointers are supported; move the schema to $defs and write "#/$defs/..."')
  const steps: string[] = []
  let value: unknown = schema
  for (const written of pointer.slice(2).split('/')) {
    const step = percentDecoded(written)?.replaceAll('~1', '/').replaceAll('~0', '~')
    if (step === undefined) throw reject('its encoding is invalid; write ~0 for ~, ~1 for / and %25 for %')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw reject(`the pointer has no target; ${defined(schema)}`)
    value = (value as Record<string, unknown>)[step]
    steps.push(step)
  }
  return { value, path: steps.join('.') }
}

function defined(schema: unknown): string {
  const root = schema as Record<string, unknown>
  const names = ['$defs', 'definitions'].flatMap((home) => {
    const held = root[home]
    return typeof held === 'object' && held !== null
      ? Object.keys(held).map((name) => `#/${home}/${name}`)
      : []
  })
  if (names.length === 0) return 'the schema has no $defs'
  return `the schema defines ${names.slice(0, 8).join(', ')}`
}
