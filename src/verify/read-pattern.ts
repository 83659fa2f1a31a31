/**
 * Parses a request pattern: the conditions of a rule's `when`, and conditions on the response and its end.
 */

import * as z from 'zod'
import { jsonIn, lazy } from '../engine/fields.ts'
import type { Cause, JournalEntry } from '../exchange/exchange.ts'
import { causeSchema, entrySchema } from '../exchange/plain.ts'
import type { Finding } from '../protocol/findings.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { decisionText } from '../protocol/plan.ts'
import { errorsIn } from '../protocol/value-errors.ts'
import { fieldPath, listed, show } from '../protocol/wording.ts'
import { type FileError, wrongValue } from '../scenario/check/finding.ts'
import { checkMatcher, checkWhen } from '../scenario/check/when.ts'
import { type Comparing, isOperators } from '../scenario/compile/match-value.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import { faults } from '../scenario/faults/all.ts'
import { type WhenSpec, whenSchema } from '../scenario/format/rule.ts'

export interface ParsedPattern {
  /** The conditions that `when` of a rule has, too. */
  readonly when: WhenSpec
  /** The literal path; undefined for any. */
  readonly address: string | undefined
  /** Conditions on the response and on other journal fields, by field. */
  readonly response: Readonly<Record<string, unknown>>
}

/** The fields of a pattern as written. */
export type PatternFields = Readonly<Record<string, unknown>>

const cause = lazy(() => causeSchema().shape)
/** The methods that node accepts; the journal has rejected requests too. */
const methods = () =>
  z.enum(
    (
      'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT QUERY PROPFIND PURGE ACL BIND CHECKOUT COPY ' +
      'LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY PROPPATCH REBIND REPORT SEARCH ' +
      'SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
    ).split(' '),
  )
const faultKinds = () => z.enum([...faults.map(({ kind }) => kind)])

/** Conditions that a rule's `when` does not have, and what their values can be; undefined for anything. */
const responseTypes: () => Readonly<Record<string, z.ZodType | undefined>> = lazy(() => ({
  method: methods(),
  status: z.int().min(0).max(599),
  rule: z.string(),
  decidedBy: z.string(),
  caller: z.string(),
  requestId: z.string(),
  ended: entrySchema().shape.ended,
  events: z.int().min(0),
  unmatched: cause().unmatched,
  faults: z.array(faultKinds()),
  ignored: cause().ignored,
  rejection: cause().rejection,
  response: undefined,
}))

const withEndings = ['rule', 'decidedBy']

/** A condition on the response, ready to be compared. */
export interface ResponseCondition {
  readonly name: string
  readonly wanted: unknown
  readonly how: Comparing
  value(call: JournalEntry): unknown
}

export function responseConditions({ response }: ParsedPattern): ResponseCondition[] {
  return Object.entries(response).map(([name, wanted]) => ({
    name,
    wanted,
    how: withEndings.includes(name) ? { endings: true } : {},
    value: (call) => valueIn(call, name),
  }))
}

function valueIn(call: JournalEntry, name: string): unknown {
  const { request, response, cause } = call
  switch (name) {
    case 'method':
      return request.method
    case 'status':
      return response?.status ?? 0
    case 'response':
      return jsonIn(response?.body?.text) ?? response?.body?.text
    case 'events':
      return response?.eventCount ?? 0
    case 'decidedBy':
      return cause.decidedBy === undefined ? undefined : decisionText(cause.decidedBy)
    case 'caller':
    case 'ended':
      return call[name]
    default:
      return cause[name as keyof Cause]
  }
}

/** The schema of a pattern over these operations. */
export function patternSchema(operations: readonly string[]) {
  return whenSchema(operations)
    .omit({
      nth: true,
      first: true,
      skip: true,
      everyNth: true,
      times: true,
      per: true,
      flags: true,
      during: true,
    })
    .extend({
      path: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
      ...Object.fromEntries(Object.keys(responseTypes()).map((name) => [name, z.unknown().optional()])),
    })
}

export const patternKeys = lazy((): readonly string[] => Object.keys(patternSchema([]).shape))

