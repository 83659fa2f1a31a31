/**
 * Parses a request pattern: the conditions of a rule's `when`, and conditions on the response and its end.
 */

import * as z from 'zod'
import { jsonIn, lazy } from '../engine/fields.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import { causeSchema, entrySchema } from '../exchange/plain.ts'
import type { FieldError } from '../protocol/field-errors.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { errorsIn } from '../protocol/value-errors.ts'
import { fieldPath, listed, show } from '../protocol/wording.ts'
import { type FileError, wrongValue } from '../scenario/check/file-error.ts'
import { checkMatcher, checkWhen } from '../scenario/check/when.ts'
import { isOperators } from '../scenario/compile/match-value.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import { type WhenSpec, whenSchema } from '../scenario/format/rule.ts'

export interface ParsedPattern {
  /** The conditions that `when` of a rule has, too. */
  readonly when: WhenSpec
  /** Conditions on the response, by field. */
  readonly response: Readonly<Record<string, unknown>>
}

/** The fields of a pattern as written. */
export type PatternFields = Readonly<Record<string, unknown>>

/** A condition that a rule's `when` does not have. */
interface ResponseField {
  /** What its values can be; undefined for anything. */
  readonly type: z.ZodType | undefined
  valueIn(entry: JournalEntry): unknown
}

/** The conditions on responses. */
export const responseFields: () => Readonly<Record<string, ResponseField>> = lazy(() => ({
  status: { type: z.int().min(0).max(599), valueIn: ({ response }) => response?.status ?? 0 },
  rule: { type: z.string(), valueIn: ({ cause }) => cause.rule },
  ended: { type: entrySchema().shape.ended, valueIn: ({ ended }) => ended },
  unmatched: { type: z.boolean(), valueIn: ({ cause }) => cause.unmatched },
  rejection: { type: causeSchema().shape.rejection, valueIn: ({ cause }) => cause.rejection },
  response: {
    type: undefined,
    valueIn: ({ response }) => jsonIn(response?.body?.text) ?? response?.body?.text,
  },
}))

/** A rule that can have answered. */
export const ruleSchema = (rules: readonly string[]) =>
  z
    .string()
    .refine(
      (id) => rules.some((rule) => (id.endsWith('*') ? rule.startsWith(id.slice(0, -1)) : rule === id)),
      {
        error: ({ input }) => {
          const all = rules.length === 0 ? 'the session has no rules' : `expected one of ${listed(rules)}`
          return `there is no rule ${show(input)} (${didYouMean(String(input), rules, all)})`
        },
      },
    )

/** The schema of a pattern over these operations. */
export function patternSchema(operations: readonly string[]) {
  return whenSchema(operations)
    .omit({
      nth: true,
      first: true,
      everyNth: true,
      times: true,
      per: true,
      flags: true,
      during: true,
    })
    .extend(Object.fromEntries(Object.keys(responseFields()).map((name) => [name, z.unknown().optional()])))
}

export const patternKeys = lazy((): readonly string[] => Object.keys(patternSchema([]).shape))

export function readPattern(fields: PatternFields): ParsedPattern {
  const when: Record<string, unknown> = {}
  const response: Record<string, unknown> = {}
  for (const [name, wanted] of Object.entries(fields)) {
    if (wanted === undefined) continue
    if (!Object.hasOwn(responseFields(), name)) when[name] = wanted
    else response[name] = name === 'status' ? statusRange(wanted) : wanted
  }
  return { when: when as WhenSpec, response }
}

function statusRange(wanted: unknown): unknown {
  const digit = typeof wanted === 'string' ? /^([1-5])xx$/i.exec(wanted)?.[1] : undefined
  return digit === undefined ? wanted : { gte: Number(digit) * 100, lt: (Number(digit) + 1) * 100 }
}

/** What the conditions of a pattern are validated against. */
export interface PatternContext {
  readonly vocabulary: Vocabulary
  /** The ids of the rules that can have answered. */
  readonly rules: readonly string[]
}

/** Conditions that can never match, and unknown names. */
export function checkPattern(
  requests: PatternFields,
  at: readonly PropertyKey[],
  { vocabulary, rules }: PatternContext,
): FieldError[] {
  const { when, response } = readPattern(requests)
  const named = [when.operation ?? []].flat()
  const endpoints = vocabulary.operations
    .filter((operation) => named.some((pattern) => matchesOperation(pattern, operation)))
    .flatMap((operation) => vocabulary.endpoint(operation) ?? [])
  const errors = [...checkWhen(when, { path: at, endpoints, vocabulary, flags: [] })]
  for (const [name, wanted] of Object.entries(response)) {
    const type = name === 'rule' ? ruleSchema(rules) : responseFields()[name]?.type
    errors.push(...checkResponse(wanted, [...at, name], type))
  }
  return errors.map(({ path, message }) => ({ field: fieldPath(path), message }))
}

function* checkResponse(
  wanted: unknown,
  path: readonly PropertyKey[],
  type: z.ZodType | undefined,
): Generator<FileError> {
  const absent = (field: string): string => `no response has a field ${show(field)} at this path`
  yield* checkMatcher(wanted, path, type === undefined ? [] : [type], absent)
  if (type !== undefined) yield* checkLiterals(wanted, path, type)
}

/** Values that the field never has: with `never`, they would prove nothing. */
function* checkLiterals(
  wanted: unknown,
  path: readonly PropertyKey[],
  type: z.ZodType,
): Generator<FileError> {
  if (isOperators(wanted)) {
    const { equals, not, anyOf } = wanted
    if (equals !== undefined) yield* checkLiterals(equals, [...path, 'equals'], type)
    if (not !== undefined) yield* checkLiterals(not, [...path, 'not'], type)
    for (const [index, one] of Array.isArray(anyOf) ? anyOf.entries() : [])
      yield* checkLiterals(one, [...path, 'anyOf', index], type)
  } else if (wanted === null || typeof wanted !== 'object') {
    const [wrong] = errorsIn(type.safeParse(wanted).error?.issues ?? [], type, wanted)
    if (wrong !== undefined) yield wrongValue(path, `can never match: ${wrong.message}`)
  }
}
