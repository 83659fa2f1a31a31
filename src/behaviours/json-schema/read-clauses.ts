/** Reads the subschemas of a schema, each into a clause, and follows local `$ref`s. */
import { type Clause, emptyClause } from './clause.ts'
import { type KeywordContext, READERS } from './keyword-readers.ts'
import { ANNOTATIONS, UNSUPPORTED } from './keywords.ts'
import { LIMITS, type SchemaRoom } from './limits.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { childPath, describeValue, SchemaRefusal } from './schema-refusal.ts'

type Raw = Readonly<Record<string, unknown>>

/** The clause of the root of `schema`; throws `SchemaRefusal`. */
export function readClauses(schema: unknown, room: SchemaRoom): Clause {
  const known = new Map<object, Clause>()
  const waiting: { clause: Clause; raw: Raw; depth: number }[] = []
  let count = 0

  // A work list instead of recursion: a chain of 5,000 `$ref`s must not overflow the stack.
  const clauseAt = (
    raw: unknown,
    path: string,
    depth: number,
    refuse: (what: string) => SchemaRefusal,
  ): Clause => {
    if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
      const before = known.get(raw)
      if (before !== undefined) return before
    } else if (typeof raw !== 'boolean') {
      throw refuse(
        `got ${describeValue(raw)}; write a schema here: an object such as {"type":"string"}, or true or ` +
          'false',
      )
    }
    if (++count > LIMITS.subschemas)
      throw refuse(`more than ${LIMITS.subschemas} subschemas; write a smaller schema`)
    if (--room.left < 0)
      throw refuse(
        `more than ${LIMITS.together} subschemas in all schemas of this request; send fewer or smaller ones`,
      )
    if (depth > LIMITS.depth)
      throw refuse(`nested more than ${LIMITS.depth} levels deep; write it flatter, or use $ref`)
    const clause = emptyClause(count, path)
    if (typeof raw === 'boolean') {
      clause.never = !raw
    } else {
      known.set(raw as object, clause)
      waiting.push({ clause, raw: raw as Raw, depth })
    }
    return clause
  }

  const root = clauseAt(schema, '', 0, (what) => new SchemaRefusal('', 'schema', what))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { clause, raw, depth } = next
    readOne(clause, raw, {
      sub: (part, step, keyword) =>
        clauseAt(
          part,
          childPath(clause.path, step),
          depth + 1,
          (what) => new SchemaRefusal(clause.path, keyword, step === keyword ? what : `${step}: ${what}`),
        ),
      refer(pointer) {
        const target = resolvePointer(schema, pointer, clause.path)
        return clauseAt(
          target.value,
          target.path,
          0,
          (what) =>
            new SchemaRefusal(
              clause.path,
              '$ref',
              `${describeValue(pointer)} leads to a place without a schema: ${what}`,
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
        throw new SchemaRefusal(clause.path, keyword, `not supported by the simulator; ${remedy}`)
    }
  }
}