export function readPattern({ path, ...fields }: PatternFields): ParsedPattern {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  const when = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(responseTypes(), name)))
  return {
    when: (typeof path === 'object' ? { ...when, path } : when) as WhenSpec,
    address: typeof path === 'string' ? path : undefined,
    response: Object.fromEntries(
      entries
        .filter(([name]) => Object.hasOwn(responseTypes(), name))
        .map(([name, wanted]) => [name, name === 'status' ? statusRange(wanted) : wanted]),
    ),
  }
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
): Finding[] {
  const { when, response } = readPattern(requests)
  const named = [when.operation ?? []].flat()
  const endpoints = vocabulary.operations
    .filter((operation) => named.some((pattern) => matchesOperation(pattern, operation)))
    .flatMap((operation) => vocabulary.endpoint(operation) ?? [])
  const errors: FileError[] = [
    ...checkWhen(when, { path: at, endpoints, vocabulary, flags: [] }),
    ...Object.entries(response).flatMap(([name, wanted]) => [...checkResponse(name, wanted, [...at, name])]),
  ]
  return [
    ...errors.map(({ path, message, key }) => ({
      field: fieldPath(path),
      message:
        key && path.length === at.length + 2 && path[at.length] === 'body'
          ? `${message} (use \`ignored\` to match fields that are not in the contract)`
          : message,
    })),
    ...unknownRules(response['rule'], rules).map((message) => ({
      field: fieldPath([...at, 'rule']),
      message,
    })),
    ...unknownDeciders(response['decidedBy'], rules).map((message) => ({
      field: fieldPath([...at, 'decidedBy']),
      message,
    })),
  ]
}

function* checkResponse(name: string, wanted: unknown, path: readonly PropertyKey[]): Generator<FileError> {
  const type = responseTypes()[name]
  if (type instanceof z.ZodArray && typeof wanted === 'string')
    yield wrongValue(path, `can never match: this field is a list. Write { contains: ${show(wanted)} }`)
  else {
    const absent = (field: string): string => `no response has a field ${show(field)} at this path`
    yield* checkMatcher(wanted, path, type === undefined ? [] : [type], absent)
    if (type !== undefined) yield* checkLiterals(wanted, path, type)
  }
}

/** Values that the field never has: with `never`, they would prove nothing. */
function* checkLiterals(
  wanted: unknown,
  path: readonly PropertyKey[],
  type: z.ZodType,
): Generator<FileError> {
  if (!isOperators(wanted)) {
    if (wanted !== null && typeof wanted === 'object') return
    const [wrong] = errorsIn(type.safeParse(wanted).error?.issues ?? [], type, wanted)
    if (wrong !== undefined) yield { path, message: `can never match: ${wrong.message}`, key: false }
    return
  }
  const { equals, not, anyOf, contains } = wanted
  if (equals !== undefined) yield* checkLiterals(equals, [...path, 'equals'], type)
  if (not !== undefined) yield* checkLiterals(not, [...path, 'not'], type)
  for (const [index, one] of Array.isArray(anyOf) ? anyOf.entries() : [])
    yield* checkLiterals(one, [...path, 'anyOf', index], type)
  if (contains !== undefined && type instanceof z.ZodArray)
    yield* checkLiterals(contains, [...path, 'contains'], type.element as z.ZodType)
}

/** The same of what decided a response: `rule ID`, `reserved …` and a few words. */
const unknownDeciders = (wanted: unknown, rules: readonly string[]): string[] =>
  textsIn(wanted)
    .filter((text) => text.startsWith('rule '))
    .flatMap((text) => unknownRules(text.slice('rule '.length), rules))

/** The errors in the rule ids of a matcher. */
export function unknownRules(wanted: unknown, rules: readonly string[]): string[] {
  return textsIn(wanted).flatMap((id) => {
    const isKnown = id.endsWith('*')
      ? rules.some((rule) => rule.startsWith(id.slice(0, -1)))
      : rules.includes(id)
    if (isKnown) return []
    const all = rules.length === 0 ? 'the session has no rules' : `expected one of ${listed(rules)}`
    return `can never match: there is no rule ${show(id)} (${didYouMean(id, rules, all)})`
  })
}

/** The strings that a matcher compares a whole value with. */
function textsIn(wanted: unknown): string[] {
  if (typeof wanted === 'string') return [wanted]
  if (!isOperators(wanted)) return []
  const { equals, not, anyOf } = wanted as { equals?: unknown; not?: unknown; anyOf?: unknown }
  return [equals, not, ...(Array.isArray(anyOf) ? (anyOf as unknown[]) : [])].flatMap(textsIn)
}
