/**
 * Combines the clauses that apply at one place: follows `$ref` and `allOf`, multiplies out `anyOf` and
 * `oneOf`.
 */
import type { Choice, Clause } from './clause.ts'
import { spend, type WorkBudget } from './conforms.ts'
import { LIMITS } from './limits.ts'
import type { Obstacle } from './schema-node.ts'
import { SchemaRefusal } from './schema-refusal.ts'
import { TYPE } from './types.ts'

/** Clauses that apply together, with the `oneOf` branches that must not. */
export interface Alternative {
  readonly clauses: readonly Clause[]
  readonly excluded: readonly Clause[]
  readonly types: number
}

/** The clauses with all that their `$ref`s and `allOf`s bring in, each once. */
export function closeReferences(clauses: readonly Clause[]): readonly Clause[] {
  if (clauses.length === 1 && clauses[0]?.all.length === 0) return clauses
  const seen = new Set<Clause>()
  const waiting = [...clauses].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    for (let i = next.all.length - 1; i >= 0; i--) waiting.push(next.all[i] as Clause)
  }
  return [...seen]
}

/**
 * Passes the alternatives of `clauses` (with their references followed) to `take`, one by one, until it
 * returns false. Returns the first contradiction met, if any.
 */
export function eachAlternative(
  clauses: readonly Clause[],
  work: WorkBudget,
  take: (alternative: Alternative) => boolean,
): Obstacle | undefined {
  let obstacle: Obstacle | undefined

  /** Goes through the choices from `index` on; false when enough were taken. */
  const go = (
    held: readonly Clause[],
    choices: readonly Choice[],
    index: number,
    excluded: readonly Clause[],
  ): boolean => {
    spend(work, held[0] ?? { path: '' }, held.length)
    if (choices.length > LIMITS.choices) {
      throw new SchemaRefusal(
        held[0]?.path ?? '',
        choices[0]?.keyword ?? 'anyOf',
        `more than ${LIMITS.choices} anyOf and oneOf hold at this one place; write fewer`,
      )
    }
    const types = typesOf(held)
    if (types === 0) {
      obstacle ??= contradiction(held)
      return true
    }
    const choice = choices[index]
    if (choice === undefined) return take({ clauses: held, excluded, types })
    return choice.branches.every((branch, turn) => {
      const others =
        choice.keyword === 'oneOf'
          ? [...excluded, ...choice.branches.filter((_, other) => other !== turn)]
          : excluded
      const grown = closeReferences([...held, branch])
      const added = grown.filter((clause) => !held.includes(clause)).flatMap((clause) => clause.choices)
      return go(grown, added.length === 0 ? choices : [...choices, ...added], index + 1, others)
    })
  }

  go(
    clauses,
    clauses.flatMap((clause) => clause.choices),
    0,
    [],
  )
  return obstacle
}

function typesOf(clauses: readonly Clause[]): number {
  let types: number = TYPE.any
  for (const clause of clauses) types &= clause.never ? 0 : clause.types
  return types
}

function contradiction(clauses: readonly Clause[]): Obstacle {
  const never = clauses.find((clause) => clause.never)
  if (never !== undefined)
    return {
      path: never.path,
      keyword: 'false',
      what: 'the schema false allows no value; write a schema that allows one',
    }
  const typed = clauses.filter((clause) => clause.types !== TYPE.any)
  return {
    path: typed.at(-1)?.path ?? '',
    keyword: 'type',
    what: 'no type is left when the schemas that hold here are taken together; write types that overlap',
  }
}

/**
 * Refuses schemas that refer to themselves at the same place: no validator can finish with them. `seen` has
 * the clauses already checked.
 */
export function refuseEndlessReferences(root: Clause, seen: Set<Clause>): void {
  const open = new Set<Clause>()
  const visit = (clause: Clause, depth: number): void => {
    if (seen.has(clause)) return
    if (open.has(clause))
      throw new SchemaRefusal(
        clause.path,
        '$ref',
        'comes back to itself without going into a property or an item; write it so that each round goes ' +
          'one level down',
      )
    if (depth > LIMITS.depth)
      throw new SchemaRefusal(
        clause.path,
        '$ref',
        `more than ${LIMITS.depth} references in a row; write the reference to the last one directly`,
      )
    open.add(clause)
    for (const part of clause.all) visit(part, depth + 1)
    for (const choice of clause.choices) for (const branch of choice.branches) visit(branch, depth + 1)
    open.delete(clause)
    seen.add(clause)
  }
  visit(root, 0)
}
