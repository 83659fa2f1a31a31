/** Parses verification requests: a condition that can never match is an error, not a verdict. */
import * as z from 'zod'
import { parseDuration } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'
import { maxDepth } from '../protocol/canonical.ts'
import { parseWritten } from '../protocol/client-names.ts'
import { ConfigError, type FieldError, type LocatedError } from '../protocol/field-errors.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { errorsIn } from '../protocol/value-errors.ts'
import { clip, fieldPath, show } from '../protocol/wording.ts'
import {
  checkPattern,
  type ParsedPattern,
  type PatternContext,
  type PatternFields,
  patternKeys,
  patternSchema,
  readPattern,
  ruleSchema,
} from './read-pattern.ts'

/** A validated verification request. */
export interface ParsedRequest {
  readonly requests: ParsedPattern | undefined
  /** The limits of the count; undefined if requests are not counted. */
  readonly counts: { readonly atLeast: number; readonly atMost: number } | undefined
  /** The duration that the requests must fit, in virtual milliseconds. */
  readonly span: number | undefined
  readonly inOrder: readonly ParsedPattern[] | undefined
  readonly noOthers: boolean
  /** The rules that must have answered a request. */
  readonly usedRules: readonly string[] | undefined
}

/** A request as written, after validation by the schema; texts in place of patterns are objects by then. */
type WrittenRequest = Omit<z.output<ReturnType<typeof requestSchema>>, 'requests' | 'inOrder'> & {
  readonly requests?: PatternFields
  readonly inOrder?: readonly PatternFields[]
}

/** The rules of the session that a request is about. */
export interface RequestContext {
  /** The ids of the rules of its scenarios. */
  readonly scenarioRules: readonly string[]
  /** The ids of everything that can have answered as a rule. */
  readonly rules: readonly string[]
}

function requestSchema(operations: readonly string[]) {
  const pattern = z.union([patternSchema(operations), z.string()])
  const count = z.int().min(0).optional()
  return z.strictObject({
    requests: pattern.optional(),
    times: count,
    atLeast: count,
    atMost: count,
    never: z.boolean().optional(),
    within: z
      .union([z.string(), z.number()])
      .refine((text) => parseDuration(text) !== undefined, 'expected a duration such as 5s, 350ms or 1h30m')
      .optional(),
    inOrder: z.array(pattern).min(1).max(1000).optional(),
    noOthers: z.boolean().optional(),
    usedRules: z.union([z.literal(true), z.array(z.string()).min(1)]).optional(),
  })
}

/** Reads requests. Throws `ConfigError` with every error. */
export type ReadVerifyRequest = (written: unknown, context: RequestContext) => ParsedRequest

export function createRequestReader(vocabulary: Vocabulary): ReadVerifyRequest {
  const schema = lazy(() => requestSchema(vocabulary.operations))
  return (written, { scenarioRules, rules }) => {
    const request = plainShapes(withObjects(written))
    const parsed = parseWritten(schema(), request)
    if (parsed.error !== undefined)
      reject(
        errorsIn(parsed.error.issues, schema(), request).map((error) => ({
          field: error.field,
          message: messageOf(error),
        })),
      )
    const data = parsed.data as WrittenRequest
    const usedRules = data.usedRules === true ? scenarioRules : data.usedRules
    reject([
      ...patternErrors(data, { vocabulary, rules }),
      ...(usedRules ?? []).flatMap((id, index) => {
        const [issue] = ruleSchema(scenarioRules).safeParse(id).error?.issues ?? []
        return issue === undefined ? [] : [{ field: `usedRules[${index}]`, message: issue.message }]
      }),
      ...countErrors(data),
    ])
    return {
      requests: data.requests && readPattern(data.requests),
      counts: countsOf(data),
      span: parseDuration(data.within),
      inOrder: data.inOrder?.map(readPattern),
      noOthers: data.noOthers === true,
      usedRules,
    }
  }
}

/** Conditions are under `requests`, which is easy to forget. */
function messageOf({ path, message, unknown }: LocatedError): string {
  const name = String(path[0])
  const isCondition = unknown === true && path.length === 1 && patternKeys().includes(name)
  return isCondition ? `unknown key "${name}": write \`requests: { ${name}: … }\`` : message
}

function patternErrors({ requests, inOrder = [] }: WrittenRequest, context: PatternContext): FieldError[] {
  return [
    ...(requests === undefined ? [] : checkPattern(requests, ['requests'], context)),
    ...inOrder.flatMap((one, index) => checkPattern(one, ['inOrder', index], context)),
  ]
}

