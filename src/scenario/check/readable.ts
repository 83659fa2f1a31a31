/**
 * The readable part of a rule with wrong words in it, as zod parses it, so that its other mistakes are found
 * in the same run.
 */

import type * as z from 'zod'
import { defined, type Fields, isFields } from '../../engine/fields.ts'
import { safeParse } from '../../protocol/expected-values.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { valueAt } from '../../protocol/wording.ts'
import { type RuleSpec, ruleSchemaOf } from '../format/scenario.ts'
import type { Against } from './instead.ts'
import type { Path } from './mistake.ts'

/** A rule without what is wrong in it; nothing is left of a `when` or `then` that cannot be read at all. */
export interface ReadableRule {
  readonly rule: RuleSpec
  /** The same as written. */
  readonly written: Fields
  readonly path: Path
  readonly operationKnown: boolean
}

/** `parsed` is the rule if the whole scenario is right. */
export function readableRule(
  written: Fields,
  parsed: RuleSpec | undefined,
  path: Path,
  { schema, vocabulary }: Against,
): ReadableRule {
  if (parsed !== undefined) return { rule: parsed, written, path, operationKnown: true }
  const { id, when = {}, then } = written
  const { shape } = ruleSchemaOf(schema)
  const asked = readable(shape.when.unwrap(), isFields(when) ? withOperations(when, vocabulary) : when)
  return {
    rule: {
      ...(typeof id === 'string' ? { id } : {}),
      ...defined({ when: asked }),
      then: readable(shape.then, then) ?? {},
    },
    written,
    path,
    operationKnown: asked !== undefined && 'operation' in asked === (isFields(when) && 'operation' in when),
  }
}

/** The conditions with misspelt operations replaced by the nearest ones, where there is one for each. */
function withOperations(when: Fields, { operations }: Vocabulary): Fields {
  const { operation } = when
  const meant = [operation].flat().map((one) => {
    if (typeof one !== 'string') return undefined
    return one === '*' || one.endsWith('.*') || operations.includes(one) ? one : nearestWord(one, operations)
  })
  return meant.includes(undefined) ? when : { ...when, operation: meant }
}

/** A mistake inside a mistake inside a mistake; deeper ones are found in the next run. */
const maxRounds = 3

/** The value without the fields that its schema refuses; undefined when nothing is left of it. */
function readable<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  if (!isFields(value)) return undefined
  const left = structuredClone(value)
  for (let round = 0; round < maxRounds; round++) {
    const { data, error } = safeParse(schema, left)
    if (error === undefined) return data
    for (const issue of error.issues) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : undefined
      for (const path of keys?.map((key) => [...issue.path, key]) ?? [issue.path])
        if (!removed(left, path)) return undefined
    }
  }
  return undefined
}

/** Removes the field at a path, or what holds it: items keep their places. False where nothing is left. */
function removed(value: unknown, path: Path): boolean {
  const [name] = path.slice(-1)
  if (name === undefined) return false
  const holder = valueAt(value, path.slice(0, -1))
  if (!isFields(holder) || !Object.hasOwn(holder, name)) return removed(value, path.slice(0, -1))
  // These two may have needed what was wrong.
  for (const one of [name, 'end', 'job']) delete (holder as Record<PropertyKey, unknown>)[one]
  return true
}
