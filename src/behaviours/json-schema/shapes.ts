/** Merges clauses that apply together into one shape. */
import type { Clause } from './clause.ts'
import { conforms, type WorkBudget } from './conforms.ts'
import { isModestJson, type JsonValue, jsonKey } from './json-value.ts'
import type { Obstacle, ValueShape } from './schema-node.ts'
import type { Alternative } from './take-together.ts'
import { arrayShape, numberShape, objectShape, type ShapeContext, stringShape } from './type-shapes.ts'
import { TYPE } from './types.ts'

/** The shape of an alternative, or what prevents one. */
export function shapeOf(
  { clauses, excluded, types }: Alternative,
  path: string,
  reading: ShapeContext,
): ValueShape | Obstacle {
  const examples = examplesOf(clauses, reading.work)
  const description = descriptionOf(clauses)
  const listing = shortestListing(clauses)
  if (listing !== undefined) {
    const conforming = (strict: boolean): JsonValue[] =>
      listing.values.filter((value) =>
        clauses.every((clause) => conforms(clause, value, reading.work, strict)),
      )
    const exact = conforming(true)
    const values = exact.length > 0 ? exact : conforming(false)
    if (values.length === 0)
      return {
        path: listing.path,
        keyword: listing.keyword,
        what: 'none of its values conforms to the rest of the schema; write at least one that does',
      }
    return {
      path,
      clauses,
      excluded,
      types: NONE,
      values,
      number: undefined,
      string: undefined,
      array: undefined,
      object: undefined,
      description,
      examples,
      depth: Infinity,
    }
  }

  const obstacles: Obstacle[] = []
  let remaining = types
  const drop = (type: number, obstacle: Obstacle): undefined => {
    remaining &= ~type
    obstacles.push(obstacle)
  }
  const numbers = TYPE.integer | TYPE.fraction
  const number =
    (remaining & numbers) === 0
      ? undefined
      : numberShape(clauses, (remaining & TYPE.fraction) === 0, (o) => drop(numbers, o))
  const string =
    (remaining & TYPE.string) === 0 ? undefined : stringShape(clauses, (o) => drop(TYPE.string, o))
  const array =
    (remaining & TYPE.array) === 0
      ? undefined
      : arrayShape(clauses, path, reading, (o) => drop(TYPE.array, o))
  const object =
    (remaining & TYPE.object) === 0
      ? undefined
      : objectShape(clauses, path, reading, (o) => drop(TYPE.object, o))
  if (remaining === 0) return obstacles[0] as Obstacle
  return {
    path,
    clauses,
    excluded,
    types: typeOrder(clauses, remaining),
    values: undefined,
    number,
    string,
    array,
    object,
    description,
    examples,
    depth: Infinity,
  }
}

function descriptionOf(clauses: readonly Clause[]): string | undefined {
  for (const clause of clauses) if (clause.description !== undefined) return clause.description
  return undefined
}

function examplesOf(clauses: readonly Clause[], work: WorkBudget): readonly JsonValue[] {
  let conforming: JsonValue[] | undefined
  for (const clause of clauses) {
    for (const value of clause.examples) {
      if (isModestJson(value) && clauses.every((other) => conforms(other, value, work, true)))
        (conforming ??= []).push(value)
    }
  }
  return conforming ?? NONE
}

const NONE: readonly never[] = []

function shortestListing(
  clauses: readonly Clause[],
): { values: readonly JsonValue[]; keyword: string; path: string } | undefined {
  let best: { values: readonly JsonValue[]; keyword: string; path: string } | undefined
  for (const clause of clauses) {
    for (const { keyword, values } of clause.listings)
      if (best === undefined || values.length < best.values.length)
        best = { values, keyword, path: clause.path }
  }
  if (best === undefined || best.values.length < 2) return best
  return { ...best, values: [...new Map(best.values.map((value) => [jsonKey(value), value])).values()] }
}

/**
 * The order in which types are tried: as written, else those that keywords apply to, else text first; null
 * last.
 */
function typeOrder(clauses: readonly Clause[], types: number): readonly number[] {
  if ((types & (types - 1)) === 0 || types === (TYPE.integer | TYPE.fraction))
    return [types === TYPE.integer ? TYPE.integer | TYPE.fraction : types]
  const written = clauses.flatMap((clause) => clause.named)
  const about = clauses.reduce((all, clause) => all | clause.about, 0)
  const mentioned = [TYPE.object, TYPE.array, TYPE.integer, TYPE.string].filter(
    (type) => (about & type) !== 0,
  )
  const defaultOrder = [TYPE.string, TYPE.object, TYPE.array, TYPE.integer, TYPE.boolean]
  const order = new Set<number>()
  for (const wanted of [
    ...(written.length > 0 ? written : mentioned),
    ...defaultOrder,
    TYPE.fraction,
    TYPE.null,
  ]) {
    const type = (wanted & (TYPE.integer | TYPE.fraction)) === 0 ? wanted : TYPE.integer | TYPE.fraction
    if ((type & types) !== 0 && type !== TYPE.null) order.add(type)
  }
  if ((types & TYPE.null) !== 0) order.add(TYPE.null)
  return [...order]
}