function isCounted({ times, atLeast, atMost, never }: WrittenRequest): boolean {
  return never === true || (times ?? atLeast ?? atMost) !== undefined
}

function countErrors(written: WrittenRequest): FieldError[] {
  const { requests, inOrder, times, atLeast, atMost, never, noOthers, usedRules, within } = written
  const errors: FieldError[] = []
  const expect = (isMet: boolean, field: string, message: string): void => {
    if (!isMet) errors.push({ field, message })
  }
  const range = [atLeast, atMost].some((count) => count !== undefined)
  const ways = [never === true, times !== undefined, range].filter(Boolean).length
  const last = never === true ? 'never' : 'times'
  expect(ways <= 1, last, 'expected one of `never`, `times`, and `atLeast` with `atMost`')
  expect(atLeast !== 0 || atMost !== undefined, 'atLeast', 'can never fail: write 1 or more, or add `atMost`')
  expect(
    (atLeast ?? 0) <= (atMost ?? Infinity),
    'atMost',
    `expected at least ${atLeast} (the value of \`atLeast\`), got ${atMost}`,
  )
  const isRate = within === undefined || countsOf(written) !== undefined
  expect(isRate, 'within', 'limits a count: add `times`, `atLeast` or `atMost`')
  const selects = requests !== undefined || inOrder !== undefined || isCounted(written)
  if (noOthers === true)
    expect(selects, 'noOthers', 'can never fail without `requests` or `inOrder`: add the expected `requests`')
  else
    expect(
      selects || usedRules !== undefined,
      '',
      'expected at least one of `requests`, `times`, `atLeast`, `atMost`, `never`, `inOrder`, `noOthers` ' +
        'and `usedRules`',
    )
  return errors
}

function countsOf(written: WrittenRequest): ParsedRequest['counts'] {
  const { requests, inOrder, times, atLeast, atMost, never } = written
  if (never === true) return { atLeast: 0, atMost: 0 }
  if (isCounted(written)) return { atLeast: times ?? atLeast ?? 0, atMost: times ?? atMost ?? Infinity }
  // A pattern without a count means at least once.
  return requests !== undefined && inOrder === undefined ? { atLeast: 1, atMost: Infinity } : undefined
}

// A string is an operation.
function withObjects(written: unknown): unknown {
  if (typeof written === 'string') return { requests: { operation: written } }
  if (written === null || typeof written !== 'object' || Array.isArray(written)) return written
  const { requests, inOrder, ...rest } = written as { requests?: unknown; inOrder?: unknown }
  const object = (one: unknown): unknown => (typeof one === 'string' ? { operation: one } : one)
  return {
    ...rest,
    requests: object(requests),
    inOrder: Array.isArray(inOrder) ? inOrder.map(object) : inOrder,
  }
}

function reject(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new ConfigError('The verification is invalid', errors)
}

/**
 * Turns regular expressions into `{ regex }`. Throws `ConfigError` for other values that are not plain data.
 */
export function plainShapes(value: unknown, path: readonly PropertyKey[] = []): unknown {
  const fail = (message: string): never => {
    throw new ConfigError('The verification is invalid', [{ field: clip(fieldPath(path), 200), message }])
  }
  if (path.length > maxDepth) fail(`is nested more than ${maxDepth} levels deep: is the object circular?`)
  if (Array.isArray(value)) return value.map((item, index) => plainShapes(item, [...path, index]))
  const kind = kindOf(value)
  if (kind === 'RegExp') return { regex: sourceOf(value as RegExp, fail) }
  if (kind !== undefined)
    fail(
      `expected plain data or a regular expression, got a ${kind}: write a part of the object, or an ` +
        'operator such as { contains: … } or { exists: true }',
    )
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, plainShapes(item, [...path, name])]),
  )
}

/** What a value is that is no plain data. */
function kindOf(value: unknown): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    return typeof value
  if (value === null || typeof value !== 'object') return undefined
  // Tests may run in another realm, whose Object and RegExp are not ours.
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  if (kind === 'RegExp') return kind
  // An instance of a class may have no own fields, and would then match anything.
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined
  return prototype.constructor?.name ?? 'class'
}

function sourceOf({ source, flags }: RegExp, fail: (message: string) => never): string {
  // Flags that only change positions do not matter.
  const rest = flags.replace(/[dgu]/g, '')
  if (rest === '') return source
  return fail(
    `expected a regular expression without the flags ${rest}, got ${show(`/${source}/${flags}`)}: rewrite ` +
      'the pattern, for example as [Ff]ox',
  )
}
